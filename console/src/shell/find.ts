import { useQuery } from "@tanstack/react-query";
import type { NavigateOptions } from "@tanstack/react-router";
import { NotFoundError } from "petrel-client";
import { useDeferredValue } from "react";
import { useProject } from "../api/project";
import { useRested } from "../parts/use-rested";
import { useWords } from "../words/words";
import { isIn, useActions, useProjects } from "./actions";
import { places } from "./places";

interface Named {
  id: string;
  name: string;
  hint?: string;
}

/** An interpretation of a text: a page to open, or a button of this page to press. */
export type Option = Named & ({ go: NavigateOptions; press?: never } | { press(): void; go?: never });

interface Group {
  title: string;
  options: Option[];
}

const uuid = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;
const fewest = 2;
const most = 6;

/** Finds the interpretations of a text: pages and actions at once, and then the results of the service. */
export function useFound(text: string, ofPage: Option[]): Group[] {
  const { words } = useWords();
  const { id: project } = useProject();
  const wanted = text.trim();
  const people = usePeople(useDeferredValue(wanted));
  // Enter takes the first result, and a person with an address comes before the mail to it. So the mail waits for the
  // people.
  const mail = useMail(wanted, people !== null);
  const campaigns = useCampaigns(useDeferredValue(wanted));
  const pages = places
    .map(({ to, word }) => ({ id: to, name: words.shell[word], go: { to, params: { project } } }))
    .filter(({ name }) => isIn(name, wanted));
  const groups = [
    { title: words.palette.people, options: people ?? [] },
    { title: words.palette.mail, options: mail },
    { title: words.shell.campaigns, options: campaigns },
    { title: words.settings.actions.title, options: useActions(wanted) },
    { title: words.palette.pages, options: pages },
    // Buttons come last: a button may send mail at once, and Enter takes the first result.
    { title: words.palette.onPage, options: ofPage.filter(({ name }) => isIn(name, wanted)).slice(0, most) },
    { title: words.installation.pages.projects, options: useProjects(wanted) },
  ];
  return groups.filter(({ options }) => options.length > 0);
}

/** Null until the service has answered. */
function usePeople(search: string): Option[] | null {
  const { id: project, petrel } = useProject();
  const { data, isLoading } = useQuery({
    queryKey: [project, "palette", "people", search],
    enabled: search.length >= fewest,
    queryFn: async ({ signal }) => {
      if (!uuid.test(search)) return (await petrel.contacts.list({ search, limit: most }, { signal })).data;
      return orNone(petrel.contacts.get(search, { signal }));
    },
  });
  const toPerson = (person: string): NavigateOptions => ({
    to: "/p/$project/people/$person",
    params: { project, person },
  });
  if (isLoading) return null;
  return (data ?? []).map(({ id, email }) => ({ id, name: email, go: toPerson(id) }));
}

/** Finds campaigns by their id, or by the beginning of their name. */
function useCampaigns(text: string): Option[] {
  const { id: project, petrel } = useProject();
  const { data } = useQuery({
    queryKey: [project, "palette", "campaigns", text],
    enabled: text.length >= fewest,
    queryFn: ({ signal }) => petrel.search.search({ q: text }, { signal }),
  });
  const found = data?.results.filter(({ type }) => type === "campaign") ?? [];
  return found.slice(0, most).map(({ id, name }) => ({
    id,
    name,
    go: { to: "/p/$project/campaigns/$campaign", params: { project, campaign: id } },
  }));
}

const fewestOfSubject = 3;
const restMs = 250;

/** Finds an email by its id or the beginning of its subject, and the mail to an address. */
function useMail(text: string, isTurn: boolean): Option[] {
  const { words } = useWords();
  const { id: project, petrel } = useProject();
  const isAddress = /^\S+@\S+\.\S+$/.test(text);
  // Each searched subject reads the newest mail.
  const rested = useRested(text, restMs);
  const { data } = useQuery({
    queryKey: [project, "palette", "mail", rested],
    enabled: rested.length >= fewestOfSubject && !isAddress,
    queryFn: async ({ signal }) => {
      if (uuid.test(rested)) return orNone(petrel.emails.get(rested, { signal }));
      return (await petrel.emails.list({ subject: rested, limit: most }, { signal })).data;
    },
  });
  if (isAddress) {
    if (!isTurn) return [];
    const to: NavigateOptions = { to: "/p/$project/emails", params: { project }, search: { to: text } };
    return [{ id: "to", name: `${words.emails.to} ${text}`, go: to }];
  }
  if (rested !== text) return [];
  return (data ?? []).map(({ id, subject, to }) => ({
    id,
    name: subject || "·",
    hint: to,
    go: { to: "/p/$project/emails/$email", params: { project, email: id } },
  }));
}

/** The id may belong to something else. */
async function orNone<Found>(call: Promise<Found>): Promise<Found[]> {
  try {
    return [await call];
  } catch (error) {
    if (error instanceof NotFoundError) return [];
    throw error;
  }
}
