import { chunksOf } from "../../core/chunks";
import type { Id } from "../../core/ids";
import type { Queued } from "../../core/messages";
import { minuteMs, secondMs } from "../../core/time";
import type { Context } from "../../platform/context";
import { reasonOf } from "../../platform/log";

/** A message without an effect for this long counts as lost. */
export const announceGraceMs = minuteMs;

/** Emails per message: few emails are rendered quickly, and a lost message delays few. */
const emailsPerMessage = 25;

/** A larger mail is handled alone, because others would wait for the memory and time that it takes. */
export const largeMailBytes = 1_000_000;
const largeMailsPerMessage = 5;

/** An email that is tried again at a time; null for one that is not. */
export interface Later {
  emailId: Id;
  retryAt: number | null;
}

/**
 * Announces rows to the consumers of mail. The rows are committed, so a failure here does no harm: the call is still
 * answered normally, and a sweep announces them again.
 */
export async function announceEmails(
  ctx: Pick<Context, "project" | "enqueue" | "log">,
  emailIds: Id[],
  size = 0,
): Promise<void> {
  const perMessage = size > largeMailBytes ? largeMailsPerMessage : emailsPerMessage;
  await enqueueOrLeaveToSweep(ctx, deliverNudges(ctx.project.number, emailIds, { perMessage }));
}

/** The messages for some emails of a project. `isAgain`: a consumer may have died of one of them. */
export function deliverNudges(
  projectId: number,
  emailIds: Id[],
  {
    isAgain = false,
    perMessage = emailsPerMessage,
    delaySeconds,
  }: { isAgain?: boolean; perMessage?: number; delaySeconds?: number },
): Queued[] {
  return chunksOf(emailIds, perMessage).map((chunk) => ({
    message: { type: "mail.deliver", projectId, emailIds: chunk, ...(isAgain && { again: true }) },
    ...(delaySeconds !== undefined && { delaySeconds }),
  }));
}

async function enqueueOrLeaveToSweep(
  ctx: Pick<Context, "project" | "enqueue" | "log">,
  queued: Queued[],
): Promise<void> {
  if (queued.length === 0) return;
  try {
    await ctx.enqueue(queued);
  } catch (error) {
    const projectId = ctx.project.id;
    ctx.log("error", "Mail could not be announced; the sweep will", { projectId, reason: reasonOf(error) });
  }
}

/** Announces emails that are to be tried again, each at its time. A sweep repairs lost messages. */
export async function announceLater(
  ctx: Pick<Context, "project" | "enqueue" | "log" | "clock">,
  later: Later[],
  { isAgain = false }: { isAgain?: boolean } = {},
): Promise<void> {
  const now = ctx.clock().getTime();
  const due = later.flatMap(({ emailId, retryAt }) =>
    retryAt === null ? [] : [{ emailId, delaySeconds: secondsUntil(retryAt, now) }],
  );
  const queued = [...Map.groupBy(due, ({ delaySeconds }) => delaySeconds)].flatMap(([delaySeconds, together]) => {
    const emailIds = together.map(({ emailId }) => emailId);
    return deliverNudges(ctx.project.number, emailIds, { isAgain, delaySeconds });
  });
  await enqueueOrLeaveToSweep(ctx, queued);
}

/** Rounded up, because a message that comes too early finds an email that is not due, and is spent. */
function secondsUntil(at: number, now: number): number {
  return Math.max(1, Math.ceil((at - now) / secondMs));
}
