import { type QueryClient, queryOptions } from "@tanstack/react-query";
import type { Petrel } from "petrel-client";
import { petrelOf } from "../../api/petrel";

const dayMs = 86_400_000;
/** The strip of the week counts these entries, and the list shows the first few. */
const mostUpcoming = 100;
export const days = 14;

/** The reads of the page. They begin before the page's script is loaded. */
export function readsOf(project: string, petrel: Petrel) {
  return {
    stats: queryOptions({
      queryKey: [project, "stats"],
      queryFn: ({ signal }) => petrel.activity.getStats({ startDate: firstDay() }, { signal }),
    }),
    attention: queryOptions({
      queryKey: [project, "attention"],
      queryFn: ({ signal }) => petrel.attention.get({ signal }),
    }),
    upcoming: queryOptions({
      queryKey: [project, "upcoming"],
      queryFn: ({ signal }) => petrel.activity.listUpcoming({ limit: mostUpcoming }, { signal }),
    }),
    firstSteps: queryOptions({
      queryKey: [project, "first steps"],
      queryFn: async ({ signal }) => {
        const [domains, people, mail] = await Promise.all([
          petrel.domains.list({ signal }),
          petrel.contacts.list({ limit: 1 }, { signal }),
          petrel.emails.list({ limit: 1 }, { signal }),
        ]);
        return {
          domain: domains.some(({ verified }) => verified),
          person: people.total > 0,
          mail: mail.data.length > 0,
        };
      },
    }),
  };
}

export function readHomeEarly(queries: QueryClient, project: string): void {
  const { stats, attention, upcoming, firstSteps } = readsOf(project, petrelOf(project));
  void queries.prefetchQuery(stats);
  void queries.prefetchQuery(attention);
  void queries.prefetchQuery(upcoming);
  void queries.prefetchQuery(firstSteps);
}

/** The service's days are in UTC. */
function firstDay(): string {
  return new Date(Date.now() - (days - 1) * dayMs).toISOString().slice(0, 10);
}
