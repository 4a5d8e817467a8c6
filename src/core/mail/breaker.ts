import { type Backoff, backoffMs } from "../backoff";
import { minuteMs, secondMs } from "../time";

/** Calls that failed in a row before a lane pauses. */
export const patience = 3;

/** A lane that has been paused for this long is down: its mail may go through another account. */
const downAfterMs = minuteMs;
const pause: Backoff = { firstMs: 30 * secondMs, growth: 2, maxMs: 10 * minuteMs };
const rest: Backoff = { firstMs: secondMs, growth: 2, maxMs: minuteMs };

/**
 * The state of a lane. A call that got no answer may have handed its mail over, so each one can leave mail UNKNOWN. After
 * three failures in a row, or a refusal of the account itself, the lane pauses; then one call is the probe, with one
 * real mail. A lane that was throttled rests for a moment, and goes on without a probe.
 */
export interface LaneState {
  failures: number;
  /** Pauses since the provider last answered: each is twice as long as the one before. */
  pauses: number;
  /** The end of the pause; the next call after it is the probe. Null while the lane is open. */
  pausedUntil: number | null;
  /** The beginning of the first of these pauses. Null while the lane is open. */
  pausedSince: number | null;
  /** Rounds in a row that the provider answered with 429. */
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

/** The state of the account that a round of calls shows. */
export type Verdict =
  /** At least one call got an answer about its mail: accepted, or refused for its own sake. */
  | { kind: "answered" }
  /** Every call stayed without an answer, or got a 5xx. */
  | { kind: "failed"; calls: number }
  /** Every call got a 429. `askedMs` is the provider's own wish. */
  | { kind: "throttled"; askedMs: number }
  /** The provider refuses the account, whatever the mail: its key, its plan, its standing. */
  | { kind: "blocked" }
  /** No call was made. */
  | { kind: "unused" };

/** When the lane takes its next call, and whether that one is the probe. */
export function nextCallAt({ pausedUntil, restsUntil }: LaneState): { at: number; isProbe: boolean } {
  return { at: Math.max(pausedUntil ?? 0, restsUntil), isProbe: pausedUntil !== null };
}

/** Whether the lane has been paused long enough for its mail to go another way. */
export function isDown({ pausedSince }: LaneState, now: number): boolean {
  return pausedSince !== null && now >= pausedSince + downAfterMs;
}

/** While the probe is out, the lane stays paused for the others. */
export function probing(state: LaneState, until: number): LaneState {
  return { ...state, pausedUntil: until };
}

/** The lane after a round of calls. `random` is between 0 and 1: pauses of several lanes should not end together. */
export function afterCalls(
  state: LaneState,
  verdict: Verdict,
  { isProbe, now, random }: { isProbe: boolean; now: number; random: number },
): LaneState {
  // Calls that were made before the pause say nothing new when they end in it.
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
