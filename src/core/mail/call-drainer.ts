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
 * A drainer that has been active within this time is expected to return by itself. A turn takes less with a healthy
 * provider.
 */
const backSoonMs = 2 * secondMs;

/** A drainer that is this late is no longer expected. */
const drainerGraceMs = 30 * secondMs;

/**
 * Returns when a drainer should arrive; null when one is already expected by then. Records that the caller sends for
 * this drainer.
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

/** Returns when the next turn can be taken; null when no project is merely waiting for time to pass. */
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
