import { useQuery } from "@tanstack/react-query";
import type { Filter, FilterCondition } from "petrel-client";
import { useProject } from "../../api/project";
import { useWords } from "../../words/words";
import { hasWindow, nameAfter, specialKindOf } from "./operators";

/** Describes filters and whole conditions in words. */
export function useSentence() {
  const { words, locale } = useWords();
  const own = words.conditions;
  // A page's address can contain any operator.
  const operators: Record<string, string> = own.operators;
  const segments = useSegmentNames();

  function ofFilter(filter: Filter): string {
    const { field, operator, value, unit } = filter;
    const kind = specialKindOf(filter);
    if (kind === "segment") {
      const id = nameAfter("segment", field) ?? `${value ?? ""}`;
      return `${operators[operator]} ${segments.get(id) ?? id}`;
    }
    if (kind === "topic") {
      const isIn = (operator === "equals") === value;
      return `${isIn ? own.inTopic : own.notInTopic} ${nameAfter("topic", field)}`;
    }
    const name = nameAfter(kind === "event" ? "event" : "data", field) ?? field;
    const shown = hasWindow(operator) ? lengthOf(value, unit ?? "days", locale) : shownValue(value);
    return `${name} ${operators[operator] ?? operator} ${shown}`.trim();
  }

  function shownValue(value: unknown): string {
    if (typeof value === "boolean") return value ? own.yes : own.no;
    return typeof value === "number" ? new Intl.NumberFormat(locale).format(value) : `${value ?? ""}`;
  }

  function ofCondition({ logic, groups }: NonNullable<FilterCondition>): string {
    const said = groups.map(({ filters, conditions }) => {
      const parts = filters.map(ofFilter);
      if (conditions) parts.push(`(${ofCondition(conditions)})`);
      return parts.join(` ${own.and} `);
    });
    if (said.length === 1) return said[0] ?? "";
    return said.map((one) => `(${one})`).join(` ${logic === "AND" ? own.and : own.or} `);
  }

  return { ofFilter, ofCondition };
}

function useSegmentNames(): Map<string, string> {
  const { id: project, petrel } = useProject();
  const { data } = useQuery({
    queryKey: [project, "segments"],
    queryFn: ({ signal }) => petrel.segments.list({ signal }),
  });
  return new Map(data?.map(({ id, name }) => [id, name]));
}

/**
 * Returns a window's number with its unit. A value that is not a number is shown unchanged, because a page's address
 * can contain anything.
 */
function lengthOf(value: unknown, units: "days" | "hours" | "minutes", locale: string): string {
  // A page's address can contain any unit.
  const unit =
    new Map<string, string>([
      ["hours", "hour"],
      ["minutes", "minute"],
    ]).get(units) ?? "day";
  const amount = Number(value);
  if (!Number.isFinite(amount)) return `${value}`;
  return new Intl.NumberFormat(locale, { style: "unit", unit, unitDisplay: "long" }).format(amount);
}
