import { type Id, newId, textOf } from "../../core/ids";
import type { Verdict } from "../../core/mail/breaker";
import type { Grant } from "../../core/mail/permits";
import type { Priority } from "../../core/mail/priority";
import type { Done } from "../../core/mail/turns";
import { minuteMs } from "../../core/time";
import type { EmailRow } from "../../db/tables";
import type { Context } from "../../platform/context";
import { reasonOf } from "../../platform/log";
import { announceLater, type Later, sendForDrainer } from "./announce";
import { callsOf, makeCalls } from "./calls";
import { composeRound } from "./compose";
import { type Delivery, findDue, readDelivery } from "./delivery";
import { type Ready, recordAndHand, uncalledOf } from "./hand-over";
import { hasSlot, slotComesBackMs } from "./memory-slot";
import { nextRound, type Waiting } from "./plan-round";
import { paceOf } from "./project-pace";
import { putOff } from "./put-off";
import type { Result } from "./record";
import { recordAndNote } from "./record-called";
import { writeDown } from "./write-down";

/** A permit to call the provider: see core/mail/turns.ts. */
export interface Permit extends Grant {
  id: string;
  priority: Priority;
}

/** Each round of a slow provider may take 30 s. After this, the rest goes back to the waiting mail. */
const maxDeliveryMs = minuteMs;

/** How long emails that cannot be composed wait: a quarter of their age, so that each wait is longer than the last. */
const putOffMs = { least: minuteMs, most: 15 * minuteMs };

/**
 * Hands fresh emails of a project to the provider, as many as it takes now. The others wait in their rows, without a write
 * and without a message: when their turn comes, a drainer reads them.
 *
 * A message may come twice, late, or while another consumer is at work: only an email's row decides what happens to it.
 *
 * `isAgain` says that a consumer may have died of these emails. Then each is taken alone, and its row says so before it
 * is composed: an email that no consumer survives ends as FAILED.
 */
export async function deliverEmails(
  ctx: Context,
  priority: Priority,
  emailIds: Id[],
  { isAgain = false }: { isAgain?: boolean } = {},
): Promise<void> {
  const isPaced = paceOf(ctx, priority) !== null;
  const wish = { permitId: textOf(newId()), project: ctx.project.number, priority, mails: emailIds.length, isPaced };
  const { drainAt, ...grant } = await ctx.pace.ask(wish);
  await sendForDrainer(ctx, drainAt);
  if (grant.mails === 0) return;
  const permit = { id: wish.permitId, priority, ...grant };
  const { done, error } = await deliverPermitted(ctx, permit, emailIds.slice(0, grant.mails), { isAgain });
  const given = await ctx.pace.giveBack(done);
  await sendForDrainer(ctx, given.drainAt);
  if (error !== null) throw error;
}

/** The state of a delivery that its permit must be told. */
interface Progress {
  verdict: Verdict;
  calls: number;
  hasMore: boolean;
  rounds: number;
}

/** Delivers emails with a permit. An error is returned, because the permit has to be given back all the same. */
export async function deliverPermitted(
  ctx: Context,
  permit: Permit,
  emailIds: Id[],
  { isAgain }: { isAgain: boolean },
): Promise<{ done: Done; rounds: number; error: unknown }> {
  const progress: Progress = { verdict: { kind: "unused" }, calls: 0, hasMore: false, rounds: 0 };
  const end = (error: unknown) => {
    const { rounds, ...done } = progress;
    return { done: { permitId: permit.id, ...done }, rounds, error };
  };
  try {
    const delivery = await readDelivery(ctx, emailIds, { isAgain });
    try {
      await deliverRounds(ctx, permit, delivery, progress);
    } finally {
      delivery.slot?.giveBack();
    }
    return end(null);
  } catch (error) {
    progress.hasMore = true;
    return end(error);
  }
}

/**
 * Round by round: compose, hand over, call, record. Nothing is written before the hand-over, so waiting mail costs no
 * writes, and a consumer that dies there loses nothing; one that dies later leaves only that round uncertain.
 */
