import type { FilterCondition } from "../../core/audience/condition";
import { searchText } from "../../core/search";

/**
 * Returns a condition for the contacts that match the given condition and whose address contains the text. Null when
 * there is neither a text nor a condition.
 */
export function searchedAnd(search: string, condition: FilterCondition | null): FilterCondition | null {
  const value = searchText(search).trim();
  if (value === "") return condition;
  const filters = [{ field: "email", operator: "contains" as const, value }];
  return { logic: "AND", groups: [{ filters, conditions: condition }] };
}
