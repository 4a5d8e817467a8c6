import type { FilterCondition } from "../../core/audience/condition";
import { searchText } from "../../core/search";

/** Returns the condition that finds a part of an address among those who match. Null when neither is asked for. */
export function searchedAnd(search: string, condition: FilterCondition | null): FilterCondition | null {
  const value = searchText(search).trim();
  if (value === "") return condition;
  const filters = [{ field: "email", operator: "contains" as const, value }];
  return { logic: "AND", groups: [{ filters, conditions: condition }] };
}
