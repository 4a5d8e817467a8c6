import { sql } from "drizzle-orm";
import { z } from "zod";
import { type Id, asId as idOf } from "../../core/ids";
import { openBatch } from "../../db/batch";
import { asId, columns } from "../../db/rows";
import { inProject } from "../../db/scope";
import { type Statement, statement } from "../../db/statement";
import type { JobRow } from "../../db/tables";
import { guardState, type Step, updateEnded } from "../../engine/jobs/step";
import type { Context } from "../../platform/context";

const rowsPerStep = 1_000;

const DeleteMembersInput = z.object({ segmentId: z.string().transform(idOf) });

/** Runs a step of `segments.delete-members`: deletes the member rows of a segment that was purged from the trash. */
export async function deleteMembersStep(ctx: Context, row: JobRow): Promise<Step> {
  const { segmentId } = DeleteMembersInput.parse(row.input);
  const next = openBatch(ctx);
  next.add(guardState(ctx, row));
  const deleted = next.add(deleteMembers(ctx, segmentId));
  await next.commit();
  if (deleted.count === rowsPerStep) return "goes on";
  const last = openBatch(ctx);
  last.addAll([guardState(ctx, row), updateEnded(ctx, row, { status: "completed" })]);
  await last.commit();
  return "ended";
}

/** Deletes the next member rows of a segment: at most `rowsPerStep`. */
function deleteMembers(ctx: Context, segmentId: Id): Statement<{ contactId: Id }> {
  const isMember = sql`${inProject(ctx)} AND segment_id = ${segmentId}`;
  const next = sql`SELECT contact_id FROM segment_members WHERE ${isMember} LIMIT ${rowsPerStep}`;
  return statement(
    sql`DELETE FROM segment_members WHERE ${isMember} AND contact_id IN (${next}) RETURNING contact_id`,
    columns({ contactId: asId }),
  );
}
