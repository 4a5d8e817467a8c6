import { type SQL, sql } from "drizzle-orm";

/** A tick of cron comes at some time in its minute, so it may come early. A sweep also takes what is due this soon. */
export const tickJitterMs = 30_000;

/**
 * A text that changes when any contact of the project does, or an event that the segment's condition names. While it
 * stays the same, a figure that was made of them is as good as new. It is read before the figure is made. `segment` is the
 * row's table or alias. The text is made of kept figures: one look for all contacts, and one for each event that the
 * references of the condition name. What other segments are is not in it; see `movesWithTime`.
 */
export function freshness(segment: SQL): SQL {
  return sql`(SELECT coalesce((SELECT contacts_version FROM project_counts WHERE project_id = ${segment}.project_id), 0)
      || ':' || coalesce(sum(kept.count), 0) || ':' || coalesce(max(kept.last_at), 0)
    FROM audience_references r
    CROSS JOIN event_names kept ON kept.project_id = r.project_id AND kept.name = r.name
    WHERE r.project_id = ${segment}.project_id AND r.referrer = 'segment' AND r.referrer_id = ${segment}.id
      AND r.kind = 'event')`;
}

/**
 * Can members come and go while nothing happens, because time passes? A window has a unit; another segment may have one.
 * A text in a condition that only looks like it costs a computation and nothing else.
 */
export function movesWithTime(condition: SQL): SQL {
  return sql`(instr(${condition}, '"unit"') > 0 OR instr(${condition}, 'emberOfSegment"') > 0)`;
}
