import { type FilterCondition, filtersOf } from "./condition";
import type { Filter } from "./filter";

const maxShown = 80;

/** Writes a filter for a person to read: `data.plan equals "pro"`. */
export function filterText({ field, operator, value, unit }: Filter): string {
  return [field, operator, ...(value === undefined ? [] : [shownValue(value)]), ...(unit ? [unit] : [])].join(" ");
}

/** Writes the filters of a condition, at most `most` of them. */
export function conditionText(condition: FilterCondition, most: number): string {
  const filters = [...filtersOf(condition)].map(({ filter }) => filterText(filter));
  return filters.length > most ? `${filters.slice(0, most).join(", ")} …` : filters.join(", ");
}

export function shownValue(value: unknown): string {
  const text = JSON.stringify(value);
  return text.length > maxShown ? `${text.slice(0, maxShown).toWellFormed()}…` : text;
}
