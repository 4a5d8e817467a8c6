/**
 * Failures of D1 that are not caused by our statement:
 *
 * - `lost`: the connection or the database went away. A write might still have been committed. D1 advises a retry.
 * - `overloaded`: D1 refused the query before it began. An immediate retry makes the overload worse.
 * - `exhausted`: a query exceeded the limits of the database, which was reset together with all queries, including
 *   ours. A retry can take as long, and fail in the same way.
 * - `fenced`: the project is moving to another database, and its rows cannot be written for a moment. A retry succeeds
 *   after the project has been looked up again.
 */
export type Trouble = "lost" | "overloaded" | "exhausted" | "fenced";

/** The text with which a trigger refuses a write to a project that is being moved. */
export const fencedText = "petrel: the project is being moved";

/** Parts of the messages in D1's list of errors: https://developers.cloudflare.com/d1/observability/debug-d1/#error-list */
const messagesOf: Record<Trouble, string[]> = {
  fenced: [fencedText],
  overloaded: ["D1 DB is overloaded", "Too many requests queued", "Requests queued for too long"],
  exhausted: [
    "exceeded its memory limit and was reset",
    "exceeded its CPU time limit and was reset",
    "storage operation exceeded timeout",
  ],
  lost: [
    "Network connection lost",
    "caused object to be reset",
    "reset because its code was updated",
    "Cannot resolve D1 DB due to transient issue",
    "internal error; reference",
  ],
};

/**
 * Returns the trouble that an error of D1 reports, even if an error of drizzle wraps it; null when the statement is at
 * fault.
 */
export function troubleOf(error: unknown): Trouble | null {
  if (!(error instanceof Error)) return null;
  for (const trouble of ["fenced", "overloaded", "exhausted", "lost"] as const) {
    if (messagesOf[trouble].some((part) => error.message.includes(part))) return trouble;
  }
  return troubleOf(error.cause);
}

/**
 * The effect of a failed batch. `none`: it did not commit. `unknown`: it might have committed. `done`: it committed,
 * but its rows are not known.
 */
export type Effect = "none" | "unknown" | "done";

/** Thrown when D1 does not work at the moment. */
export class DatabaseAway extends Error {
  override readonly name = "DatabaseAway";

  constructor(
    readonly effect: Effect,
    cause?: unknown,
  ) {
    super("The database does not answer", { cause });
  }
}

/** Reports whether a call failed because D1 does not work at the moment, in a batch or outside of one. */
export function isTrouble(error: unknown): boolean {
  return error instanceof DatabaseAway || troubleOf(error) !== null;
}
