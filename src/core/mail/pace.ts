import { secondMs } from "../time";
import type { Lane } from "./message";

/** The allowed rate of calls to the provider's account. */
export interface PaceRule {
  perSecond: number;
  /**
   * The share of the calls, from 0 to 1, that the campaign lane must leave unused, so that a password reset is sent at
   * once.
   */
  transactionalShare: number;
}

/** A bucket of calls: how many may be made at `atMs`. */
export interface PaceState {
  calls: number;
  /** The number of these calls that the campaign lane may make. */
  campaignCalls: number;
  atMs: number;
}

/** The tolerance for sums of fractions of a second, which may end slightly below a whole number. */
const rounding = 1e-6;

/** Returns the bucket at a given time. It holds one second's worth of calls, and is full at first. */
export function refilled(before: PaceState | null, rule: PaceRule, now: number): PaceState {
  const [most, mostOfCampaigns] = [capacity("transactional", rule), capacity("campaign", rule)];
  if (before === null) return { calls: most, campaignCalls: mostOfCampaigns, atMs: now };
  // A clock that goes back neither adds nor removes anything.
  const seconds = Math.max(0, now - before.atMs) / secondMs;
  return {
    calls: Math.min(most, before.calls + seconds * ratePerSecond("transactional", rule)),
    campaignCalls: Math.min(mostOfCampaigns, before.campaignCalls + seconds * ratePerSecond("campaign", rule)),
    atMs: now,
  };
}

/** Returns how many whole calls a lane may make now. */
export function callsNow(state: PaceState, lane: Lane): number {
  return Math.max(0, Math.floor(leftOf(state, lane) + rounding));
}

/** Returns when a lane may make this many calls, or as many as the bucket holds if that is fewer. */
export function callsAt(state: PaceState, lane: Lane, calls: number, rule: PaceRule): number {
  const missing = (count: number, left: number) => Math.max(0, Math.min(count, capacity(lane, rule)) - left);
  const seconds = [missing(calls, state.calls) / rule.perSecond];
  if (lane === "campaign") seconds.push(missing(calls, state.campaignCalls) / ratePerSecond(lane, rule));
  return state.atMs + Math.ceil(Math.max(...seconds) * secondMs - rounding);
}

/** Takes calls out of the bucket; a negative number gives unused ones back. */
export function takeCalls(state: PaceState, lane: Lane, calls: number): PaceState {
  return {
    ...state,
    calls: state.calls - calls,
    campaignCalls: state.campaignCalls - (lane === "campaign" ? calls : 0),
  };
}

function leftOf({ calls, campaignCalls }: PaceState, lane: Lane): number {
  return lane === "campaign" ? Math.min(calls, campaignCalls) : calls;
}

function capacity(lane: Lane, rule: PaceRule): number {
  return Math.max(1, ratePerSecond(lane, rule));
}

/** Returns how many calls per second a lane may make continuously. */
export function ratePerSecond(lane: Lane, { perSecond, transactionalShare }: PaceRule): number {
  return lane === "campaign" ? perSecond * (1 - transactionalShare) : perSecond;
}
