import type { Id } from "../ids";
import type { JsonObject } from "../json";

/** The outcome of an execution's step. It is a plain value, which has not been applied to the execution yet. */
export type StepOutcome =
  /**
   * The step is over. `skipped` says why it had no effect, `because` why it took its branch. Without a branch the
   * execution follows the default transition.
   */
  | { kind: "done"; branch?: string; output?: JsonObject; skipped?: string; because?: string }
  /** The step is over at that time, in milliseconds since 1970. */
  | { kind: "sleeps"; until: number }
  /** The step is over with the first such event after `since`, exclusive, or at `until`. */
  | { kind: "waits"; eventName: string; since: Id; until: number | null }
  /** A consumer makes the call and reports the outcome. If no report arrives by `until`, the execution asks. */
  | { kind: "called"; until: number }
  /** The step cannot run now, and is retried at that time. */
  | { kind: "later"; at: number; reason: string }
  | { kind: "exits"; reason: string | null }
  /** The contact no longer exists, so the execution cannot continue. */
  | { kind: "cancelled"; reason: string }
  | { kind: "failed"; reason: string };
