import type { Id } from "../ids";
import type { JsonObject } from "../json";

/** The outcome of an execution's step. It is a plain value, which has not been applied to the execution yet. */
export type StepOutcome =
  /**
   * The step is over. `skipped` says why it had no effect, `because` why it took its branch. Without a branch, the
   * execution follows the default transition.
   */
  | { kind: "done"; branch?: string; output?: JsonObject; skipped?: string; because?: string }
  /** The step is over at the time `until`, in milliseconds since 1970. */
  | { kind: "sleeps"; until: number }
  /** The step is over at the first event of this name that is newer than `since`, or at the time `until`. */
  | { kind: "waits"; eventName: string; since: Id; until: number | null }
  /**
   * A consumer makes the call and reports its outcome. If no report arrives by `until`, the execution asks for the
   * outcome.
   */
  | { kind: "called"; until: number }
  /** The step cannot run now. It is retried at the time `at`. */
  | { kind: "later"; at: number; reason: string }
  | { kind: "exits"; reason: string | null }
  /** The contact no longer exists, so the execution cannot continue. */
  | { kind: "cancelled"; reason: string }
  | { kind: "failed"; reason: string };
