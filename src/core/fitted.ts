import { isJsonObject, type JsonValue } from "./json";

/**
 * The limits for a value: the characters of a text, the items of a list, the keys of an object, and the levels of
 * nesting.
 */
interface Measure {
  text: number;
  items: number;
  keys: number;
  depth: number;
}

/** From generous to strict. The first measure with which the value fits is used. */
const measures: Measure[] = [
  { text: 8_000, items: 100, keys: 200, depth: 12 },
  { text: 2_000, items: 50, keys: 100, depth: 8 },
  { text: 500, items: 20, keys: 50, depth: 6 },
  { text: 200, items: 10, keys: 30, depth: 5 },
  { text: 100, items: 5, keys: 20, depth: 4 },
  { text: 50, items: 3, keys: 10, depth: 3 },
];

/**
 * Shortens the strings, lists and objects of a value until it has at most `maxLength` characters as JSON. `isCut` says
 * whether anything was left out. At each cut, a note says how much is missing.
 */
export function fitted(value: JsonValue, maxLength: number): { value: JsonValue; isCut: boolean } {
  for (const measure of measures) {
    const cutting = { measure, isCut: false };
    const kept = keep(value, cutting, 0);
    if (JSON.stringify(kept).length <= maxLength) return { value: kept, isCut: cutting.isCut };
  }
  return { value: "Too large to be shown", isCut: true };
}

interface Cutting {
  measure: Measure;
  isCut: boolean;
}

function keep(value: JsonValue, cutting: Cutting, depth: number): JsonValue {
  const { measure } = cutting;
  if (typeof value === "string") {
    if (value.length <= measure.text) return value;
    cutting.isCut = true;
    return `${value.slice(0, measure.text)}… (${value.length - measure.text} more characters)`;
  }
  if (typeof value !== "object" || value === null) return value;
  if (depth === measure.depth) {
    cutting.isCut = true;
    return "… (nested too deep)";
  }
  if (isJsonObject(value)) {
    const entries = Object.entries(value);
    const kept = entries.slice(0, measure.keys).map(([key, inner]) => [key, keep(inner, cutting, depth + 1)]);
    if (entries.length === kept.length) return Object.fromEntries(kept);
    cutting.isCut = true;
    return { ...Object.fromEntries(kept), "…": `${entries.length - kept.length} more keys` };
  }
  const kept = value.slice(0, measure.items).map((inner) => keep(inner, cutting, depth + 1));
  if (kept.length === value.length) return kept;
  cutting.isCut = true;
  return [...kept, `… (${value.length - kept.length} more)`];
}
