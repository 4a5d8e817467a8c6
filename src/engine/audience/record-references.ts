import { sql } from "drizzle-orm";
import type { References, Referrer } from "../../core/audience/references";
import { type Id, readId } from "../../core/ids";
import { inProject } from "../../db/scope";
import { type Statement, statement } from "../../db/statement";
import type { Context } from "../../platform/context";

/**
 * Replaces the stored references of a segment, campaign or workflow: the fields, events and segments that its
 * conditions name. The statements belong in the batch that saves the referrer. A batch that deletes the referrer passes
 * no references.
 */
export function replaceReferences(
  ctx: Context,
  by: { referrer: Referrer; id: Id; name: string },
  { fields = [], events = [], segments = [] }: Partial<References>,
): Statement[] {
  const references = JSON.stringify({ field: fields, event: events, segment: segments.map(readId) });
  return [
    statement(
      // Without the hint, SQLite scans all rows of the project in the primary key.
      sql`DELETE FROM audience_references INDEXED BY ix_audience_references_referrer
        WHERE ${inProject(ctx)} AND referrer = ${by.referrer} AND referrer_id = ${by.id}`,
    ),
    statement(
      sql`INSERT INTO audience_references (project_id, kind, name, referrer, referrer_id, referrer_name)
        SELECT DISTINCT ${ctx.project.number}, kinds.key, names.value, ${by.referrer}, ${by.id}, ${by.name}
        FROM json_each(${references}) kinds CROSS JOIN json_each(kinds.value) names`,
    ),
  ];
}
