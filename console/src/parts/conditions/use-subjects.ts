import { type UseQueryResult, useQuery } from "@tanstack/react-query";
import { useProject } from "../../api/project";
import { useWords } from "../../words/words";
import { type Kind, nameAfter } from "./operators";

interface Subject {
  /** The name that filters use. */
  name: string;
  shown: string;
}

interface Subjects {
  groups: { label: string; subjects: Subject[] }[];
  /** The type of a field; null for one that is not listed. */
  typeOf(field: string): Kind | null;
  /** Whether the fields are loaded, so that a type is either known or will remain unknown. */
  isRead: boolean;
  /** A failed read, and how to repeat it. */
  failed: { error: Error; retry(): void } | null;
}

/**
 * Returns everything that a condition of this project can be about. `chosen` is always included, even when no list
 * contains it.
 */
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
    typeOf: (field) => fields.data?.fields.find((one) => one.field === field)?.type ?? null,
    isRead: fields.data !== undefined,
    failed: failedOf([fields, events, segments, topics]),
  };
}

/** Returns the first read that failed and has nothing to show. */
function failedOf(reads: UseQueryResult[]): Subjects["failed"] {
  const failed = reads.find(({ error, data }) => error !== null && data === undefined);
  return failed?.error ? { error: failed.error, retry: () => void failed.refetch() } : null;
}
