import type { SQL } from "drizzle-orm";
import type { FilterCondition } from "./condition";
import type { Bind, Operand } from "./operand";

/** How to find a segment's members: by the membership rows, or by its condition. */
export type SegmentSource = "members" | FilterCondition;

/** The meaning of a condition's names in SQL. `compile` knows logic and operators, but no tables. */
export interface Resolver {
  field(name: string, bind: Bind): Operand;
  /** Whether there is an event of this name, from this id on if one is given. Never NULL. */
  hasEvent(name: SQL, firstId: SQL | null): SQL;
  /** Whether the contact gets the mail of a topic, by its choice or the topic's default; NULL when there is none. */
  topic(slug: SQL): SQL;
  segment(id: string): SegmentSource;
  /** Whether there is a membership row. Never NULL. */
  isMember(segmentId: SQL): SQL;
}
