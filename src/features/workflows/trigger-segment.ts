import { sql } from "drizzle-orm";
import { segmentOfEvent } from "../../core/events/activity-types";
import type { TriggerSegment } from "../../core/workflows/issues";
import type { Trigger } from "../../core/workflows/trigger";
import { asOneOf, asText, columns, orNull } from "../../db/rows";
import { inProject } from "../../db/scope";
import { select } from "../../db/statement";
import type { Context } from "../../platform/context";

/**
 * Returns the segment whose events start the workflow, with everything that the segment names, directly or through
 * other segments. Returns null if the workflow is not started by a segment.
 */
export async function triggerSegment(ctx: Context, trigger: Trigger): Promise<TriggerSegment | null> {
  const eventName = trigger.triggerType === "EVENT" ? trigger.triggerConfig.eventName : null;
  const slug = eventName === null ? null : segmentOfEvent(eventName);
  if (slug === null) return null;
  const bySegment = sql`${inProject(ctx, "r")} AND r.referrer = 'segment'`;
  const rows = await select(
    ctx.db,
    sql`WITH RECURSIVE own AS MATERIALIZED (
        SELECT id, name FROM segments WHERE ${inProject(ctx)} AND slug = ${slug}),
      named (id) AS (
        SELECT id FROM own
        UNION SELECT r.name FROM named CROSS JOIN audience_references r INDEXED BY ix_audience_references_referrer
          ON ${bySegment} AND r.referrer_id = named.id AND r.kind = 'segment')
      SELECT own.name AS segment, r.kind, r.name FROM own CROSS JOIN named
      LEFT JOIN audience_references r INDEXED BY ix_audience_references_referrer
        ON ${bySegment} AND r.referrer_id = named.id AND r.kind IN ('field', 'event')`,
    columns({ segment: asText, kind: orNull(asOneOf<"field" | "event">()), name: orNull(asText) }),
  );
  const [first] = rows;
  if (first === undefined) return null;
  const named = (kind: string) => rows.flatMap((row) => (row.kind === kind && row.name !== null ? [row.name] : []));
  return { name: first.segment, references: { fields: named("field"), events: named("event") } };
}
