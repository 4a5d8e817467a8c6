import { secondMs } from "../time";
import { type Account, type AccountRule, lanes, type Moment, type Permit, permitMs } from "./account";
import { nextCallAt } from "./breaker";
import type { Lane } from "./message";
import { callsAt } from "./pace";
import { callsPerTurn, openLanes } from "./permits";
import { laneOf, ofCampaigns } from "./priority";
import { nextRestedAt } from "./project-pace";
import { firstOf } from "./ring";

/** A turn of a healthy provider takes less. */
const backSoonMs = 2 * secondMs;

/** A drainer that is so late does not come any more. */
const drainerGraceMs = 30 * secondMs;

/** When a drainer should come, if none was asked to come by then; remembers that the caller asks one. */
export function callDrainer(account: Account, rule: AccountRule, { now }: Moment): number | null {
  const at = nextWorkAt(account, rule, now);
  if (at === null) return null;
  const { drainerAt } = account;
  if (drainerAt !== null && drainerAt <= at && now < drainerAt + drainerGraceMs) return null;
  if (at > now && [...account.permits.values()].some((permit) => isBackSoon(permit, now))) return null;
  account.drainerAt = at;
  return at;
}

/** A drainer that was heard of just now asks for its next turn by itself. */
function isBackSoon({ isDrainer, until }: Permit, now: number): boolean {
  return isDrainer && until - permitMs > now - backSoonMs;
}

/** When the next turn can be taken; null when none waits for time to pass alone. */
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
