import { sql } from "drizzle-orm";
import { type Id, timeOf } from "../../../core/ids";
import type { RetryableStatus } from "../../../core/mail/status";
import { type Batch, openBatch, type Rows } from "../../../db/batch";
import { Stale, untilFresh } from "../../../db/fresh";
import { inProject } from "../../../db/scope";
import type { JobRow } from "../../../db/tables";
import { updateMarked, updateOpen } from "../../../engine/campaigns/mark-pages";
import { guardState, type Step, updateEnded, updateState } from "../../../engine/jobs/step";
import type { Context } from "../../../platform/context";
import { announceReopened, type Reopened, updateReopened } from "../reopen";
import { type Allotted, allot, takeQuota } from "./allot";
import { type Ended, findEnded } from "./find-ended";
import { RetryInput, resultOf, stateAfter, stateOf } from "./retry-job";
import type { RetryResult } from "./schema";

/**
 * Runs a step of `emails.retry`: sends the next emails again, each by the rules of `POST /emails/{id}/retry`. If an
 * email has changed since it was read, the batch fails and the step starts over.
 */
export async function retryEmailsStep(ctx: Context, row: JobRow): Promise<Step> {
  const input = RetryInput.parse(row.input);
  return untilFresh(async () => {
    const found = await findEnded(ctx, input, stateOf(row).after);
    if (found === null) return end(ctx, row);
    const allotted = await allot(ctx, input.status, found.ended);
    const now = ctx.clock().getTime();
    const batch = openBatch(ctx);
    batch.add(guardState(ctx, row));
    batch.add(
      updateState(ctx, row, stateAfter(found.last), progressAt(input, found.last), {
        result: sql`${JSON.stringify(resultAfter(row, allotted))}`,
      }),
    );
    const reopened = allotted.retried.length === 0 ? null : reopen(ctx, batch, input.status, allotted.retried, now);
    await batch.commit();
    if (reopened !== null) await announceReopened(ctx, reopened.all, now);
    return "goes on";
  }, ctx.random);
}

function reopen(ctx: Context, batch: Batch, status: RetryableStatus, retried: Ended[], now: number): Rows<Reopened> {
  const ids = JSON.stringify(retried.map(({ id }) => id));
  const from = sql`json_each(${ids}) r CROSS JOIN emails e`;
  const where = sql`${inProject(ctx, "e")} AND e.id = r.value`;
  const isChanged = sql`(e.status <> ${status} OR e.is_forgotten)`;
  batch.guard(sql`NOT EXISTS (SELECT 1 FROM ${from} WHERE ${where} AND ${isChanged})`, () => new Stale());
  if (retried.some(({ campaignId }) => campaignId !== null)) {
    batch.addAll([updateOpen(where, from), updateMarked(ctx, { from, where })]);
  }
  // UNKNOWN emails have never given back their quota.
  if (status !== "UNKNOWN") takeQuota(ctx, batch, retried);
  return batch.add(updateReopened(sql`${inProject(ctx)} AND id IN (SELECT value FROM json_each(${ids}))`, now));
}

/** Returns the progress in percent: how much of the time between the first and the last email is processed. */
function progressAt({ range }: RetryInput, last: Id): number {
  if (range === null) return 0;
  const start = timeOf(range.first);
  return (100 * (timeOf(last) - start)) / Math.max(1, timeOf(range.last) - start);
}

function resultAfter(row: JobRow, { retried, gone, overLimit }: Allotted): RetryResult {
  const before = resultOf(row);
  return {
    retried: before.retried + retried.length,
    skipped: {
      content_gone: before.skipped.content_gone + gone,
      monthly_limit: before.skipped.monthly_limit + overLimit,
    },
  };
}

async function end(ctx: Context, row: JobRow): Promise<Step> {
  const batch = openBatch(ctx);
  batch.add(guardState(ctx, row));
  batch.add(updateEnded(ctx, row, { status: "completed", result: resultOf(row) }));
  await batch.commit();
  return "ended";
}
