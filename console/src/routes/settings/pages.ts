import { History, KeyRound, ListChecks, SlidersHorizontal, Tags, UsersRound } from "lucide-react";

/** The pages of the settings, in the order in which they are shown. */
export const settingsPages = [
  { part: "project", to: "/p/$project/settings/project", icon: SlidersHorizontal },
  { part: "members", to: "/p/$project/settings/members", icon: UsersRound },
  { part: "keys", to: "/p/$project/settings/keys", icon: KeyRound },
  { part: "topics", to: "/p/$project/settings/topics", icon: Tags },
  { part: "jobs", to: "/p/$project/settings/jobs", icon: ListChecks },
  { part: "audit", to: "/p/$project/settings/audit", icon: History },
] as const;

export type SettingsPart = (typeof settingsPages)[number]["part"];
