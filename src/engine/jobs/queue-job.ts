import { type SQL, sql } from "drizzle-orm";
import type { StoredJobType } from "../../core/jobs";
import type { JsonObject } from "../../core/json";
import { asText, columns } from "../../db/rows";
import { type Statement, statement } from "../../db/statement";
import type { Context } from "../../platform/context";
import { reasonOf } from "../../platform/log";
import { jobGraceMs } from "./job";

/** A job of the project, for the batch of the call that starts it. Returns its id, if it was written. */
export function insertJob(
  ctx: Context,
  job: { id: string; type: StoredJobType; input?: JsonObject; state?: JsonObject; onlyIf?: SQL },
): Statement<{ id: string }> {
  const { id, type, input = {}, state = {}, onlyIf = sql`true` } = job;
  const now = ctx.now.getTime();
  return statement(
    sql`INSERT INTO jobs (id, project_id, type, status, input, state, errors, created_at, next_announce_at)
      SELECT ${id}, ${ctx.project.id}, ${type}, 'queued', ${JSON.stringify(input)}, ${JSON.stringify(state)}, '[]', ${now},
        ${now + jobGraceMs}
      WHERE ${onlyIf}
      RETURNING id`,
    columns({ id: asText }),
  );
}

/** After the commit. When the message cannot be sent, the sweep finds the row. */
export async function announceJob(ctx: Context, type: StoredJobType, jobId: string): Promise<void> {
  try {
    await ctx.enqueue([{ job: { type, projectId: ctx.project.id, jobId } }]);
  } catch (error) {
    ctx.log("error", "A job could not be announced; the sweep will", { jobId, reason: reasonOf(error) });
  }
}
