import type { Lane } from "../../core/mail/message";
import { postponed } from "../../core/mail/outcome";
import type { Context } from "../../platform/context";
import type { EmailRow } from "./claim";
import type { LaneView } from "./lane";
import type { Result } from "./results";

/** Which emails of a round go now. The others go back in line, each until its own time. */
export async function admitRound(
  ctx: Context,
  lane: Lane,
  { pausedUntil }: LaneView,
  round: EmailRow[],
): Promise<{ admitted: EmailRow[]; putOff: Result[] }> {
  if (pausedUntil !== null) return { admitted: [], putOff: round.map((email) => putOffUntil(email, pausedUntil)) };
  const { calls, laterMs } = await ctx.pace.take(lane, round.length);
  return {
    admitted: round.slice(0, calls),
    putOff: round.slice(calls).map((email, index) => putOffUntil(email, laterMs[index] ?? ctx.clock().getTime())),
  };
}

function putOffUntil({ id, uncertainSince }: EmailRow, until: number): Result {
  return { emailId: id, ...postponed(until, uncertainSince) };
}