async function deliverRounds(ctx: Context, permit: Permit, delivery: Delivery, progress: Progress): Promise<void> {
  const endsAt = ctx.realClock().getTime() + maxDeliveryMs;
  const callsAtOnce = Math.min(permit.callsAtOnce, ctx.callsAtOnce);
  const leftover: Leftover = { retries: [], slotless: [], failed: [] };
  let waiting: Waiting = { emails: delivery.emails, repeats: delivery.repeats };
  let called: Result[] = [];
  let refused: Ready[] = [];
  try {
    while (waiting.emails.length + waiting.repeats.length > 0) {
      const isOver = progress.rounds >= ctx.maxRounds || ctx.cpu.isSpent();
      if (isOver || (progress.calls > 0 && !(await mayGoOn(ctx, permit, progress, endsAt)))) {
        progress.hasMore = true;
        break;
      }
      progress.rounds += 1;
      const planned = nextRound(ctx, delivery, waiting, callsAtOnce);
      waiting = without(waiting, planned.emails);
      if (!(await hasSlot(ctx, delivery, planned.emails))) {
        leftover.slotless.push(...planned.emails);
        continue;
      }
      if (delivery.isAgain) {
        await recordAndNote(ctx, called, planned.emails).catch(async (error) => {
          await writeDown(ctx, { results: called, uncalled: [], noted: idsOf(planned.emails) });
          called = [];
          throw error;
        });
        called = [];
      }
      const composed = await composeRound(ctx, delivery, planned.emails, { isWhole: planned.kind === "repeat" });
      const { next, ended, failed } = callsOf(planned, composed);
      leftover.failed.push(...failed);
      const handedAt = ctx.realClock().getTime();
      const handedOver = await recordAndHand(ctx, { called, refused, ended, next, handedAt }).catch(async (error) => {
        // Nobody calls the provider for them now, which only this consumer knows.
        const noted = delivery.isAgain ? idsOf(planned.emails) : [];
        await writeDown(ctx, { results: called, uncalled: uncalledOf(next, handedAt), noted });
        [called, refused] = [[], []];
        throw error;
      });
      const { handed } = handedOver;
      [called, refused] = [[], handedOver.refused];
      waiting = { ...waiting, emails: [...waiting.emails, ...composed.setAside] };
      const asked = next.reduce((sum, { mails }) => sum + mails.length, 0);
      // Not granted in full: another consumer has these emails, or they have ended.
      if (handed.size < asked) waiting = { ...waiting, emails: await stillDue(ctx, waiting.emails) };
      const round = await makeCalls(ctx, next, handed);
      called = round.results;
      Object.assign(progress, { verdict: round.verdict, calls: round.calls });
      noteRetries(round.results, leftover, progress);
    }
  } finally {
    // Also when the next round failed: the provider's answers are known, and must not become UNKNOWN.
    await recordAndHand(ctx, { called, refused, ended: [], next: [], handedAt: 0 }).catch((error) => {
      ctx.log("error", "The answers of the provider are not recorded yet", { reason: reasonOf(error) });
      return writeDown(ctx, { results: called, uncalled: [], noted: [] });
    });
  }
  await comeBack(ctx, permit, delivery, leftover);
}

function idsOf(emails: EmailRow[]): Id[] {
  return emails.map(({ id }) => id);
}

/** Tells the account how the last round went. Not beyond the time of this delivery. */
async function mayGoOn(ctx: Context, permit: Permit, progress: Progress, endsAt: number): Promise<boolean> {
  if (ctx.realClock().getTime() >= endsAt) return false;
  const { verdict, calls } = progress;
  Object.assign(progress, { verdict: { kind: "unused" }, calls: 0 });
  return ctx.pace.mayGoOn(permit.id, verdict, calls);
}

function without({ emails, repeats }: Waiting, taken: EmailRow[]): Waiting {
  const ids = new Set(taken.map(({ id }) => id));
  return {
    emails: emails.filter(({ id }) => !ids.has(id)),
    repeats: repeats.filter((repeat) => repeat.emails !== taken),
  };
}

async function stillDue(ctx: Context, waiting: EmailRow[]): Promise<EmailRow[]> {
  const due = await findDue(
    ctx,
    waiting.map(({ id }) => id),
  );
  return waiting.filter(({ id }) => due.has(id));
}

/** Emails that come back by a message of their own, at their time. */
interface Leftover {
  retries: Later[];
  /** They wait for a memory slot. */
  slotless: EmailRow[];
  /** They could not be composed now. */
  failed: { email: EmailRow; error: unknown }[];
}

function noteRetries(results: Result[], { retries }: Leftover, progress: Progress): void {
  for (const { emailId, retryAt, isUntried } of results) {
    // What the account refused waits for the account.
    if (isUntried) progress.hasMore = true;
    else if (retryAt !== null) retries.push({ emailId, retryAt });
  }
}

async function comeBack(ctx: Context, { priority }: Permit, delivery: Delivery, leftover: Leftover): Promise<void> {
  const { retries, slotless, failed } = leftover;
  const now = ctx.clock().getTime();
  const later = slotless.map(({ id }) => ({ emailId: id, retryAt: now + slotComesBackMs }));
  await announceLater(ctx, priority, [...retries, ...later]);
  if (failed.length === 0) return;
  ctx.log("error", "Mail could not be composed and will be tried again", {
    emails: failed.length,
    reason: reasonOf(failed[0]?.error),
  });
  const oldest = Math.min(...failed.map(({ email }) => email.createdAt));
  const until = now + Math.max(putOffMs.least, Math.min((now - oldest) / 4, putOffMs.most));
  const emails = failed.map(({ email }) => email);
  await putOff(ctx, emails, { until, isNoted: delivery.isAgain }).catch(async (error) => {
    await writeDown(ctx, { results: [], uncalled: [], noted: delivery.isAgain ? idsOf(emails) : [] });
    throw error;
  });
  const comingAgain = emails.map(({ id }) => ({ emailId: id, retryAt: until }));
  await announceLater(ctx, priority, comingAgain, { isAgain: true });
}
