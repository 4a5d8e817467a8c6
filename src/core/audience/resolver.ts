import type { SQL } from "drizzle-orm";
import type { FilterCondition } from "./condition";
import type { Bind, Operand } from "./operand";

/** How a segment's members are found: in the membership rows, or by its condition in their place. */
export type SegmentSource = "members" | FilterCondition;

/** What the names in a condition mean in SQL. `compile` knows logic and operators, and nothing of tables. */
export interface Resolver {
  field(name: string, bind: Bind): Operand;
  /** Is there an event of this name, and not before this id if one is given? Never NULL. */
  hasEvent(name: SQL, firstId: SQL | null): SQL;
  segment(id: string): SegmentSource;
  /** Is there a membership row? Never NULL. */
  isMember(segmentId: SQL): SQL;
}
