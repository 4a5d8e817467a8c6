import type { Filter, FilterCondition, FilterGroup } from "petrel-client";

/** A condition that is set; the client's type also allows null. */
export type Condition = NonNullable<FilterCondition>;

/** Returns the condition that all these filters hold. */
export function conditionOf(filters: Filter[]): Condition {
  return { logic: "AND", groups: [{ filters }] };
}

/** Counts the filters of a condition, including nested ones. */
export function countFilters({ groups }: Condition): number {
  return groups.reduce(
    (sum, { filters, conditions }) => sum + filters.length + (conditions ? countFilters(conditions) : 0),
    0,
  );
}

/**
 * Returns the condition with another group at this index. A group without filters is removed; null when no group is
 * left.
 */
export function withGroup(condition: Condition, at: number, group: FilterGroup): Condition | null {
  const isEmpty = group.filters.length === 0 && !group.conditions;
  const groups = condition.groups.flatMap((one, place) => (place !== at ? [one] : isEmpty ? [] : [group]));
  return groups.length === 0 ? null : { ...condition, groups };
}

/** Returns the condition with one more group. After the first alternative is added, any of its groups may match. */
export function withAlternative(condition: Condition, filter: Filter): Condition {
  const logic = condition.groups.length === 1 ? "OR" : condition.logic;
  return { logic, groups: [...condition.groups, { filters: [filter] }] };
}
