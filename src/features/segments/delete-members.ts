import { type SQL, sql } from "drizzle-orm";
import { z } from "zod";
import { commit, statement } from "../../db/commit";
import type { JobRow } from "../../db/tables";
import { endJob, type Step, stillAt } from "../../engine/jobs/work";
import type { Context } from "../../platform/context";

const rowsPerStep = 1_000;

const Input = z.object({ segmentId: z.string() });

/** A step of `segments.delete-members`: the rows of a segment that is gone. */
export async function deleteMembersStep(ctx: Context, row: JobRow): Promise<Step> {
  const { segmentId } = Input.parse(row.input);
  const [, deleted = []] = await commit(ctx.db, [stillAt(ctx, row), deleteMembers(ctx, segmentId)]);
  if (deleted.length === rowsPerStep) return "goes on";
  await commit(ctx.db, [stillAt(ctx, row), endJob(ctx, row, { status: "completed" })]);
  return "ended";
}

/** The statement that deletes the next of them. Returns a row for each. */
export function deleteMembers(ctx: Context, segmentId: string): D1PreparedStatement {
  const next = sql`SELECT rowid FROM segment_members WHERE ${isMemberOf(ctx, segmentId)} LIMIT ${rowsPerStep}`;
  return statement(ctx.db, sql`DELETE FROM segment_members WHERE rowid IN (${next}) RETURNING 1`);
}

export function isMemberLeft(ctx: Context, segmentId: string): SQL {
  return sql`EXISTS (SELECT 1 FROM segment_members WHERE ${isMemberOf(ctx, segmentId)})`;
}

function isMemberOf(ctx: Context, segmentId: string): SQL {
  return sql`project_id = ${ctx.project.id} AND segment_id = ${segmentId}`;
}
