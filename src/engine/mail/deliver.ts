import { unfitness } from "../../core/mail/abilities";
import type { Lane, Message } from "../../core/mail/message";
import { outcomeOf } from "../../core/mail/outcome";
import type { Receipt } from "../../core/mail/receipt";
import type { EmailRow } from "../../db/tables";
import type { Context } from "../../platform/context";
import { reasonOf } from "../../platform/log";
import { announceRetries } from "./announce";
import { type Claim, claimEmails } from "./claim";
import { composeRound } from "./compose";
import { admitRound, enterLane, type LaneView, leaveLane } from "./lane";
import { postponeEmails } from "./postpone";
import { type Result, recordAndHand } from "./record";

/** A Worker may wait for the headers of six answers at once. */
const callsPerRound = 6;

/**
 * Hands emails to the provider: claim, then round by round compose, hand over, call, record. A message about them may
 * come twice, late, or while another consumer is at work: what happens to an email is decided by its row alone.
 * Dying before a round is handed loses nothing; dying after it leaves that one round uncertain.
 */
export async function deliverEmails(ctx: Context, lane: Lane, emailIds: string[]): Promise<void> {
  const view = await enterLane(ctx, lane);
  if (view.pausedUntil !== null) return postponeEmails(ctx, emailIds, view.pausedUntil);
  const claim = await claimEmails(ctx, emailIds);
  try {
    await announceRetries(ctx, await deliverClaim(ctx, lane, view, claim));
  } finally {
    claim.turn?.giveBack();
  }
}

async function deliverClaim(ctx: Context, lane: Lane, entered: LaneView, claim: Claim): Promise<Result[]> {
  const results: Result[] = [];
  let view = entered;
  let unrecorded: Result[] = [];
  let waiting = claim.emails;
  try {
    while (waiting.length > 0) {
      const round = nextRound(claim, waiting);
      const { admitted, putOff } = await admitRound(ctx, lane, view, claim, round);
      const { ready, setAside, ...composed } = await composeRound(ctx, claim, admitted);
      waiting = [...waiting.filter((email) => !round.includes(email)), ...setAside];
      const ended = [...composed.ended, ...putOff];
      const handed = await recordAndHand(ctx, claim.token, [...unrecorded, ...ended], ready);
      const calls = await Promise.all(ready.filter(({ email }) => handed.has(email.id)).map((mail) => call(ctx, mail)));
      unrecorded = calls.map(({ result }) => result);
      results.push(...ended, ...unrecorded);
      view = await leaveLane(ctx, lane, view, calls);
    }
  } finally {
    // Also when the next round failed: what the provider has answered is known, and must not become UNKNOWN.
    await recordAndHand(ctx, claim.token, unrecorded, []);
  }
  return results;
}

/** Six at a time; then the large ones, each alone, as six of them would not fit into memory. */
function nextRound({ large }: Claim, waiting: EmailRow[]): EmailRow[] {
  const small = waiting.filter(({ contentId }) => !large.has(contentId));
  return small.length > 0 ? small.slice(0, callsPerRound) : waiting.slice(0, 1);
}

async function call(
  ctx: Context,
  { email, message }: { email: EmailRow; message: Message },
): Promise<{ threw: boolean; result: Result }> {
  const handedAt = ctx.clock().getTime();
  const { threw, receipt } = await handOver(ctx, email, message);
  const outcome = outcomeOf(receipt, {
    attempt: email.attempts + 1,
    handedAt,
    uncertainSince: email.uncertainSince,
    idempotencyWindowMs: ctx.mailer.idempotencyWindowMs,
    now: ctx.clock().getTime(),
    random: ctx.random(),
  });
  return { threw, result: { emailId: email.id, ...outcome } };
}

async function handOver(
  ctx: Context,
  email: EmailRow,
  message: Message,
): Promise<{ threw: boolean; receipt: Receipt }> {
  const reason = unfitness(ctx.mailer, email.type, message);
  if (reason !== null) return { threw: false, receipt: { kind: "refused", reason } };
  try {
    return { threw: false, receipt: await ctx.mailer.deliver(message) };
  } catch (error) {
    ctx.log("warn", "The mail provider did not answer", { emailId: message.emailId, reason: reasonOf(error) });
    const reason = "The mail provider did not answer: this email may or may not have been sent";
    return { threw: true, receipt: { kind: "unknown", reason } };
  }
}
