import type { NavigateOptions } from "@tanstack/react-router";
import type { OperationName } from "petrel-client";
import { useProject } from "../api/project";
import { useMay } from "../api/rights";
import { useSettingsPages } from "../routes/settings/pages";
import { useWords } from "../words/words";
import type { Option } from "./find";
import { useMe } from "./root";

type Word = "campaigns" | "keys" | "members" | "topics" | "domains" | "account";

/** Actions by page, with the API call of each. */
const actions: { word: Word; to: NavigateOptions["to"]; needs?: OperationName }[] = [
  { word: "campaigns", to: "/p/$project/campaigns/new", needs: "campaigns.create" },
  { word: "keys", to: "/p/$project/settings/keys", needs: "admin.addKey" },
  { word: "members", to: "/p/$project/settings/members", needs: "admin.inviteMember" },
  { word: "topics", to: "/p/$project/settings/topics", needs: "topics.create" },
  { word: "domains", to: "/p/$project/domains", needs: "domains.add" },
  { word: "account", to: "/account" },
];

const installationPages = ["projects", "people", "audit"] as const;

/**
 * Returns actions of other pages, the pages of the settings and of the installation, and other projects, by a part of
 * their names.
 */
export function useActions(wanted: string): Option[] {
  const { words } = useWords();
  const { id: project } = useProject();
  const { isOwner } = useMe();
  const may = useMay();
  const texts = words.settings;
  const { installation } = words;
  const offered = actions.filter(({ needs }) => needs === undefined || may(needs));
  const ofOwners: Option[] = [
    { id: "do project", name: installation.projects.make, go: { to: "/installation/projects" } },
    ...installationPages.map((part) => ({
      id: `installation ${part}`,
      name: installation.pages[part],
      hint: words.shell.installation,
      go: { to: `/installation/${part}` } as const,
    })),
  ];
  const all: Option[] = [
    ...offered.map(({ word, to }) => ({
      id: `do ${word}`,
      name: texts.actions[word],
      go: { to, params: { project } },
    })),
    ...useSettingsPages().map(({ part, to }) => ({
      id: `see ${part}`,
      name: texts.pages[part],
      go: { to, params: { project } },
    })),
    { id: "more", name: words.more.title, go: { to: "/p/$project/more", params: { project } } },
    { id: "account", name: words.shell.account, go: { to: "/account" } },
    ...(isOwner ? ofOwners : []),
  ];
  return all.filter(({ name }) => isIn(name, wanted));
}

const mostProjects = 6;

/** Returns the person's other projects, once a part of a name is typed. */
export function useProjects(wanted: string): Option[] {
  const { id: open } = useProject();
  const { projects } = useMe();
  if (wanted === "") return [];
  return projects
    .filter(({ id, name }) => id !== open && (id === wanted || isIn(name, wanted)))
    .slice(0, mostProjects)
    .map(({ id, name }) => ({ id, name, go: { to: "/p/$project", params: { project: id } } }));
}

export function isIn(name: string, wanted: string): boolean {
  return name.toLowerCase().includes(wanted.toLowerCase());
}
