import { useQuery } from "@tanstack/react-query";
import type { Filter } from "petrel-client";
import { useProject } from "../../api/project";
import { useWords } from "../../words/words";
import { type Kind, nameAfter, specialKindOf } from "./operators";

interface Subject {
  /** As a filter names it. */
  name: string;
  shown: string;
}

interface Subjects {
  groups: { label: string; subjects: Subject[] }[];
  kindOf(name: string): Kind;
}

/** How the form names what a filter tests: events and segments may be written in a second way. */
export function placeOf(filter: Filter): string {
  const kind = specialKindOf(filter);
  if (kind === "event" && nameAfter("event", filter.field) === null) return `event.${filter.field}`;
  return kind === "segment" && filter.field === "segment" ? `segment.${filter.value}` : filter.field;
}

/** Everything that a condition of this project can be about. `chosen` is among it, whatever the lists say. */
export function useSubjects(chosen: string): Subjects {
  const { words } = useWords();
  const own = words.conditions;
  const { id: project, petrel } = useProject();
  const fields = useQuery({
    queryKey: [project, "fields"],
    queryFn: ({ signal }) => petrel.contacts.listFields({ signal }),
  });
  const events = useQuery({
    queryKey: [project, "event names"],
    queryFn: ({ signal }) => petrel.events.listNames({ signal }),
  });
  const segments = useQuery({
    queryKey: [project, "segments"],
    queryFn: ({ signal }) => petrel.segments.list({ signal }),
  });
  const topics = useQuery({
    queryKey: [project, "topics", "choice"],
    queryFn: async ({ signal }) => (await petrel.topics.list({ limit: 100 }, { signal })).data,
  });
  const groups = [
    {
      label: own.fields,
      subjects: (fields.data?.fields ?? []).map(({ field }) => ({
        name: field,
        shown: nameAfter("data", field) ?? field,
      })),
    },
    {
      label: own.events,
      subjects: (events.data?.names ?? []).map((name) => ({ name: `event.${name}`, shown: name })),
    },
    {
      label: own.segments,
      subjects: (segments.data ?? []).map(({ id, name }) => ({ name: `segment.${id}`, shown: name })),
    },
    {
      label: own.topics,
      subjects: (topics.data ?? []).map(({ slug, name }) => ({ name: `topic.${slug}`, shown: name })),
    },
  ].filter(({ subjects }) => subjects.length > 0);
  const isListed = groups.some(({ subjects }) => subjects.some(({ name }) => name === chosen));
  const all = isListed ? groups : [{ label: own.chosen, subjects: [{ name: chosen, shown: chosen }] }, ...groups];
  return {
    groups: all,
    kindOf(name) {
      for (const kind of ["event", "segment", "topic"] as const) if (nameAfter(kind, name) !== null) return kind;
      return fields.data?.fields.find(({ field }) => field === name)?.type ?? "string";
    },
  };
}
