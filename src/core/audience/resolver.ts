import type { SQL } from "drizzle-orm";
import type { FilterCondition } from "./condition";
import type { Bind, Operand } from "./operand";

/** How to find a segment's members: from its membership rows, or by its condition. */
export type SegmentSource = "members" | FilterCondition;

/** Translates the names in a condition to SQL. `compile` knows logic and operators, but no tables. */
export interface Resolver {
  field(name: string, bind: Bind): Operand;
  /**
   * Whether the contact has an event of this name. If `firstId` is given, only events with that id or a later one
   * count. Never NULL.
   */
  hasEvent(name: SQL, firstId: SQL | null): SQL;
  /**
   * Whether the contact receives the mail of a topic, by its own choice or the default of the topic; NULL when there is
   * no such topic.
   */
  topic(slug: SQL): SQL;
  segment(id: string): SegmentSource;
  /** Whether the contact has a membership row for this segment. Never NULL. */
  isMember(segmentId: SQL): SQL;
}
