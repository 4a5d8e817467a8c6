import type { Lane } from "../../core/mail/message";
import { secondMs } from "../../core/time";
import type { EmailRow } from "../../db/tables";
import type { Context } from "../../platform/context";
import { reasonOf } from "../../platform/log";
import { slotBytes, takeSlot } from "../../platform/memory-slots";
import type { Later } from "./announce";
import type { Delivery } from "./delivery";

/** The state of a lane for its callers. */
export interface LaneView {
  /** The time until which it hands nothing over; null when it is open. */
  pausedUntil: number | null;
  /** The last calls threw, so the lane must be told when calls succeed again. */
  troubled: boolean;
}

/** Asks the lane before a batch of mail. After a pause it probes the provider first. */
export async function enterLane(ctx: Context, lane: Lane): Promise<LaneView> {
  const admission = await ctx.pace.enter(lane);
  switch (admission.kind) {
    case "open":
      return { pausedUntil: null, troubled: admission.troubled };
    case "paused":
      return { pausedUntil: admission.untilMs, troubled: true };
    case "probe":
      return { pausedUntil: await probe(ctx, lane), troubled: false };
  }
}

async function probe(ctx: Context, lane: Lane): Promise<number | null> {
  try {
    await ctx.mailer.probe();
    return ctx.pace.leave(lane, "answered");
  } catch (error) {
    ctx.log("warn", "The mail provider is still out of reach", { lane, reason: reasonOf(error) });
    return ctx.pace.leave(lane, { thrown: 1 });
  }
}

/** How long mail with large files waits for a memory slot, and after how long it is tried again without one. */
const patienceMs = 10 * secondMs;
const comeBackMs = 5 * secondMs;

/** Decides which emails of a round go now. The others are tried again, each at its own time, without a write. */
export async function admitRound(
  ctx: Context,
  lane: Lane,
  { pausedUntil }: LaneView,
  delivery: Delivery,
  round: EmailRow[],
): Promise<{ admitted: EmailRow[]; putOff: Later[] }> {
  const allUntil = (until: number) => ({
    admitted: [],
    putOff: round.map(({ id }) => ({ emailId: id, retryAt: until })),
  });
  if (pausedUntil !== null) return allUntil(pausedUntil);
  if (!(await hasSlot(ctx, delivery, round))) return allUntil(ctx.clock().getTime() + comeBackMs);
  const { calls, laterMs } = await ctx.pace.take(lane, round.length);
  return {
    admitted: round.slice(0, calls),
    putOff: round
      .slice(calls)
      .map(({ id }, index) => ({ emailId: id, retryAt: laterMs[index] ?? ctx.clock().getTime() })),
  };
}

/**
 * Large files need a memory slot of the isolate. The delivery keeps it to the end, because it keeps the files, and
 * waits for it only once, because otherwise a delivery of many such mails would run out of time.
 */
async function hasSlot(ctx: Context, delivery: Delivery, round: EmailRow[]): Promise<boolean> {
  if (!round.some(({ contentId }) => (delivery.contents.get(contentId)?.size ?? 0) > slotBytes)) return true;
  if (delivery.slot === undefined) delivery.slot = await takeSlot(ctx.project.number, patienceMs);
  return delivery.slot !== null;
}

/** Tells the lane the results of a round of calls, if they change its state. */
export async function leaveLane(
  ctx: Context,
  lane: Lane,
  view: LaneView,
  calls: { threw: boolean }[],
): Promise<LaneView> {
  const thrown = calls.filter(({ threw }) => threw).length;
  if (calls.length === 0 || (thrown === 0 && !view.troubled)) return view;
  if (thrown < calls.length) return { pausedUntil: await ctx.pace.leave(lane, "answered"), troubled: false };
  return { pausedUntil: await ctx.pace.leave(lane, { thrown }), troubled: true };
}
