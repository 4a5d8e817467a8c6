import { DurableObject } from "cloudflare:workers";
import { type Admission, enterLane, healthyLane, isPaused, type LaneState, leaveLane } from "../../core/mail/breaker";
import type { Lane } from "../../core/mail/message";
import { type Grant, isBooked, type PaceRule, type PaceState, takeCalls } from "../../core/mail/pace";

/**
 * The provider's account, shared by every project and isolate. It holds a lane back while the provider does not
 * answer, and both within the account's pace: one object for both, as transactional mail goes first. Each method is
 * one synchronous step, so no two callers can both be told to probe, or be granted the same call.
 */
export class PaceObject extends DurableObject {
  // Kept in memory only: an object that was forgotten begins with a second's worth of calls, as one that rested.
  private pace: PaceState | null = null;

  /** Asked before each batch of mail. */
  enter(lane: Lane): Admission {
    const [state, admission] = enterLane(this.lane(lane), Date.now());
    if (admission.kind === "probe") this.keep(lane, state);
    return admission;
  }

  /** Told after a round in which calls threw, or which ended a streak of them. Returns until when the lane pauses. */
  leave(lane: Lane, outcome: "answered" | { thrown: number }): number | null {
    const state = leaveLane(this.lane(lane), outcome, Date.now());
    this.keep(lane, state);
    return state.pausedUntil;
  }

  /** Asked before each round of calls. */
  take(lane: Lane, wanted: number, rule: PaceRule): Grant {
    const [state, grant] = takeCalls(this.pace, lane, wanted, rule, Date.now());
    this.pace = state;
    return grant;
  }

  /** Asked before a sweep of the lane's mail: does that wait for the end of a pause, or for its slots? */
  isWaiting(lane: Lane): boolean {
    const now = Date.now();
    return isPaused(this.lane(lane), now) || isBooked(this.pace, lane, now);
  }

  private lane(lane: Lane): LaneState {
    return this.ctx.storage.kv.get<LaneState>(`lane:${lane}`) ?? healthyLane;
  }

  private keep(lane: Lane, state: LaneState): void {
    this.ctx.storage.kv.put(`lane:${lane}`, state);
  }
}
