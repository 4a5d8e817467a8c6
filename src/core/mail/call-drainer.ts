import { secondMs } from "../time";
import { type Account, type AccountRule, lanes, type Moment, type Permit, permitMs } from "./account";
import { nextCallAt } from "./breaker";
import type { Lane } from "./message";
import { callsAt } from "./pace";
import { callsPerTurn, openLanes } from "./permits";
import { laneOf, ofCampaigns } from "./priority";
import { nextRestedAt } from "./project-pace";
import { firstOf } from "./ring";

/**
 * A drainer (a consumer of waiting mail) that was active within this time is expected to ask for another turn by
 * itself. A turn takes less time, as long as the provider is healthy.
 */
const backSoonMs = 2 * secondMs;

/** How late a drainer may be before it is no longer expected. */
const drainerGraceMs = 30 * secondMs;

/**
 * Returns when a new drainer should start; null when none is needed, or one is already expected by then. Records that
 * the caller requests the drainer.
 */
export function callDrainer(account: Account, rule: AccountRule, { now }: Moment): number | null {
  const at = nextWorkAt(account, rule, now);
  if (at === null) return null;
  const { drainerAt } = account;
  if (drainerAt !== null && drainerAt <= at && now < drainerAt + drainerGraceMs) return null;
  if (at > now && [...account.permits.values()].some((permit) => isBackSoon(permit, now))) return null;
  account.drainerAt = at;
  return at;
}

/** Whether a drainer is expected to ask for its next turn by itself, because it was active just now. */
function isBackSoon({ isDrainer, until }: Permit, now: number): boolean {
  return isDrainer && until - permitMs > now - backSoonMs;
}

/** Returns when the next turn can be taken; null when waiting alone would not make a turn possible. */
function nextWorkAt(account: Account, rule: AccountRule, now: number): number | null {
  if (firstOf(account.ring, openLanes(account, rule, now)) !== null) return now;
  const times = lanes
    .filter((lane) => firstOf(account.ring, [lane]) !== null)
    .map((lane) => laneOpensAt(account, lane, rule))
    .filter((at) => at > now);
  const restedAt = nextRestedAt(account.paces);
  if (restedAt !== null) times.push(Math.max(restedAt, laneOpensAt(account, laneOf(ofCampaigns), rule)));
  return times.length > 0 ? Math.min(...times) : null;
}

function laneOpensAt({ lanes, pace }: Account, lane: Lane, rule: AccountRule): number {
  const { at } = nextCallAt(lanes[lane]);
  return pace === null || rule.pace === null ? at : Math.max(at, callsAt(pace, lane, callsPerTurn(rule), rule.pace));
}
