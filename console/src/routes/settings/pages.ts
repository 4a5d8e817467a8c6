import History from "lucide-react/icons/history";
import KeyRound from "lucide-react/icons/key-round";
import ListChecks from "lucide-react/icons/list-checks";
import SlidersHorizontal from "lucide-react/icons/sliders-horizontal";
import Tags from "lucide-react/icons/tags";
import Trash2 from "lucide-react/icons/trash-2";
import UsersRound from "lucide-react/icons/users-round";
import { useMay } from "../../api/rights";

const all = [
  { part: "project", to: "/p/$project/settings/project", icon: SlidersHorizontal, reads: "admin.getProject" },
  { part: "members", to: "/p/$project/settings/members", icon: UsersRound, reads: "admin.listMembers" },
  { part: "keys", to: "/p/$project/settings/keys", icon: KeyRound, reads: "admin.listKeys" },
  { part: "topics", to: "/p/$project/settings/topics", icon: Tags, reads: "topics.list" },
  { part: "jobs", to: "/p/$project/settings/jobs", icon: ListChecks, reads: "jobs.list" },
  { part: "trash", to: "/p/$project/settings/trash", icon: Trash2, reads: "trash.list" },
  { part: "audit", to: "/p/$project/settings/audit", icon: History, reads: "audit.list" },
] as const;

export type SettingsPart = (typeof all)[number]["part"];

/** Returns the settings pages that the person may read, in the order in which they are shown. */
export function useSettingsPages() {
  const may = useMay();
  return all.filter(({ reads }) => may(reads));
}
