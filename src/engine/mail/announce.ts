import { chunksOf } from "../../core/chunks";
import type { Job, Nudge } from "../../core/jobs";
import { minuteMs, secondMs } from "../../core/time";
import type { Context } from "../../platform/context";
import { reasonOf } from "../../platform/log";

/** A message that has not been acted on for this long counts as lost. */
export const announceGraceMs = minuteMs;

/** Emails one message names: a few are rendered quickly, and a lost message delays few. */
export const emailsPerMessage = 25;

/** A larger mail is handled alone: what it takes of memory and time, others would have to wait for. */
export const largeMailBytes = 1_000_000;
const largeMailsPerMessage = 5;

/**
 * Tells the consumers of mail that these rows are ready. The rows are committed, so this may fail: the call that
 * made them is still answered well, and a sweep announces them again.
 */
export async function announceEmails(
  ctx: Pick<Context, "project" | "enqueue" | "log">,
  emailIds: string[],
  size = 0,
): Promise<void> {
  const perMessage = size > largeMailBytes ? largeMailsPerMessage : emailsPerMessage;
  const nudges = chunksOf(emailIds, perMessage).map((chunk) => ({ job: deliverJob(ctx, chunk) }));
  await enqueueOrLeaveToSweep(ctx, nudges);
}

function deliverJob(ctx: Pick<Context, "project">, emailIds: string[]): Job {
  return { type: "mail.deliver", projectId: ctx.project.id, emailIds };
}

async function enqueueOrLeaveToSweep(
  ctx: Pick<Context, "project" | "enqueue" | "log">,
  nudges: Nudge[],
): Promise<void> {
  if (nudges.length === 0) return;
  try {
    await ctx.enqueue(nudges);
  } catch (error) {
    const projectId = ctx.project.id;
    ctx.log("error", "Mail could not be announced; the sweep will", { projectId, reason: reasonOf(error) });
  }
}

/** Messages for those of the results that are to be tried again, each at its time. A sweep finds lost ones. */
export async function announceRetries(
  ctx: Pick<Context, "project" | "enqueue" | "log" | "clock">,
  results: { emailId: string; retryAt: number | null }[],
): Promise<void> {
  const now = ctx.clock().getTime();
  const due = results.flatMap(({ emailId, retryAt }) =>
    retryAt === null ? [] : [{ emailId, delaySeconds: secondsUntil(retryAt, now) }],
  );
  const nudges = [...Map.groupBy(due, ({ delaySeconds }) => delaySeconds)].flatMap(([delaySeconds, together]) =>
    chunksOf(together, emailsPerMessage).map((chunk) => ({
      job: deliverJob(
        ctx,
        chunk.map(({ emailId }) => emailId),
      ),
      delaySeconds,
    })),
  );
  await enqueueOrLeaveToSweep(ctx, nudges);
}

/** Rounded up: a message that comes a moment early finds an email that is not due, and is spent. */
export function secondsUntil(at: number, now: number): number {
  return Math.max(1, Math.ceil((at - now) / secondMs));
}
