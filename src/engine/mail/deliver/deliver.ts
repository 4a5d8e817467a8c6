import type { Id } from "../../../core/ids";
import type { Verdict } from "../../../core/mail/breaker";
import type { Grant } from "../../../core/mail/permits";
import type { Priority } from "../../../core/mail/priority";
import type { Done } from "../../../core/mail/turns";
import { openWatch, type Watch } from "../../../core/mail/watch";
import { minuteMs } from "../../../core/time";
import type { EmailRow } from "../../../db/tables";
import type { Context } from "../../../platform/context";
import { reasonOf } from "../../../platform/log";
import { composeRound } from "./compose";
import { type Delivery, findDue, readDelivery } from "./delivery";
import { type Ready, recordAndHand, uncalledOf } from "./hand-over";
import { makeCalls } from "./make-calls";
import { hasSlot } from "./memory-slot";
import { nextRound, type Waiting } from "./plan-round";
import type { Result } from "./record";
import { type CalledFor, recordAndNote } from "./record-called";
import { type Leftover, rescheduleLeftover } from "./reschedule-leftover";
import { writeDown } from "./write-down";

/** A permit to call the provider: see core/mail/turns.ts. */
export interface Permit extends Grant {
  id: string;
  priority: Priority;
}

/**
 * After this time, a delivery begins no new round, because a slow provider may take a minute per round. The remaining
 * mail waits again.
 */
const maxDeliveryMs = minuteMs;

/** The state of a delivery that is reported when its permit is given back. */
interface Progress {
  verdict: Verdict;
  calls: number;
  hasMore: boolean;
  rounds: number;
}

interface Manner {
  isAgain: boolean;
  /** The watch that the deliveries of one consumer and lane share. */
  watch?: Watch;
}

/**
 * Delivers emails with a permit. Returns an error instead of throwing it, because the permit has to be given back in
 * any case.
 *
 * `isAgain` means that a consumer may have died while handling these emails. Each email is then handled alone, and the
 * attempt is recorded in its row before it is composed. If consumers die too often while handling the same email, the
 * email ends as FAILED.
 */
export async function deliverPermitted(
  ctx: Context,
  permit: Permit,
  emailIds: Id[],
  { isAgain, watch = openWatch() }: Manner,
): Promise<{ done: Done; rounds: number; error: unknown }> {
  const progress: Progress = { verdict: { kind: "unused" }, calls: 0, hasMore: false, rounds: 0 };
  const end = (error: unknown) => {
    const { rounds, ...done } = progress;
    return { done: { permitId: permit.id, ...done }, rounds, error };
  };
  try {
    const delivery = await readDelivery(ctx, emailIds, { isAgain });
    try {
      await deliverAll(ctx, permit, delivery, progress, watch);
    } finally {
      delivery.slot?.giveBack();
    }
    return end(null);
  } catch (error) {
    progress.hasMore = true;
    return end(error);
  }
}

const noCalls: CalledFor = { results: [], uncalled: [] };

/**
 * Delivers the mail in rounds. Mail that could not be composed is announced again for later.
 *
 * An attempt that was recorded in advance counts only if the consumer dies. If the consumer survives, the end of this
 * function removes the records of mail that was neither handed over nor postponed.
 */
async function deliverAll(
  ctx: Context,
  permit: Permit,
  delivery: Delivery,
  progress: Progress,
  watch: Watch,
): Promise<void> {
  const leftover: Leftover = { retries: [], slotless: [], failed: [] };
  const noted = new Set<Id>();
  try {
    await deliverRounds(ctx, permit, delivery, { progress, watch, leftover, noted });
    await rescheduleLeftover(ctx, permit.priority, delivery, leftover);
    for (const { email } of leftover.failed) noted.delete(email.id);
  } finally {
    await writeDown(ctx, { ...noCalls, noted: [...noted] });
  }
}

