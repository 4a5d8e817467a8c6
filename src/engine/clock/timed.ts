import type { SQL } from "drizzle-orm";
import type { Context } from "../../platform/context";

/**
 * Something that happens by the time of a project, or must have ended before its time moves on. Real projects have a sweep,
 * a queue's message or an alarm for it. Of a project with its own clock, only whoever moves that does it: with the same
 * verbs.
 */
export interface Timed {
  /** What it is, for the reason of an advance that does not come to an end. */
  name: string;
  /** Whether there is something to do at the present time of the project, or something under way: a condition. */
  isDue(ctx: Context): SQL;
  /** Does what is due, or a part of it. */
  settle(ctx: Context): Promise<void>;
  /** When something is due next, after the present time: an expression, NULL when nothing is. */
  nextAt?(ctx: Context): SQL;
  /** The same of what no single expression can say. */
  foresee?(ctx: Context): Promise<number | null>;
}
