import { type SQL, sql } from "drizzle-orm";

/** A tick of cron comes some time in its minute. What is due with the next one is due with one that comes sooner. */
export const tickJitterMs = 30_000;

/**
 * What a project's contacts and events are at this moment, as a text that moves when any of them does: a figure that
 * was made of them is as good as new while it stands still. Asked before the figure is made.
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
