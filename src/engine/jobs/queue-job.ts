import { type SQL, sql } from "drizzle-orm";
import { type Id, publicId } from "../../core/ids";
import type { StoredJobType } from "../../core/jobs";
import { asId, columns } from "../../db/rows";
import { type Statement, statement } from "../../db/statement";
import type { Context } from "../../platform/context";
import { reasonOf } from "../../platform/log";
import { type JobNotes, jobGraceMs } from "./job";

/** A job of the project, for the batch of the call that starts it. Returns its id, if it was written. */
export function insertJob(
  ctx: Context,
  job: { id: Id; type: StoredJobType; input?: JobNotes; state?: JobNotes; onlyIf?: SQL },
): Statement<{ id: Id }> {
  const { id, type, input = {}, state = {}, onlyIf = sql`true` } = job;
  const now = ctx.now.getTime();
  return statement(
    sql`INSERT INTO jobs (project_id, id, type, status, input, state, errors, created_at, next_announce_at)
      SELECT ${ctx.project.number}, ${id}, ${type}, 'queued', ${JSON.stringify(input)}, ${JSON.stringify(state)}, '[]', ${now},
        ${now + jobGraceMs}
      WHERE ${onlyIf}
      RETURNING id`,
    columns({ id: asId }),
  );
}

/** After the commit. When the message cannot be sent, the sweep finds the row. */
export async function announceJob(ctx: Context, type: StoredJobType, jobId: Id): Promise<void> {
  try {
    await ctx.enqueue([{ job: { type, projectId: ctx.project.number, jobId } }]);
  } catch (error) {
    ctx.log("error", "A job could not be announced; the sweep will", {
      jobId: publicId(jobId),
      reason: reasonOf(error),
    });
  }
}
