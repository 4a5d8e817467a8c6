import { type SQL, sql } from "drizzle-orm";

/**
 * The maximum time by which a cron tick can be early. A sweep therefore also takes rows that become due within this
 * time.
 */
export const tickJitterMs = 30_000;

/**
 * Returns SQL for a string that changes whenever a contact of the project changes, and whenever an event is recorded
 * that the segment's condition names. A figure computed from the contacts is current while the string is the same, if
 * the string was read before the figure was computed. `segment` is the table or alias of the row. The string consists
 * of stored counts: one read for all contacts, and one for each event that the condition names. The string does not
 * cover the members of other segments; see `moves_with_time`.
 */
export function freshness(segment: SQL): SQL {
  return sql`(SELECT coalesce((SELECT contacts_version FROM project_counts WHERE project_id = ${segment}.project_id), 0)
      || ':' || coalesce(sum(stored.count), 0) || ':' || coalesce(max(stored.last_at), 0)
    FROM audience_references r
    CROSS JOIN event_names stored ON stored.project_id = r.project_id AND stored.name = r.name
    WHERE r.project_id = ${segment}.project_id AND r.referrer = 'segment' AND r.referrer_id = ${segment}.id
      AND r.kind = 'event')`;
}
