import { sql } from "drizzle-orm";
import { publicId } from "../../core/ids";
import { dayMs } from "../../core/time";
import { openBatch } from "../../db/batch";
import { asNumber, columns } from "../../db/rows";
import { type Statement, statement } from "../../db/statement";
import type { JobRow } from "../../db/tables";
import type { Context } from "../../platform/context";
import { reasonOf } from "../../platform/log";
import { MovedOn, updateEnded } from "./step";

/** How long the runs of a job may fail, without a step between them, until it is given up. */
const maxFailingMs = dayMs;

const givenUp =
  "This work failed repeatedly for a day and was stopped. What was done before that stays done. Start it again; if it " +
  "fails again, ask whoever runs this installation: the log has the cause.";

/**
 * Whether a job is given up in the end, and what that frees, so that the next call or sweep can start anew. `null` is for
 * work that nobody could ask for again: it must be done some day, so its runs go on.
 */
export type Release = ((ctx: Context, row: JobRow) => Statement[]) | null;

/**
 * Takes note that a run of the job has failed. True when that was one time too many, and the job has ended. Two runs may
 * fail at once, or one while the other makes a step: it ends only if it has been failing all the time.
 */
export async function noteFailure(ctx: Context, row: JobRow, error: unknown, release: Release): Promise<boolean> {
  const now = ctx.realClock().getTime();
  const noting = openBatch(ctx);
  const noted = noting.add(
    statement(
      sql`UPDATE jobs SET failing_since = coalesce(failing_since, ${now})
        WHERE project_id = ${ctx.project.number} AND id = ${row.id} AND status IN ('queued', 'processing')
        RETURNING failing_since`,
      columns({ failingSince: asNumber }),
    ),
  );
  await noting.commit();
  const since = noted.first?.failingSince;
  if (since === undefined || release === null || since > now - maxFailingMs) return false;
  const ending = openBatch(ctx);
  ending.guard(
    sql`EXISTS (SELECT 1 FROM jobs WHERE project_id = ${ctx.project.number} AND id = ${row.id}
      AND status IN ('queued', 'processing') AND failing_since = ${since})`,
    () => new MovedOn(),
  );
  ending.addAll(release(ctx, row));
  ending.add(
    updateEnded(ctx, row, {
      status: "failed",
      reason: givenUp,
      progress: row.progress,
      result: sql`result`,
    }),
  );
  await ending.commit();
  ctx.log("error", "A job was given up after a day of failing", {
    jobId: publicId(row.id),
    type: row.type,
    reason: reasonOf(error),
  });
  return true;
}
