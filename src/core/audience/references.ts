import { type FilterCondition, filtersOf } from "./condition";
import { dataKeyOf, topicField } from "./fields";

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
  for (const { test, path } of filtersOf(condition)) {
    if (test.kind === "topic") yield { slug: test.slug, path: `${path}.field` };
  }
}

export function referencesOf(condition: FilterCondition): References {
  const named = { fields: new Set<string>(), events: new Set<string>(), segments: new Set<string>() };
  for (const { test } of filtersOf(condition)) {
    switch (test.kind) {
      case "field":
        for (const name of fieldsOf(test.field)) named.fields.add(name);
        break;
      case "topic":
        named.fields.add(topicField(test.slug));
        break;
      case "event":
        named.events.add(test.name);
        break;
      case "segment":
        named.segments.add(test.id);
    }
  }
  return {
    fields: [...named.fields].sort(),
    events: [...named.events].sort(),
    segments: [...named.segments].sort(),
  };
}

/**
 * Reports whether contacts can begin or cease to match merely because time passes. They can when a test has a window,
 * or names a segment, because the segment's condition might have a window.
 */
export function movesWithTime(condition: FilterCondition): boolean {
  return [...filtersOf(condition)].some(({ test }) =>
    "window" in test ? test.window !== null : test.kind === "segment",
  );
}

/**
 * Returns the fields that the field of a filter may mean. `data.profile.tier` may be a key of its own or a path inside
 * the key `profile`, so both are returned.
 */
function fieldsOf(field: string): string[] {
  const [key = ""] = dataKeyOf(field)?.split(".") ?? [];
  return key === "" ? [field] : [field, `data.${key}`];
}
