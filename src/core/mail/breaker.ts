import { type Backoff, backoffMs } from "../backoff";
import { minuteMs, secondMs } from "../time";

/** The number of consecutive failed calls after which a lane pauses. */
export const patience = 3;

/** A lane that has been paused for this long counts as down: its mail may go through another account. */
const downAfterMs = minuteMs;
const pause: Backoff = { firstMs: 30 * secondMs, growth: 2, maxMs: 10 * minuteMs };
const rest: Backoff = { firstMs: secondMs, growth: 2, maxMs: minuteMs };

/**
 * The state of a lane. When a call gets no answer, its mail may still have been sent, so each such call can leave mail
 * UNKNOWN. After three consecutive failures, or when the provider refuses the account itself, the lane pauses. The next
 * call is then a probe with one real mail. A throttled lane rests for a moment and continues without a probe.
 */
export interface LaneState {
  failures: number;
  /** The number of pauses since the provider last answered. Each pause is twice as long as the previous one. */
  pauses: number;
  /** The end of the pause, after which the next call is the probe. Null while the lane is open. */
  pausedUntil: number | null;
  /** The beginning of the first pause since the provider last answered. Null while the lane is open. */
  pausedSince: number | null;
  /** The number of consecutive rounds that the provider answered with 429. */
  throttles: number;
  restsUntil: number;
}

export const openLane: LaneState = {
  failures: 0,
  pauses: 0,
  pausedUntil: null,
  pausedSince: null,
  throttles: 0,
  restsUntil: 0,
};

/** The state of the account, judged from a round of calls. */
export type Verdict =
  /** At least one call got an answer about its mail: accepted, or refused because of the mail itself. */
  | { kind: "answered" }
  /** Every call failed: it got no answer, or a 5xx. */
  | { kind: "failed"; calls: number }
  /** Every call got a 429. `askedMs` is how long the provider asks us to wait. */
  | { kind: "throttled"; askedMs: number }
  /** The provider refuses the account, regardless of the mail, because of its key, its plan or its reputation. */
  | { kind: "blocked" }
  /** No call was made. */
  | { kind: "unused" };

/** Returns when the lane accepts its next call, and whether that call is the probe. */
export function nextCallAt({ pausedUntil, restsUntil }: LaneState): { at: number; isProbe: boolean } {
  return { at: Math.max(pausedUntil ?? 0, restsUntil), isProbe: pausedUntil !== null };
}

/** Whether the lane has been paused long enough for its mail to go through another account. */
export function isDown({ pausedSince }: LaneState, now: number): boolean {
  return pausedSince !== null && now >= pausedSince + downAfterMs;
}

/** Returns the state during the probe: the lane stays paused for all other calls. */
export function probing(state: LaneState, until: number): LaneState {
  return { ...state, pausedUntil: until };
}

/**
 * Returns the lane after a round of calls. `random` is from 0 up to 1, and keeps the pauses of several lanes from
 * ending together.
 */
export function afterCalls(
  state: LaneState,
  verdict: Verdict,
  { isProbe, now, random }: { isProbe: boolean; now: number; random: number },
): LaneState {
  // A call that began before the pause and ends during it adds nothing new.
  if (state.pausedUntil !== null && !isProbe) return state;
  switch (verdict.kind) {
    case "answered":
      return openLane;
    case "throttled": {
      const restMs = Math.max(backoffMs(rest, state.throttles), Math.min(verdict.askedMs, pause.maxMs));
      return { ...openLane, throttles: state.throttles + 1, restsUntil: now + restMs };
    }
    case "failed": {
      const failures = state.failures + verdict.calls;
      return isProbe || failures >= patience ? paused({ ...state, failures }, now, random) : { ...state, failures };
    }
    case "blocked":
      return paused(state, now, random);
    case "unused":
      return isProbe ? { ...state, pausedUntil: now } : state;
  }
}

function paused(state: LaneState, now: number, random: number): LaneState {
  const pauseMs = Math.round(backoffMs(pause, state.pauses) * (1 - random / 4));
  const pausedSince = state.pausedSince ?? now;
  return { ...state, pauses: state.pauses + 1, pausedUntil: now + pauseMs, pausedSince };
}
