import { secondMs } from "../time";

/** Calls that threw in a row before a lane pauses. */
const patience = 3;
const pauseMs = 30 * secondMs;

/**
 * The state of a lane. A call that throws may have handed the mail over, so each one can leave an email UNKNOWN. After
 * three in a row, the lane hands nothing over until a harmless call (a probe) gets an answer.
 */
export interface LaneState {
  thrown: number;
  pausedUntil: number | null;
}

export type Admission =
  /** `troubled`: the last calls threw, so the lane must be told when calls succeed again. */
  | { kind: "open"; troubled: boolean }
  | { kind: "paused"; untilMs: number }
  /** The pause is over: one caller probes, and the others keep waiting. */
  | { kind: "probe" };

export const healthyLane: LaneState = { thrown: 0, pausedUntil: null };

export function enterLane(state: LaneState, now: number): [LaneState, Admission] {
  if (state.pausedUntil === null) return [state, { kind: "open", troubled: state.thrown > 0 }];
  if (isPaused(state, now)) return [state, { kind: "paused", untilMs: state.pausedUntil }];
  // If the prober dies, another one probes after one more pause.
  return [{ ...state, pausedUntil: now + pauseMs }, { kind: "probe" }];
}

/** Whether mail is held back. */
export function isPaused({ pausedUntil }: LaneState, now: number): boolean {
  return pausedUntil !== null && now < pausedUntil;
}

/** Records the calls of one round: `thrown` is how many of the last ones threw in a row, 0 if any answered. */
export function leaveLane(state: LaneState, outcome: "answered" | { thrown: number }, now: number): LaneState {
  if (outcome === "answered") return healthyLane;
  const thrown = state.thrown + outcome.thrown;
  return { thrown, pausedUntil: thrown >= patience ? now + pauseMs : null };
}
