import { z } from "zod";
import type { FieldCode } from "../errors";
import { isJsonObject } from "../json";
import { isStorable, storable, unstorableText } from "../storable";
import { dateMs, type Unit, units } from "./dates";
import { eventOf, isContactField, segmentOf, standardFields } from "./fields";
import type { Scalar } from "./operand";
import { isEventOperator, isFieldOperator, isSegmentOperator, type Operator, operators, takenBy } from "./operators";

/** Of a whole condition, with those that its membership filters bring in. */
export const maxDepth = 30;
export const maxFilters = 100;
/** No sound condition has more: each has a filter in it, or leads down to one. */
const maxGroups = maxDepth * maxFilters;
/** A hundred fields and values fit into the one parameter of a statement, whatever is in them. */
const maxFieldLength = 300;
const maxEventLength = 255;
const maxValueLength = 1000;

export interface Filter {
  field: string;
  operator: Operator;
  value?: Scalar;
  unit?: Unit;
}

/** Matches when all its filters match, and its nested condition too. */
export interface FilterGroup {
  filters: Filter[];
  conditions?: FilterCondition | null;
}

export interface FilterCondition {
  logic: "AND" | "OR";
  groups: FilterGroup[];
}

/** The fields that filters may name in one place of the API. */
interface Vocabulary {
  /** Goes before the names of the schemas in the API's document. */
  prefix: string;
  isField(name: string): boolean;
  /** All of them, for a caller. */
  fields: string;
}

/**
 * The schema of a condition over some fields. `conditions` of a group is one condition; as several are the groups of
 * one, a list is refused. What an operator does not take is dropped, as unknown keys are.
 */
