import { sql } from "drizzle-orm";
import { publicId } from "../../core/ids";
import { dayMs } from "../../core/time";
import { openBatch } from "../../db/batch";
import { asNumber, columns } from "../../db/rows";
import { inProject } from "../../db/scope";
import { type Statement, statement } from "../../db/statement";
import type { JobRow } from "../../db/tables";
import type { Context } from "../../platform/context";
import { reasonOf } from "../../platform/log";
import { MovedOn, updateEnded } from "./step";

/** A job whose runs have failed for this long, without a completed step in between, is given up. */
const maxFailingMs = dayMs;

const givenUp =
  "This work failed repeatedly for a day and was stopped. What was done before that stays done. Start it again; if it " +
  "fails again, ask the operator of this installation: the log has the cause.";

/**
 * Returns the statements that free what a job holds when the job is given up, so that a later call or sweep can start
 * the work again. `null` marks a job that is never given up, because no call would start its work again.
 */
export type Release = ((ctx: Context, row: JobRow) => Statement[]) | null;

/**
 * Records a failed run of the job. Returns true when the job had been failing for too long and was ended. Runs may
 * overlap, so the job is only ended if no step has succeeded since this failure was recorded.
 */
export async function recordFailure(ctx: Context, row: JobRow, error: unknown, release: Release): Promise<boolean> {
  const now = ctx.realClock().getTime();
  const recording = openBatch(ctx);
  const recorded = recording.add(
    statement(
      sql`UPDATE jobs SET failing_since = coalesce(failing_since, ${now})
        WHERE ${inProject(ctx)} AND id = ${row.id} AND status IN ('queued', 'processing')
        RETURNING failing_since`,
      columns({ failingSince: asNumber }),
    ),
  );
  await recording.commit();
  const since = recorded.first?.failingSince;
  if (since === undefined || release === null || since > now - maxFailingMs) return false;
  const ending = openBatch(ctx);
  ending.guard(
    sql`EXISTS (SELECT 1 FROM jobs WHERE ${inProject(ctx)} AND id = ${row.id}
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
