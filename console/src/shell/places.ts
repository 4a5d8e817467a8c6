import { Globe, House, Layers, Mail, Users } from "lucide-react";

/** The pages of a project, in the order of the navigation. */
export const places = [
  { to: "/p/$project", word: "home", icon: House },
  { to: "/p/$project/emails", word: "emails", icon: Mail },
  { to: "/p/$project/people", word: "people", icon: Users },
  { to: "/p/$project/domains", word: "domains", icon: Globe },
  { to: "/p/$project/more", word: "more", icon: Layers },
] as const;
