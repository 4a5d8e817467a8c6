import type { Id } from "../../../core/ids";
import type { Verdict } from "../../../core/mail/breaker";
import { outcomeOf } from "../../../core/mail/outcome";
import { laneOf } from "../../../core/mail/priority";
import { type Receipt, verdictOf, verdictOfRound } from "../../../core/mail/receipt";
import type { Watch } from "../../../core/mail/watch";
import { secondMs } from "../../../core/time";
import type { EmailRow } from "../../../db/tables";
import type { Context } from "../../../platform/context";
import { reasonOf } from "../../../platform/log";
import { isStandIn } from "../../../platform/mailer/accounts";
import { type Call, type Ready, resultOf } from "./hand-over";
import type { Result } from "./record";

/**
 * A call starts at most this long after its hand-over. The call takes at most half a minute, so it ends well within the
 * lease.
 */
const maxHeldMs = 30 * secondMs;

/** The results of a round of calls. */
interface CalledRound {
  results: Result[];
  /** The calls that this round did not make. */
  uncalled: Call[];
  verdict: Verdict;
  calls: number;
}

/** The settings for making the calls of a round. */
interface Calling {
  callsAtOnce: number;
  watch: Watch;
  /** The real time of the round's hand-over, even in a project with a test clock. */
  handedAt: number;
}

/**
 * Makes the calls of a round with the emails that were handed over, up to `callsAtOnce` of them at the same time. Stops
 * when the provider accepts no more for now, so that an outage in the middle of a round does not spoil the rest of it.
 */
export async function makeCalls(
  ctx: Context,
  planned: Call[],
  handed: Set<Id>,
  { callsAtOnce, watch, handedAt }: Calling,
): Promise<CalledRound> {
  const calls = planned
    .map((call) => ({ ...call, mails: mailsOf(call, handed) }))
    .filter(({ mails }) => mails.length > 0);
  const left = calls.values();
  const made: Called[] = [];
  const uncalled: Call[] = [];
  const isLate = () => ctx.realClock().getTime() >= handedAt + maxHeldMs;
  const callOneByOne = async () => {
    for (const call of left) {
      if (isLate() || !(await watch.mayCall())) {
        // The round's time is over, or the provider accepts no more calls. Neither changes before the end of this
        // round, so the remaining calls are not made.
        uncalled.push(call, ...left);
        break;
      }
      const called = await makeCall(ctx, call, handed);
      made.push(called);
      watch.ended(verdictOf(called.receipts, 1));
    }
  };
  await Promise.all(Array.from({ length: Math.min(callsAtOnce, calls.length) }, callOneByOne));
  const verdict = verdictOfRound(made.map(({ receipts }) => receipts));
  const blocked = made.flatMap(({ receipts }) => receipts).find((receipt) => receipt?.kind === "blocked");
  if (verdict.kind === "blocked" && blocked?.kind === "blocked") {
    ctx.log("error", "The mail provider refuses this account, so mail waits. Fix the account or its key.", {
      ...{ provider: ctx.mailer.name, reason: blocked.reason },
    });
  }
  return { results: made.flatMap(({ results }) => results), uncalled, verdict, calls: made.length };
}

/** Returns the emails of a call. A repeated call is made with all of its emails if any of them was handed over. */
function mailsOf({ mails, isRepeat }: Call, handed: Set<Id>): Ready[] {
  const mine = mails.filter(({ email }) => handed.has(email.id));
  return isRepeat && mine.length > 0 ? mails : mine;
}

/** The results of one call. A receipt is null when the call threw. */
interface Called {
  receipts: (Receipt | null)[];
  results: Result[];
}

async function makeCall(ctx: Context, { id, mails }: Call, handed: Set<Id>): Promise<Called> {
  const handedAt = ctx.clock().getTime();
  const receipts = await deliver(ctx, mails, id);
  const now = ctx.clock().getTime();
  // All emails of a call share this number, so that they are retried at the same time: a call can only be repeated as a
  // whole.
  const random = ctx.random();
  const results = mails.flatMap(({ email }, index) => {
    if (!handed.has(email.id)) return [];
    const outcome = outcomeOf(receiptFor(ctx, email, receipts?.[index] ?? noAnswer), {
      ...{ attempt: email.attempts + 1, handedAt, uncertainSince: email.uncertainSince },
      ...{ idempotencyWindowMs: ctx.mailer.idempotencyWindowMs, now, random },
    });
    return [{ ...resultOf(email, outcome), round: id }];
  });
  return { receipts: receipts ?? mails.map(() => null), results };
}

/**
 * Turns a refusal into a temporary one if this account only stands in for another account, because the mail's own
 * account may accept the mail.
 */
function receiptFor(ctx: Context, { priority }: EmailRow, receipt: Receipt): Receipt {
  const isLast = !isStandIn(ctx.accounts, ctx.mailer, laneOf(priority));
  return receipt.kind === "refused" && !isLast ? { kind: "busy", reason: receipt.reason } : receipt;
}

const noAnswer: Receipt = {
  kind: "unknown",
  reason: "The mail provider did not answer: this email may or may not have been sent",
};

/** Makes a call. Returns null when it threw. */
async function deliver(ctx: Context, mails: Ready[], key: string): Promise<Receipt[] | null> {
  try {
    return await ctx.mailer.deliver(
      mails.map(({ message }) => message),
      key,
    );
  } catch (error) {
    const emailId = mails[0]?.message.emailId;
    ctx.log("warn", "The mail provider did not answer", { emailId, mails: mails.length, reason: reasonOf(error) });
    return null;
  }
}
