import { type FilterCondition, filtersOf } from "./condition";
import { dataKeyOf, eventOf, segmentOf, topicOf } from "./fields";
import { isEventOperator, isFieldOperator, isSegmentOperator } from "./operators";

/** Resources whose conditions may name a field, an event or a segment. */
export type Referrer = "segment" | "campaign" | "workflow";

/** The names in a condition, sorted and without duplicates. */
export interface References {
  /** Fields as filters write them: `data.plan`. */
  fields: string[];
  events: string[];
  /** Ids of segments. */
  segments: string[];
}

/** Yields the topics that a condition names, each with its slug and its path. */
export function* topicsIn(condition: FilterCondition): Generator<{ slug: string; path: string }> {
  for (const { filter, path } of filtersOf(condition)) {
    const slug = isFieldOperator(filter.operator) ? topicOf(filter.field) : null;
    if (slug !== null) yield { slug, path: `${path}.field` };
  }
}

export function referencesOf(condition: FilterCondition): References {
  const named = { fields: new Set<string>(), events: new Set<string>(), segments: new Set<string>() };
  for (const { filter } of filtersOf(condition)) {
    const { field, operator } = filter;
    if (isEventOperator(operator)) named.events.add(eventOf(field));
    else if (isSegmentOperator(operator)) named.segments.add(segmentOf(filter) ?? "");
    else for (const name of fieldsOf(field)) named.fields.add(name);
  }
  return {
    fields: [...named.fields].sort(),
    events: [...named.events].sort(),
    segments: [...named.segments].sort(),
  };
}

/**
 * Returns the names for which a field counts. `data.profile.tier` may be a key of its own or a path inside the key
 * `profile`, so it counts as both.
 */
function fieldsOf(field: string): string[] {
  const [key = ""] = dataKeyOf(field)?.split(".") ?? [];
  return key === "" ? [field] : [field, `data.${key}`];
}
