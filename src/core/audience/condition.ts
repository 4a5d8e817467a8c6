import { z } from "zod";
import { isJsonObject } from "../json";
import { storable } from "../storable";
import { units } from "./dates";
import { filterFields, isFilterField } from "./fields";
import { type FieldNames, type Filter, type FilterTest, maxFieldLength, parseFilter, readFilter } from "./filter";
import { operators } from "./operators";

/** Limits on a condition as a whole. The conditions of the segments that it names count, too. */
export const maxDepth = 30;
export const maxFilters = 100;
/**
 * The maximum number of groups that a valid condition can have: every group contains a filter, and a filter is inside
 * at most `maxDepth` groups.
 */
const maxGroups = maxDepth * maxFilters;

/** A group matches when all its filters and its nested condition match. */
export interface FilterGroup {
  filters: Filter[];
  conditions?: FilterCondition | null;
}

export interface FilterCondition {
  logic: "AND" | "OR";
  groups: FilterGroup[];
}

/** How to find a segment's members: from its membership rows, or by its condition. */
export type SegmentSource = "members" | FilterCondition;

/**
 * Returns the schema of one filter over the given fields. `prefix` is prepended to the schema's name in the API
 * document.
 */
export function filterSchema(names: FieldNames, prefix = "") {
  return z
    .object({
      field: z
        .string()
        .max(maxFieldLength)
        .refine(...storable)
        .meta({
          description:
            `The field to test: ${names.listed}. Event operators take the event's name: \`purchase\` or \`event.purchase\`. ` +
            "Membership operators take `segment.<id>`, or `segment` with the id as the value.",
        }),
      operator: z.enum(operators),
      value: z
        .unknown()
        .optional()
        .meta({
          description:
            "A string of at most 1,000 characters, a number or a boolean. Comparisons take a number or a date. " +
            "Time windows take the number of `unit`s.",
        }),
      unit: z.enum(units).nullish(),
    })
    .transform((sent, check) => readFilter(sent, names, check))
    .meta({ id: `${prefix}Filter`, example: { field: "data.plan", operator: "equals", value: "pro" } });
}

/**
 * Returns the schema of a condition whose filters have the schema `Filter`. The field `conditions` of a group takes a
 * single condition, not a list, because one condition can already have several groups. `prefix` is prepended to the
 * names of the schemas in the API document.
 */
export function conditionSchema(Filter: ReturnType<typeof filterSchema>, prefix = ""): z.ZodType<FilterCondition> {
  const FilterGroup: z.ZodType<FilterGroup> = z
    .object({
      filters: z.array(Filter).meta({ description: "Every filter must match." }),
      get conditions() {
        return FilterCondition.nullish();
      },
    })
    .refine(({ filters, conditions }) => filters.length > 0 || conditions, {
      message: "A group needs at least one filter, or nested conditions",
      params: { code: "too_small" },
    })
    .meta({ id: `${prefix}FilterGroup` });

  const FilterCondition: z.ZodType<FilterCondition> = z
    // The limits are checked first, so that no validator walks a tree of unlimited size.
    .preprocess(
      checkLimits,
      z.object({
        logic: z.enum(["AND", "OR"]).meta({ description: "How the groups are combined." }),
        groups: z.array(FilterGroup).min(1),
      }),
    )
    .meta({
      id: `${prefix}FilterCondition`,
      description: `Conditions nest at most ${maxDepth} levels deep, with at most ${maxFilters} filters in all.`,
      example: conditionExample,
    });

  return FilterCondition;
}

const conditionExample = {
  logic: "AND",
  groups: [
    {
      filters: [
        { field: "data.plan", operator: "equals", value: "pro" },
        { field: "purchase", operator: "triggeredWithin", value: 30, unit: "days" },
      ],
    },
  ],
};

/** The conditions of segments and of campaigns' audiences. */
export const FilterCondition = conditionSchema(
  filterSchema({ isField: isFilterField, listed: `${filterFields.join(", ")}, topic.<slug> or data.<key>` }),
);

/** Returns a condition that has only this filter. */
export function conditionOf(filter: Filter): FilterCondition {
  return { logic: "AND", groups: [{ filters: [filter] }] };
}

/** Returns the condition that matches the members of a segment. */
export function memberOf(segmentId: string): FilterCondition {
  return conditionOf({ field: `segment.${segmentId}`, operator: "memberOfSegment" });
}

/** A filter of a condition, with its parsed form, its path and its depth. */
interface PlacedFilter {
  filter: Filter;
  test: FilterTest;
  path: string;
  depth: number;
}

export function* filtersOf(condition: FilterCondition, path = "", depth = 1): Generator<PlacedFilter> {
  for (const [index, { filters, conditions }] of condition.groups.entries()) {
    const group = `${path}groups.${index}.`;
    for (const [at, filter] of filters.entries()) {
      yield { filter, test: parseFilter(filter), path: `${group}filters.${at}`, depth };
    }
    if (conditions) yield* filtersOf(conditions, `${group}conditions.`, depth + 1);
  }
}

function checkLimits(sent: unknown, check: z.RefinementCtx): unknown {
  const message = excessOf(sent);
  if (message === null) return sent;
  check.addIssue({ code: "custom", message, params: { code: "too_big" } });
  return z.NEVER;
}

/**
 * Returns a message for the limit that a value exceeds; null when it exceeds none. The value may be anything, not only
 * a valid condition. Stops at the first excess.
 */
function excessOf(sent: unknown): string | null {
  let [filters, groups] = [0, 0];
  function walk(condition: unknown, depth: number): string | null {
    if (!isJsonObject(condition)) return null;
    if (depth > maxDepth) return `Conditions may nest at most ${maxDepth} levels deep`;
    const inside = listIn(condition, "groups");
    groups += inside.length;
    if (groups > maxGroups) return `A condition may have at most ${maxGroups} groups`;
    for (const group of inside) {
      if (!isJsonObject(group)) continue;
      filters += listIn(group, "filters").length;
      if (filters > maxFilters) return `A condition may have at most ${maxFilters} filters in all`;
      const excess = walk(group.conditions, depth + 1);
      if (excess !== null) return excess;
    }
    return null;
  }
  return walk(sent, 1);
}

function listIn(object: Record<string, unknown>, key: string): unknown[] {
  const list = object[key];
  return Array.isArray(list) ? list : [];
}
