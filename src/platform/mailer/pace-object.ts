import { DurableObject } from "cloudflare:workers";
import { type Admission, enterLane, healthyLane, isPaused, type LaneState, leaveLane } from "../../core/mail/breaker";
import type { Lane } from "../../core/mail/message";
import { type Grant, isBooked, type PaceRule, type PaceState, takeCalls, type Waiting } from "../../core/mail/pace";

/**
 * The provider's account, shared by all projects and isolates. It pauses a lane while the provider does not answer, and
 * keeps both lanes within the account's pace. It is one object for both lanes, because transactional mail goes first.
 * Each method is one synchronous step, so two callers can never both be told to probe, or get the same call.
 */
export class PaceObject extends DurableObject {
  // In memory only: an object that was evicted starts with one second's worth of calls, like one that was idle.
  private pace: PaceState | null = null;

  /** Called before each batch of mail. */
  enter(lane: Lane): Admission {
    const [state, admission] = enterLane(this.lane(lane), Date.now());
    if (admission.kind === "probe") this.keep(lane, state);
    return admission;
  }

  /**
   * Called after a round in which calls threw, or which ended a series of such rounds. Returns when the lane's pause
   * ends.
   */
  leave(lane: Lane, outcome: "answered" | { thrown: number }): number | null {
    const state = leaveLane(this.lane(lane), outcome, Date.now());
    this.keep(lane, state);
    return state.pausedUntil;
  }

  /** Called before each round of calls. */
  take(lane: Lane, wanted: number, rule: PaceRule): Grant {
    const [state, grant] = takeCalls(this.pace, lane, wanted, rule, Date.now());
    this.pace = state;
    return grant;
  }

  /** Called before a sweep of the lane's mail. */
  waitsFor(lane: Lane): Waiting | null {
    const now = Date.now();
    if (isPaused(this.lane(lane), now)) return "pause";
    return isBooked(this.pace, lane, now) ? "slots" : null;
  }

  private lane(lane: Lane): LaneState {
    return this.ctx.storage.kv.get<LaneState>(`lane:${lane}`) ?? healthyLane;
  }

  private keep(lane: Lane, state: LaneState): void {
    this.ctx.storage.kv.put(`lane:${lane}`, state);
  }
}
