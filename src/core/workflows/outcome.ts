import type { Id } from "../ids";
import type { JsonObject } from "../json";

/** What came of a run's step. It is a value: nothing has happened to the run yet. */
export type Outcome =
  /**
   * The step is over. `skipped` says why it had no effect, `because` why it came out as it did. Without a branch the run
   * goes on by the way without one.
   */
  | { kind: "done"; branch?: string; output?: JsonObject; skipped?: string; because?: string }
  /** The step is over at that time, in milliseconds since 1970. */
  | { kind: "sleeps"; until: number }
  /** The step is over with the first such event after `since`, exclusive, or at `until`. */
  | { kind: "waits"; eventName: string; since: Id; until: number | null }
  /** Somebody else does it and reports; if nothing is heard by `until`, they are asked again. */
  | { kind: "called"; until: number }
  /** The step cannot be done now, and is tried again at that time. */
  | { kind: "later"; at: number; reason: string }
  | { kind: "exits"; reason: string | null }
  /** There is nobody any more for whom the run could go on. */
  | { kind: "cancelled"; reason: string }
  | { kind: "failed"; reason: string };