export function conditionSchema(vocabulary: Vocabulary): z.ZodType<FilterCondition> {
  const { prefix, fields } = vocabulary;

  const Filter = z
    .object({
      field: z
        .string()
        .max(maxFieldLength)
        .refine(...storable)
        .meta({
          description:
            `${fields}. With an event operator, the event's name: \`purchase\` or \`event.purchase\`. ` +
            "With a membership operator `segment.<id>`, or `segment` with the id as the value.",
        }),
      operator: z.enum(operators),
      value: z.unknown().optional().meta({
        description:
          "A string, a number or a boolean; for comparisons a number or a date; for time windows the number of `unit`s.",
      }),
      unit: z.enum(units).nullish(),
    })
    .transform((sent, check) => readFilter(sent, vocabulary, check))
    .meta({ id: `${prefix}Filter`, example: { field: "data.plan", operator: "equals", value: "pro" } });

  const FilterGroup: z.ZodType<FilterGroup> = z
    .object({
      filters: z.array(Filter).meta({ description: "All of them must match." }),
      get conditions() {
        return FilterCondition.nullish();
      },
    })
    .refine(({ filters, conditions }) => filters.length > 0 || conditions, {
      message: "A group has at least one filter, or nested conditions",
      params: { code: "too_small" },
    })
    .meta({ id: `${prefix}FilterGroup` });

  const FilterCondition: z.ZodType<FilterCondition> = z
    // Limits come first, so that no validator walks through a tree of any size.
    .preprocess(
      keepLimits,
      z.object({
        logic: z.enum(["AND", "OR"]).meta({ description: "How the groups are combined." }),
        groups: z.array(FilterGroup).min(1),
      }),
    )
    .meta({
      id: `${prefix}FilterCondition`,
      description: `Nests ${maxDepth} deep at most, with ${maxFilters} filters in all.`,
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

/** What a segment or the audience of a campaign may say. */
export const FilterCondition = conditionSchema({
  prefix: "",
  isField: isContactField,
  fields: `${standardFields.join(", ")} or data.<key>`,
});

/** A filter with the path that leads to it, and how deep it lies. */
interface Placed {
  filter: Filter;
  path: string;
  depth: number;
}

export function* filtersOf(condition: FilterCondition, path = "", depth = 1): Generator<Placed> {
  for (const [index, { filters, conditions }] of condition.groups.entries()) {
    const group = `${path}groups.${index}.`;
    for (const [at, filter] of filters.entries()) yield { filter, path: `${group}filters.${at}`, depth };
    if (conditions) yield* filtersOf(conditions, `${group}conditions.`, depth + 1);
  }
}

function keepLimits(sent: unknown, check: z.RefinementCtx): unknown {
  const message = excessOf(sent);
  if (message === null) return sent;
  check.addIssue({ code: "custom", message, params: { code: "too_big" } });
  return z.NEVER;
}

/** What there is too much of in something that may be a condition. Stops looking as soon as it knows. */
function excessOf(sent: unknown): string | null {
  let [filters, groups] = [0, 0];
  function walk(condition: unknown, depth: number): string | null {
    if (!isJsonObject(condition)) return null;
    if (depth > maxDepth) return `Conditions nest ${maxDepth} deep at most`;
    const inside = listIn(condition, "groups");
    groups += inside.length;
    if (groups > maxGroups) return `A condition has at most ${maxGroups} groups`;
    for (const group of inside) {
      if (!isJsonObject(group)) continue;
      filters += listIn(group, "filters").length;
      if (filters > maxFilters) return `A condition has at most ${maxFilters} filters in all`;
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

type Fault = [key: "field" | "value" | "unit", code: FieldCode, message: string];

interface SentFilter {
  field: string;
  operator: Operator;
  value?: unknown;
  unit?: Unit | null;
}

function readFilter(sent: SentFilter, vocabulary: Vocabulary, check: z.RefinementCtx): Filter {
  const faults = [fieldFault(sent, vocabulary), valueFault(sent), unitFault(sent)].filter((fault) => fault !== null);
  for (const [key, code, message] of faults) {
    check.addIssue({ code: "custom", path: [key], message, params: { code } });
  }
  const { field, operator, value, unit } = sent;
  const takes = takenBy(operator);
  const isValueTaken = takes !== "nothing" || (field === "segment" && isSegmentOperator(operator));
  return {
    field,
    operator,
    // A value that is no scalar was found faulty above, and then nobody sees this.
    ...(isValueTaken ? { value: value as Scalar } : {}),
    ...(takes === "window" && unit ? { unit } : {}),
  };
}

function fieldFault(sent: SentFilter, { isField, fields }: Vocabulary): Fault | null {
  const { field, operator } = sent;
  if (isFieldOperator(operator)) {
    return isField(field) ? null : ["field", "custom", `This is no field of a contact: use ${fields}`];
  }
  if (isEventOperator(operator)) {
    const { length } = eventOf(field);
    if (length === 0) return ["field", "too_small", `${operator} takes the name of an event as its field`];
    if (length > maxEventLength)
      return ["field", "too_big", `An event's name has at most ${maxEventLength} characters`];
    return null;
  }
  if (segmentOf(sent) !== null) return null;
  if (field === "segment") return ["value", "required", "Give the segment's id, or say segment.<id> as the field"];
  return ["field", "custom", `${operator} takes segment.<id> as its field`];
}

function valueFault({ field, operator, value }: SentFilter): Fault | null {
  const takes = takenBy(operator);
  if (takes === "nothing") return null;
  if (value === undefined || value === null) return ["value", "required", `${operator} needs a value`];
  if (typeof value === "number" && !Number.isFinite(value)) return ["value", "too_big", "Must be a finite number"];
  if (takes === "window") {
    if (typeof value !== "number") return ["value", "invalid_type", "Must be the number of units"];
    return value > 0 ? null : ["value", "too_small", "Must be more than 0"];
  }
  if (takes === "sortable") {
    if (typeof value === "number" || (typeof value === "string" && dateMs(value) !== null)) return null;
    return ["value", "invalid_type", "Must be a number, or a date such as 2026-01-31 or 2026-01-31T09:00:00Z"];
  }
  if (typeof value === "string") return textFault(value);
  if (field === "email" && (operator === "contains" || operator === "notContains")) {
    return ["value", "invalid_type", "Must be a part of an address"];
  }
  const isScalar = typeof value === "number" || typeof value === "boolean";
  return isScalar ? null : ["value", "invalid_type", "Must be a string, a number or a boolean"];
}

function textFault(text: string): Fault | null {
  if (!isStorable(text)) return ["value", "invalid_string", unstorableText];
  return text.length > maxValueLength ? ["value", "too_big", `At most ${maxValueLength} characters`] : null;
}

function unitFault({ operator, unit }: SentFilter): Fault | null {
  const isMissing = takenBy(operator) === "window" && (unit === undefined || unit === null);
  return isMissing ? ["unit", "required", `${operator} needs a unit: ${units.join(", ")}`] : null;
}