/** The state that the rounds of a delivery share. */
interface Tracks {
  progress: Progress;
  watch: Watch;
  leftover: Leftover;
  /** Emails whose rows may still contain an attempt that was recorded in advance. */
  noted: Set<Id>;
}

/**
 * Repeats four phases: compose, hand over, call, record. Nothing is written before the hand-over, so waiting mail costs
 * no writes, and nothing is lost if the consumer dies before it. If the consumer dies later, only the outcome of the
 * current round is uncertain.
 */
async function deliverRounds(
  ctx: Context,
  permit: Permit,
  delivery: Delivery,
  { progress, watch, leftover, noted }: Tracks,
): Promise<void> {
  const endsAt = ctx.realClock().getTime() + maxDeliveryMs;
  const callsAtOnce = Math.min(permit.callsAtOnce, ctx.callsAtOnce);
  let waiting: Waiting = { emails: delivery.emails, repeats: delivery.repeats };
  let called = noCalls;
  let refused: Ready[] = [];
  try {
    while (waiting.emails.length + waiting.repeats.length > 0) {
      const isSpent = progress.rounds >= ctx.maxRounds || ctx.cpu.isSpent() || !ctx.spent.hasLeft();
      const isOver = isSpent || watch.isOver();
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
        // The ids are added before the batch runs, because a batch may commit even though its answer is lost.
        for (const { id } of planned.emails) noted.add(id);
        await recordAndNote(ctx, called, planned.emails);
        called = noCalls;
      }
      const { next, ended, setAside, failed } = await composeRound(ctx, delivery, planned);
      leftover.failed.push(...failed);
      const handedAt = ctx.realClock().getTime();
      const between = { called, refused, ended, next, handedAt };
      // Until the calls are made, only this consumer knows that they are not made yet. If anything fails before that,
      // the `finally` block below records it.
      const uncalled = uncalledOf(next, handedAt);
      [called, refused] = [{ ...called, uncalled: [...called.uncalled, ...uncalled] }, []];
      const handedOver = await recordAndHand(ctx, between);
      const { handed } = handedOver;
      [called, refused] = [{ results: [], uncalled }, handedOver.refused];
      const over = ended.filter(({ status }) => status !== "QUEUED").map(({ emailId }) => emailId);
      for (const id of [...handed, ...over]) noted.delete(id);
      waiting = { ...waiting, emails: [...waiting.emails, ...setAside] };
      const asked = next.reduce((sum, { mails }) => sum + mails.length, 0);
      // Some emails were not handed over, because another consumer has them or they have ended.
      if (handed.size < asked) waiting = { ...waiting, emails: await stillDue(ctx, waiting.emails) };
      called = noCalls;
      const round = await makeCalls(ctx, next, handed, { callsAtOnce, watch, handedAt });
      called = { results: round.results, uncalled: uncalledOf(round.uncalled, handedAt) };
      Object.assign(progress, { verdict: round.verdict, calls: round.calls });
      // The uncalled emails wait in their rows again.
      if (round.uncalled.length > 0) progress.hasMore = true;
      noteRetries(round.results, leftover, progress);
    }
  } finally {
    // Runs even when a round failed, because only this consumer knows the provider's answers, and which calls were
    // never made. If this was not recorded, mail that was never sent would become UNKNOWN.
    await recordAndHand(ctx, { called, refused, ended: [], next: [], handedAt: 0 }).catch((error) => {
      ctx.log("error", "The answers of the provider are not recorded yet", { reason: reasonOf(error) });
      return writeDown(ctx, { ...called, noted: [] });
    });
  }
}

/**
 * Reports the last round to the account, and returns whether the next one may start. Returns false in any case once
 * this delivery's time limit is over.
 */
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

function noteRetries(results: Result[], { retries }: Leftover, progress: Progress): void {
  for (const { emailId, retryAt, isUntried } of results) {
    // Mail that the account refused waits until the account works again.
    if (isUntried) progress.hasMore = true;
    else if (retryAt !== null) retries.push({ emailId, retryAt });
  }
}
