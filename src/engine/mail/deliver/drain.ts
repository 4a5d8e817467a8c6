import { belowAllIds, newId, textOf } from "../../../core/ids";
import { maxCallsAtOnce } from "../../../core/mail/permits";
import { laneOf, priorities } from "../../../core/mail/priority";
import { paceOf } from "../../../core/mail/project-pace";
import type { MailCursor } from "../../../core/mail/ring";
import type { Done, Turn } from "../../../core/mail/turns";
import type { MessageOf } from "../../../core/messages";
import { secondMs } from "../../../core/time";
import { type Context, forProject, type Platform } from "../../../platform/context";
import { reasonOf } from "../../../platform/log";
import { accountNamed, isStandIn, through } from "../../../platform/mailer/accounts";
import { findProject } from "../../projects/project";
import { sendForDrainer } from "../announce";
import { deliverPermitted } from "./deliver";
import { findOwn, findProbe, findWaiting } from "./find-waiting";

/**
 * A consumer begins no new turn after this time, so that another message of its queue can run. Its last turn may take a
 * minute more.
 */
const shiftMs = 20 * secondMs;

/**
 * The longest wait through which a consumer sleeps. If the wait is longer, the consumer ends, and sends a message that
 * arrives when the wait is over.
 */
const maxSleepMs = 2 * secondMs;

/**
 * The maximum number of emails of a turn that handles each email alone, because a consumer may have died while handling
 * one of them.
 */
const suspectsPerTurn = 25;

/**
 * Drains waiting mail of all projects, turn by turn, in the order that the provider's account decides. Several
 * consumers may drain at once. If one of them dies, its permit expires, and the other consumers continue.
 */
export async function drainMail(given: Platform, { projectId, provider }: MessageOf<"mail.drain">): Promise<void> {
  if (projectId !== undefined) return drainProject(given, projectId);
  const account = provider === undefined ? given.accounts.main : accountNamed(given.accounts, provider);
  // The account is no longer configured. The sweep finds the mail that waited for it.
  if (account === null) return;
  const platform = through(given, account);
  const now = () => platform.clock().getTime();
  const endsAt = now() + shiftMs;
  let done: Done | null = null;
  let roundsLeft = platform.maxRounds;
  for (;;) {
    const permitId = textOf(newId());
    const next = await platform.pace.nextTurn({ permitId, done });
    done = null;
    if (next.kind === "nothing to do") return;
    if (next.kind === "wait") {
      const waitMs = next.until - now();
      if (waitMs > maxSleepMs || now() >= endsAt) return sendForDrainer(platform, next.until);
      await platform.sleep(waitMs);
      continue;
    }
    await sendForDrainer(platform, next.drainAt);
    const taken = await takeTurn({ ...platform, maxRounds: roundsLeft }, permitId, next.turn);
    done = taken.done;
    roundsLeft -= Math.max(1, taken.rounds);
    if (now() < endsAt && roundsLeft > 0 && !platform.cpu.isSpent() && platform.spent.hasLeft()) continue;
    const { drainAt } = await platform.pace.giveBack([done]);
    return sendForDrainer(platform, drainAt);
  }
}

/** A finished turn, and the number of its rounds. */
interface Taken {
  done: Done;
  rounds: number;
}

async function takeTurn(platform: Platform, permitId: string, turn: Turn): Promise<Taken> {
  const unused: Done = { permitId, verdict: { kind: "unused" }, calls: 0, hasMore: false, isOver: true };
  try {
    const project = await findProject(platform, turn.project);
    // A deleted project has no mail.
    return project ? await deliverTurn(forProject(platform, project), permitId, turn) : { done: unused, rounds: 0 };
  } catch (error) {
    return { done: fail(platform, turn, unused, error), rounds: 0 };
  }
}

/** The result for a turn in which the project's pace allows no mail. */
const nothing: Awaited<ReturnType<typeof findWaiting>> = { emailIds: [], cursor: null };

/** A position before all mail. */
const beginning: MailCursor = { dueAt: 0, id: belowAllIds };

async function deliverTurn(ctx: Context, permitId: string, turn: Turn): Promise<Taken> {
  const mails = turn.isSuspect ? Math.min(turn.mails, suspectsPerTurn) : turn.mails;
  const perSecond = paceOf(ctx, turn.priority);
  const share = perSecond === null ? mails : await ctx.pace.takeShare(permitId, { perSecond, mails });
  const { emailIds, cursor } = share === 0 ? nothing : await findMails(ctx, { ...turn, mails: share });
  await ctx.pace.readUpTo(permitId, { cursor, mails: emailIds.length });
  if (emailIds.length === 0) {
    return { done: { permitId, verdict: { kind: "unused" }, calls: 0, hasMore: false }, rounds: 0 };
  }
  const permit = { id: permitId, ...turn };
  const { done, rounds, error } = await deliverPermitted(ctx, permit, emailIds, { isAgain: turn.isSuspect });
  return { done: error === null ? done : fail(ctx, turn, done, error), rounds };
}

/**
 * Finds the mail of a turn. A probe is one email that is taken out of order, so the cursor does not move. If no mail is
 * found for a probe, the next page is read as usual. Once the main account works again, the account that stood in for
 * it takes only mail whose outcome it alone can settle.
 */
async function findMails(ctx: Context, turn: Turn): ReturnType<typeof findWaiting> {
  if (
    isStandIn(ctx.accounts, ctx.mailer, laneOf(turn.priority)) &&
    !(await ctx.accounts.main.pace.isTransactionalDown())
  ) {
    return findOwn(ctx, turn);
  }
  const probe = turn.isProbe ? await findProbe(ctx, turn) : [];
  if (probe.length === 0) return findWaiting(ctx, turn);
  return { emailIds: probe, cursor: turn.after ?? beginning };
}

/**
 * Ends a failed turn, while other projects' turns continue. The sweep finds this project's mail later, because an
 * immediate retry would also fail.
 */
function fail({ log }: Platform, { project }: Turn, done: Done, error: unknown): Done {
  log("error", "Waiting mail could not be delivered; the sweep will find it again", {
    project,
    reason: reasonOf(error),
  });
  return { ...done, isOver: true };
}

async function drainProject(platform: Platform, projectId: number): Promise<void> {
  const project = await findProject(platform, projectId);
  if (!project) return;
  const ctx = forProject(platform, project);
  if ((await deliverWaiting(ctx)).hasMore) await sendForDrainer(ctx, 0);
}

const mailsPerPage = 100;
const maxPages = 20;

/**
 * Delivers up to `maxPages` pages of waiting mail of a project with a test clock, whose mail waits for no account.
 * Other consumers may deliver the same mail.
 */
export async function deliverWaiting(ctx: Context): Promise<{ hasFound: boolean; hasMore: boolean }> {
  let pages = 0;
  for (const priority of priorities) {
    let after: Turn["after"] = null;
    do {
      if (pages === maxPages || ctx.cpu.isSpent() || !ctx.spent.hasLeft()) return { hasFound: true, hasMore: true };
      const { emailIds, cursor } = await findWaiting(ctx, { priority, after, mails: mailsPerPage });
      after = cursor;
      if (emailIds.length === 0) continue;
      pages += 1;
      const id = textOf(newId());
      const permit = { id, priority, calls: emailIds.length, callsAtOnce: maxCallsAtOnce, mails: emailIds.length };
      const { error } = await deliverPermitted(ctx, permit, emailIds, { isAgain: false });
      if (error !== null) throw error;
    } while (after !== null);
  }
  return { hasFound: pages > 0, hasMore: false };
}
