import Globe from "lucide-react/icons/globe";
import House from "lucide-react/icons/house";
import Mail from "lucide-react/icons/mail";
import Megaphone from "lucide-react/icons/megaphone";
import Settings from "lucide-react/icons/settings";
import Users from "lucide-react/icons/users";

/**
 * The pages of a project, in the order of the navigation. A phone has no room for all: there, the settings link to the
 * pages for wide screens.
 */
export const places = [
  { to: "/p/$project", word: "home", icon: House, isWide: false },
  { to: "/p/$project/emails", word: "emails", icon: Mail, isWide: false },
  { to: "/p/$project/people", word: "people", icon: Users, isWide: false },
  { to: "/p/$project/campaigns", word: "campaigns", icon: Megaphone, isWide: false },
  { to: "/p/$project/domains", word: "domains", icon: Globe, isWide: true },
  { to: "/p/$project/settings", word: "settings", icon: Settings, isWide: false },
] as const;
