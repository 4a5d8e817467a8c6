import { type Id, newId, textOf } from "../../core/ids";
import { unfitness } from "../../core/mail/abilities";
import type { Lane, Message } from "../../core/mail/message";
import { outcomeOf } from "../../core/mail/outcome";
import type { Receipt } from "../../core/mail/receipt";
import type { EmailRow } from "../../db/tables";
import type { Context } from "../../platform/context";
import { reasonOf } from "../../platform/log";
import { announceLater, type Later } from "./announce";
import { type ComposedRound, composeRound } from "./compose";
import { type Delivery, findDue, readDelivery } from "./delivery";
import { type Ready, recordAndHand, recordAndNote, takeNoteBack } from "./hand-over";
import { admitRound, enterLane, type LaneView, leaveLane } from "./lane";
import type { Result } from "./record";

/** A Worker may wait for the headers of six responses at once. */
const callsPerRound = 6;

/** Emails that are tried again: the provider asked for it, or they had to wait and were not touched. */
interface Leftover {
  retries: Later[];
  putOff: Later[];
  /** Why some could not be composed now. Their message comes again. */
  failures: unknown[];
}

/**
 * Hands emails to the provider: read, then round by round admit, compose, hand over, call, record. A message may come
 * twice, late, or while another consumer is at work: only an email's row decides what happens to it. Nothing is written
 * before the hand-over, so waiting mail costs no writes, and a consumer that dies there loses nothing; one that dies
 * later leaves only that round uncertain.
 *
 * `isAgain` says that a consumer may have died of these emails. Then each is taken alone, and its row says so before it
 * is composed: an email that no consumer survives ends as FAILED.
 */
export async function deliverEmails(
  ctx: Context,
  lane: Lane,
  emailIds: Id[],
  { isAgain = false }: { isAgain?: boolean } = {},
): Promise<void> {
  const view = await enterLane(ctx, lane);
  if (view.pausedUntil !== null) return comeBackAt(ctx, emailIds, view.pausedUntil, { isAgain });
  const delivery = await readDelivery(ctx, emailIds, { isAgain });
  try {
    const { retries, putOff, failures } = await deliverRounds(ctx, lane, view, delivery);
    await announceLater(ctx, retries);
    await announceLater(ctx, putOff, { isAgain });
    if (failures.length > 0) throw failures[0];
  } finally {
    delivery.slot?.giveBack();
  }
}

/** Called while the lane is paused. Only for emails that are still due, so that a message about sent mail ends here. */
async function comeBackAt(ctx: Context, emailIds: Id[], until: number, more: { isAgain: boolean }): Promise<void> {
  const due = await findDue(ctx, emailIds);
  const putOff = [...due].map((emailId) => ({ emailId, retryAt: until }));
  await announceLater(ctx, putOff, more);
}

async function deliverRounds(ctx: Context, lane: Lane, entered: LaneView, delivery: Delivery): Promise<Leftover> {
  const leftover: Leftover = { retries: [], putOff: [], failures: [] };
  let view = entered;
  let called: Result[] = [];
  let waiting = delivery.emails;
  try {
    while (waiting.length > 0) {
      const chosen = nextRound(delivery, waiting);
      const { admitted, putOff } = await admitRound(ctx, lane, view, delivery, chosen);
      leftover.putOff.push(...putOff);
      if (delivery.isAgain) {
        await recordAndNote(ctx, called, admitted);
        called = [];
      }
      const { ready, setAside, ended } = delivery.isAgain
        ? await composeNoted(ctx, delivery, admitted, leftover)
        : await composeRound(ctx, delivery, admitted);
      const round = textOf(newId());
      const handed = await recordAndHand(ctx, { called, ended, next: ready, round });
      waiting = [...waiting.filter((email) => !chosen.includes(email)), ...setAside];
      if (handed.size < ready.length) waiting = await stillDue(ctx, waiting);
      const mine = ready.filter(({ email }) => handed.has(email.id));
      const calls = await Promise.all(mine.map((mail) => call(ctx, mail, round)));
      called = calls.map(({ result }) => result);
      leftover.retries.push(...called);
      view = await leaveLane(ctx, lane, view, calls);
    }
  } finally {
    // Also when the next round failed: the provider's answers are known, and must not become UNKNOWN.
    await recordAndHand(ctx, { called, ended: [], next: [], round: "" });
  }
  return leftover;
}

/**
 * An email that is taken alone and cannot be composed now, as its files are out of reach, say. This worker is still there,
 * so nobody has died of it. It holds up none of the others.
 */
async function composeNoted(
  ctx: Context,
  delivery: Delivery,
  noted: EmailRow[],
  { failures }: Leftover,
): Promise<ComposedRound> {
  try {
    return await composeRound(ctx, delivery, noted);
  } catch (error) {
    await takeNoteBack(ctx, noted);
    failures.push(error);
    return { ready: [], setAside: [], ended: [] };
  }
}

/** A round was not granted in full: another consumer has these emails, or they have ended. */
async function stillDue(ctx: Context, waiting: EmailRow[]): Promise<EmailRow[]> {
  const due = await findDue(
    ctx,
    waiting.map(({ id }) => id),
  );
  return waiting.filter(({ id }) => due.has(id));
}

/** Six at a time; then the large ones, each alone, because six of them would not fit into memory. */
function nextRound({ large, isAgain }: Delivery, waiting: EmailRow[]): EmailRow[] {
  if (isAgain) return waiting.slice(0, 1);
  const small = waiting.filter(({ contentId }) => !large.has(contentId));
  return small.length > 0 ? small.slice(0, callsPerRound) : waiting.slice(0, 1);
}

async function call(
  ctx: Context,
  { email, message }: Ready,
  round: string,
): Promise<{ threw: boolean; result: Result }> {
  const handedAt = ctx.clock().getTime();
  const { threw, receipt } = await handOver(ctx, message);
  const outcome = outcomeOf(receipt, {
    attempt: email.attempts + 1,
    handedAt,
    uncertainSince: email.uncertainSince,
    idempotencyWindowMs: ctx.mailer.idempotencyWindowMs,
    now: ctx.clock().getTime(),
    random: ctx.random(),
  });
  return { threw, result: { projectId: email.projectId, emailId: email.id, round, ...outcome } };
}

async function handOver(ctx: Context, message: Message): Promise<{ threw: boolean; receipt: Receipt }> {
  const reason = unfitness(ctx.mailer, message.type, message);
  if (reason !== null) return { threw: false, receipt: { kind: "refused", reason } };
  try {
    return { threw: false, receipt: await ctx.mailer.deliver(message) };
  } catch (error) {
    ctx.log("warn", "The mail provider did not answer", { emailId: message.emailId, reason: reasonOf(error) });
    const reason = "The mail provider did not answer: this email may or may not have been sent";
    return { threw: true, receipt: { kind: "unknown", reason } };
  }
}
