import { type SQL, sql } from "drizzle-orm";
import { publicId } from "../../core/ids";
import { membershipEvents } from "../../core/segments/slug";
import type { Statement } from "../../db/statement";
import type { SegmentRow } from "../../db/tables";
import { insertEvents } from "../../engine/events/record";
import type { Context } from "../../platform/context";

/** Returns a condition on the contact `c`: the contact has a member row of the segment. */
export function isMember({ projectId, id }: Pick<SegmentRow, "projectId" | "id">): SQL {
  return sql`EXISTS (SELECT 1 FROM segment_members m
    WHERE m.project_id = ${projectId} AND m.segment_id = ${id} AND m.contact_id = c.id)`;
}

/**
 * Inserts the events of contacts that enter or leave a segment. `who` is a FROM and a WHERE clause that select the
 * contacts `c`. `who` reads the members, so the statement must precede the change of members in its batch.
 */
export function insertMembershipEvents(ctx: Context, segment: SegmentRow, what: "entry" | "exit", who: SQL): Statement {
  const data = JSON.stringify({ segmentId: publicId(segment.id), segmentName: segment.name });
  const rows = sql`SELECT c.project_id, ${membershipEvents(segment)[what]} AS name, c.id AS contact_id, NULL AS email_id,
    ${data} AS data ${who}`;
  return insertEvents(ctx, { rows });
}
