import { hourMs, secondMs } from "../time";
import type { Lane } from "./message";

/** The allowed rate of calls to the provider's account. */
export interface PaceRule {
  perSecond: number;
  /** The share that campaigns never use, between 0 and 1, so that a password reset is sent at once. */
  transactionalShare: number;
}

/** The calls that may be made now, and the times up to which postponed calls fill each lane. */
export interface PaceState {
  calls: number;
  /** How many of these a campaign may make. */
  campaignCalls: number;
  atMs: number;
  bookedUntilMs: Record<Lane, number>;
}

/** How many calls may be made now, and when each of the others should ask again. */
export interface Grant {
  calls: number;
  laterMs: number[];
}

/** What mail of a lane waits for by itself: the end of a pause, or the slots that it was postponed to. */
export type Waiting = "pause" | "slots";

/** No slot is booked beyond this; callers that wait longer ask again in between. */
export const maxWaitMs = hourMs;

/**
 * Grants calls from a bucket that holds one second's worth of calls. Campaigns have an additional bucket without the
 * reserved share, and get nothing while transactional mail waits.
 *
 * Postponed calls are spread over the time to come, one slot each, after all calls postponed before. So they come back
 * at the account's own pace, and a mail asks only a few times however many wait. A slot is no promise: a call that
 * comes back is served like any other, and is postponed again if others were faster.
 */
export function takeCalls(
  before: PaceState | null,
  lane: Lane,
  wanted: number,
  rule: PaceRule,
  now: number,
): [PaceState, Grant] {
  const state = refilled(before, rule, now);
  const isHeldBack = lane === "campaign" && state.bookedUntilMs.transactional > now;
  const available = lane === "campaign" ? Math.min(state.calls, state.campaignCalls) : state.calls;
  const calls = isHeldBack ? 0 : Math.min(wanted, Math.floor(available + rounding));
  const left = {
    ...state,
    calls: state.calls - calls,
    campaignCalls: state.campaignCalls - (lane === "campaign" ? calls : 0),
  };
  const [booked, laterMs] = book(left, lane, wanted - calls, rule, now);
  return [booked, { calls, laterMs }];
}

/** Whether mail of the lane waits for booked slots. */
export function isBooked(state: PaceState | null, lane: Lane, now: number): boolean {
  return state !== null && state.bookedUntilMs[lane] > now;
}

/** Sums of fractions of a second end slightly below a whole number. */
const rounding = 1e-6;

function refilled(before: PaceState | null, rule: PaceRule, now: number): PaceState {
  const most = Math.max(1, rule.perSecond);
  const mostOfCampaigns = Math.max(1, ratePerSecond("campaign", rule));
  if (before === null) {
    return {
      calls: most,
      campaignCalls: mostOfCampaigns,
      atMs: now,
      bookedUntilMs: { transactional: 0, campaign: 0 },
    };
  }
  // A clock that goes back adds and removes nothing.
  const seconds = Math.max(0, now - before.atMs) / secondMs;
  return {
    ...before,
    calls: Math.min(most, before.calls + seconds * rule.perSecond),
    campaignCalls: Math.min(mostOfCampaigns, before.campaignCalls + seconds * ratePerSecond("campaign", rule)),
    atMs: now,
  };
}

function ratePerSecond(lane: Lane, { perSecond, transactionalShare }: PaceRule): number {
  return lane === "campaign" ? perSecond * (1 - transactionalShare) : perSecond;
}

function book(state: PaceState, lane: Lane, count: number, rule: PaceRule, now: number): [PaceState, number[]] {
  if (count === 0) return [state, []];
  const { bookedUntilMs } = state;
  const from = Math.max(now, bookedUntilMs[lane], lane === "campaign" ? bookedUntilMs.transactional : 0);
  const everyMs = secondMs / ratePerSecond(lane, rule);
  const laterMs = Array.from({ length: count }, (_, index) =>
    Math.min(Math.ceil(from + (index + 1) * everyMs), now + maxWaitMs),
  );
  const last = laterMs.at(-1) ?? now;
  return [{ ...state, bookedUntilMs: { ...bookedUntilMs, [lane]: last } }, laterMs];
}
