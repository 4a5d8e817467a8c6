import { type Id, newId, textOf } from "../../core/ids";
import type { Verdict } from "../../core/mail/breaker";
import { ended, outcomeOf } from "../../core/mail/outcome";
import { type Receipt, verdictOf } from "../../core/mail/receipt";
import type { Context } from "../../platform/context";
import { reasonOf } from "../../platform/log";
import type { ComposedRound } from "./compose";
import { type Call, type Ready, resultOf } from "./hand-over";
import type { PlannedRound } from "./plan-round";
import type { Result } from "./record";
import type { Repeat } from "./repeats";

/** The calls of a composed round, the emails that end without one, and those that could not be composed now. */
interface PlannedCalls {
  next: Call[];
  ended: Result[];
  failed: ComposedRound["failed"];
}

export function callsOf({ kind, repeat }: PlannedRound, composed: ComposedRound): PlannedCalls {
  const { ready, ended, failed } = composed;
  if (repeat) return repeated(repeat, composed);
  if (kind === "shared") {
    return { next: ready.length > 0 ? [{ id: newCallId(), mails: ready, isRepeat: false }] : [], ended, failed };
  }
  const next = ready.map((mail): Call => {
    const { uncertainSince, round } = mail.email;
    const known = uncertainSince === null ? null : round;
    return { id: known ?? newCallId(), mails: [mail], isRepeat: known !== null };
  });
  return { next, ended, failed };
}

function newCallId(): string {
  return textOf(newId());
}

/** All or nothing: with other mails the provider would not recognise the call. */
function repeated(repeat: Repeat, { ready, failed }: ComposedRound): PlannedCalls {
  const mine = repeat.emails.filter(({ status, round }) => status === "QUEUED" && round === repeat.id);
  const [first] = failed;
  if (first) return { next: [], ended: [], failed: mine.map((email) => ({ email, error: first.error })) };
  if (ready.length > 0 && ready.length === repeat.emails.length) {
    return { next: [{ id: repeat.id, mails: ready, isRepeat: true }], ended: [], failed: [] };
  }
  const lost = "The outcome is unknown, and the call cannot be repeated: one of its emails is gone";
  return {
    next: [],
    ended: mine.map((email) => resultOf(email, ended("FAILED", lost, email.uncertainSince))),
    failed: [],
  };
}

/** What a round of calls came to. */
interface CalledRound {
  results: Result[];
  verdict: Verdict;
  calls: number;
}

/** Makes the calls of a round at the same time, with the emails that were handed over. */
export async function makeCalls(ctx: Context, planned: Call[], handed: Set<Id>): Promise<CalledRound> {
  const calls = planned
    .map((call) => ({ ...call, mails: mailsOf(call, handed) }))
    .filter(({ mails }) => mails.length > 0);
  const answers = await Promise.all(calls.map((call) => makeCall(ctx, call, handed)));
  const receipts = answers.flatMap((answer) => answer.receipts);
  const verdict = verdictOf(receipts, calls.length);
  const blocked = receipts.find((receipt) => receipt?.kind === "blocked");
  if (verdict.kind === "blocked" && blocked?.kind === "blocked") {
    ctx.log("error", "The mail provider refuses this account, so mail waits. Mend the account or its key.", {
      ...{ provider: ctx.mailer.name, reason: blocked.reason },
    });
  }
  return { results: answers.flatMap(({ results }) => results), verdict, calls: calls.length };
}

/** A repeated call has all of its mails, if any of them still waits for its outcome. */
function mailsOf({ mails, isRepeat }: Call, handed: Set<Id>): Ready[] {
  const mine = mails.filter(({ email }) => handed.has(email.id));
  return isRepeat && mine.length > 0 ? mails : mine;
}

async function makeCall(
  ctx: Context,
  { id, mails }: Call,
  handed: Set<Id>,
): Promise<{ receipts: (Receipt | null)[]; results: Result[] }> {
  const handedAt = ctx.clock().getTime();
  const receipts = await deliver(ctx, mails, id);
  const now = ctx.clock().getTime();
  // Mails of one call come back together: if it is repeated, it is so whole.
  const random = ctx.random();
  const results = mails.flatMap(({ email }, index) => {
    if (!handed.has(email.id)) return [];
    const outcome = outcomeOf(receipts?.[index] ?? noAnswer, {
      ...{ attempt: email.attempts + 1, handedAt, uncertainSince: email.uncertainSince },
      ...{ idempotencyWindowMs: ctx.mailer.idempotencyWindowMs, now, random },
    });
    return [{ ...resultOf(email, outcome), round: id }];
  });
  return { receipts: receipts ?? mails.map(() => null), results };
}

const noAnswer: Receipt = {
  kind: "unknown",
  reason: "The mail provider did not answer: this email may or may not have been sent",
};

/** Null when the call threw. */
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
