import type { Filter, FilterCondition, FilterGroup } from "petrel-client";

/** A condition that is there: the type of the client also has null. */
export type Condition = NonNullable<FilterCondition>;

/** The condition that all these filters hold. */
export function conditionOf(filters: Filter[]): Condition {
  return { logic: "AND", groups: [{ filters }] };
}

/** How many filters a condition has, nested ones too. */
export function countFilters({ groups }: Condition): number {
  return groups.reduce(
    (sum, { filters, conditions }) => sum + filters.length + (conditions ? countFilters(conditions) : 0),
    0,
  );
}

/** The condition with another group at this place. A group without a filter goes, and null is a condition without a group. */
export function withGroup(condition: Condition, at: number, group: FilterGroup): Condition | null {
  const isEmpty = group.filters.length === 0 && !group.conditions;
  const groups = condition.groups.flatMap((one, place) => (place !== at ? [one] : isEmpty ? [] : [group]));
  return groups.length === 0 ? null : { ...condition, groups };
}

/** The condition with one more group. A first alternative makes it one that holds when any of its groups does. */
export function withAlternative(condition: Condition, filter: Filter): Condition {
  const logic = condition.groups.length === 1 ? "OR" : condition.logic;
  return { logic, groups: [...condition.groups, { filters: [filter] }] };
}
