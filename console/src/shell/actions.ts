import { useProject } from "../api/project";
import { settingsPages } from "../routes/settings/pages";
import { useWords } from "../words/words";
import type { Option } from "./find";

const actions = [
  { word: "campaigns", to: "/p/$project/campaigns/new" },
  { word: "keys", to: "/p/$project/settings/keys" },
  { word: "members", to: "/p/$project/settings/members" },
  { word: "topics", to: "/p/$project/settings/topics" },
  { word: "domains", to: "/p/$project/domains" },
  { word: "account", to: "/account" },
] as const;

/** Actions of pages, and the pages of the settings, by a part of their names. */
export function useActions(wanted: string): Option[] {
  const { words } = useWords();
  const { id: project } = useProject();
  const texts = words.settings;
  const all = [
    ...actions.map(({ word, to }) => ({ id: `do ${word}`, name: texts.actions[word], to })),
    ...settingsPages.map(({ part, to }) => ({ id: `see ${part}`, name: texts.pages[part], to })),
  ];
  return all
    .filter(({ name }) => name.toLowerCase().includes(wanted.toLowerCase()))
    .map(({ to, ...option }) => ({ ...option, to: { to, params: { project } } }));
}
