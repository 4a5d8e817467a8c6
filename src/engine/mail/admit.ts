import type { Lane } from "../../core/mail/message";
import { postponed } from "../../core/mail/outcome";
import { secondMs } from "../../core/time";
import type { EmailRow } from "../../db/tables";
import type { Context } from "../../platform/context";
import { takeTurn, turnBytes } from "../../platform/turns";
import type { Claim } from "./claim";
import type { LaneView } from "./lane";
import type { Result } from "./results";

/** How long mail with large files waits for its turn, and after how long it comes back when it got none. */
const patienceMs = 10 * secondMs;
const comeBackMs = 5 * secondMs;

/** Which emails of a round go now. The others go back in line, each until its own time. */
export async function admitRound(
  ctx: Context,
  lane: Lane,
  { pausedUntil }: LaneView,
  claim: Claim,
  round: EmailRow[],
): Promise<{ admitted: EmailRow[]; putOff: Result[] }> {
  const allUntil = (until: number) => ({ admitted: [], putOff: round.map((email) => putOffUntil(email, until)) });
  if (pausedUntil !== null) return allUntil(pausedUntil);
  if (!(await hasItsTurn(claim, round))) return allUntil(ctx.clock().getTime() + comeBackMs);
  const { calls, laterMs } = await ctx.pace.take(lane, round.length);
  return {
    admitted: round.slice(0, calls),
    putOff: round.slice(calls).map((email, index) => putOffUntil(email, laterMs[index] ?? ctx.clock().getTime())),
  };
}

/**
 * Large files take a turn among all that the isolate works on. It is kept to the end of the claim, as the files are; and
 * waited for once, or a claim of many such mails would outlast its lease by waiting.
 */
async function hasItsTurn(claim: Claim, round: EmailRow[]): Promise<boolean> {
  if (!round.some(({ contentId }) => (claim.contents.get(contentId)?.size ?? 0) > turnBytes)) return true;
  if (claim.turn === undefined) claim.turn = await takeTurn(patienceMs);
  return claim.turn !== null;
}

function putOffUntil({ id, uncertainSince }: EmailRow, until: number): Result {
  return { emailId: id, ...postponed(until, uncertainSince) };
}
