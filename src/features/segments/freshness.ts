import { type SQL, sql } from "drizzle-orm";

/** A tick of cron comes at some time in its minute, so it may come early. A sweep also takes what is due this soon. */
export const tickJitterMs = 30_000;

/**
 * A text that changes when any contact or event of the project does. While it stays the same, a figure that was made of
 * them is as good as new. It is read before the figure is made.
 */
export function freshness(projectId: SQL): SQL {
  return sql`(SELECT coalesce((SELECT version FROM contact_counts WHERE project_id = ${projectId}), 0) || ':'
    || coalesce(sum(count), 0) || ':' || coalesce(max(last_at), 0) FROM event_names WHERE project_id = ${projectId})`;
}

/**
 * Can members come and go while nothing happens, because time passes? A window has a unit; another segment may have one.
 * A text in a condition that only looks like it costs a computation and nothing else.
 */
export function movesWithTime(condition: SQL): SQL {
  return sql`(instr(${condition}, '"unit"') > 0 OR instr(${condition}, 'emberOfSegment"') > 0)`;
}
