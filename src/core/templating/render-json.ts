import type { JsonValue } from "../json";
import { parseTemplate, renderTemplate } from "./render";

/** Renders every text in a value; keys stay. Throws what `parseTemplate` and `renderTemplate` throw. */
export function renderJson(value: JsonValue, variables: Record<string, unknown>): JsonValue {
  if (typeof value === "string") return renderTemplate(parseTemplate(value, "value"), variables);
  if (typeof value !== "object" || value === null) return value;
  if (Array.isArray(value)) return value.map((inner) => renderJson(inner, variables));
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, renderJson(inner, variables)]));
}
