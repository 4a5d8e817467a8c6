import type { SQL } from "drizzle-orm";
import type { Context } from "../../platform/context";

/**
 * Work that depends on a project's clock, or that must finish before the clock moves. Real projects have a sweep, a
 * queue message or an alarm for it. For a project with a test clock, only an advance of the clock does this work, with
 * the same verbs.
 */
export interface Timed {
  /** A name for the failure message of an advance that does not settle. */
  name: string;
  /** A condition in SQL: work is due at the project's present time, or is under way. */
  isDue(ctx: Context): SQL;
  /** Does the due work, or part of it. */
  settle(ctx: Context): Promise<void>;
  /** An SQL expression for the next time, after the present, at which work is due. NULL when there is none. */
  nextAt?(ctx: Context): SQL;
  /** The same, for work whose next time no single expression can compute. */
  foresee?(ctx: Context): Promise<number | null>;
}
