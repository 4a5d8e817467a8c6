import { chunksOf } from "../../core/chunks";
import type { Id } from "../../core/ids";
import type { Priority } from "../../core/mail/priority";
import type { Queued } from "../../core/messages";
import { lostAfterMs, type Nudging, nudge } from "../../core/nudge";
import { secondMs } from "../../core/time";
import type { Context, Platform } from "../../platform/context";

/** How long an email may be due before its message counts as lost and the email is announced again. */
export const announceGraceMs = lostAfterMs;

/** An email above this size is handled alone, so that other emails do not wait while it takes up memory and time. */
export const largeMailBytes = 1_000_000;

/**
 * The maximum number of emails in one message, which is enough for a whole call of `/v1/send`. Mail that a consumer
 * cannot hand over at once waits in the table.
 */
const emailsPerMessage = 500;

/** An email that is retried at a later time. */
export interface Later {
  emailId: Id;
  retryAt: number;
}

/** Sends messages about these emails to the consumers of mail. */
export async function announceEmails(
  ctx: Nudging & Pick<Context, "project">,
  emails: { id: Id; priority: Priority }[],
): Promise<void> {
  const queued = [...Map.groupBy(emails, ({ priority }) => priority)].flatMap(([priority, together]) =>
    deliverMessages(
      ctx.project.number,
      priority,
      together.map(({ id }) => id),
    ),
  );
  await nudge(ctx, queued);
}

/**
 * Announces emails that are to be retried, each at its time. If a message is lost, a sweep announces the emails again.
 */
export async function announceLater(
  ctx: Nudging & Pick<Context, "project" | "clock">,
  priority: Priority,
  later: Later[],
  { isAgain = false }: { isAgain?: boolean } = {},
): Promise<void> {
  const now = ctx.clock().getTime();
  const queued = [...Map.groupBy(later, ({ retryAt }) => secondsUntil(retryAt, now))].flatMap(
    ([delaySeconds, together]) => {
      const emailIds = together.map(({ emailId }) => emailId);
      return deliverMessages(ctx.project.number, priority, emailIds, { isAgain, delaySeconds });
    },
  );
  await nudge(ctx, queued);
}

/**
 * Sends the `mail.drain` message that the account of `platform.mailer` has asked for, to arrive at `drainAt`. Does
 * nothing when `drainAt` is null.
 */
export async function sendForDrainer(
  platform: Nudging & Pick<Platform, "realClock" | "mailer" | "accounts"> & Partial<Pick<Context, "project">>,
  drainAt: number | null,
): Promise<void> {
  if (drainAt === null) return;
  const now = platform.realClock().getTime();
  const delaySeconds = drainAt > now ? secondsUntil(drainAt, now) : undefined;
  // The account does not list a project with a test clock, so the message names the project.
  const projectId = platform.project?.testClock ? { projectId: platform.project.number } : {};
  const { name } = platform.mailer;
  const provider = name === platform.accounts.main.mailer.name ? {} : { provider: name };
  await nudge(platform, [{ message: { type: "mail.drain", ...projectId, ...provider }, delaySeconds }]);
}

function deliverMessages(
  projectId: number,
  priority: Priority,
  emailIds: Id[],
  { isAgain = false, delaySeconds }: { isAgain?: boolean; delaySeconds?: number } = {},
): Queued[] {
  return chunksOf(emailIds, emailsPerMessage).map((chunk) => ({
    message: { type: "mail.deliver", projectId, priority, emailIds: chunk, ...(isAgain && { again: true }) },
    ...(delaySeconds !== undefined && { delaySeconds }),
  }));
}

/** Rounds up, because a message that arrives before the email is due would be wasted. */
function secondsUntil(at: number, now: number): number {
  return Math.max(1, Math.ceil((at - now) / secondMs));
}
