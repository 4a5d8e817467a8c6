import { DurableObject } from "cloudflare:workers";
import { type Admission, enterLane, healthyLane, type LaneState, leaveLane } from "../../core/mail/breaker";

const stateKey = "lane";

/**
 * One lane of the provider's account, shared by every project and isolate. It holds mail back while the provider
 * does not answer. Each method is one synchronous step, so no two callers can both be told to probe.
 */
export class PaceObject extends DurableObject {
  /** Asked before each round of calls. */
  enter(): Admission {
    const [state, admission] = enterLane(this.state(), Date.now());
    if (admission.kind === "probe") this.ctx.storage.kv.put(stateKey, state);
    return admission;
  }

  /** Told after a round in which calls threw, or which ended a streak of them. Returns until when the lane pauses. */
  leave(outcome: "answered" | { thrown: number }): number | null {
    const state = leaveLane(this.state(), outcome, Date.now());
    this.ctx.storage.kv.put(stateKey, state);
    return state.pausedUntil;
  }

  private state(): LaneState {
    return this.ctx.storage.kv.get<LaneState>(stateKey) ?? healthyLane;
  }
}
