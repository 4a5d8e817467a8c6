import type { Lane } from "../../core/mail/message";
import type { Context } from "../../platform/context";
import { reasonOf } from "../../platform/log";

/** Whether a lane hands mail over now. */
export interface LaneView {
  /** Until when it hands nothing over; null when it is open. */
  pausedUntil: number | null;
  /** The last calls threw, so the lane wants to hear when they answer again. */
  troubled: boolean;
}

/** Asks the lane before a batch of mail. After a pause it asks the provider first. */
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

/** Tells the lane how a round of calls went, if there is anything to tell. */
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
