import type { JsonValue } from "../json";
import { Budget } from "./budget";
import { parseTemplate, renderTemplate } from "./render";

/**
 * Renders every text in a value, with one budget for all of them; keys stay unchanged. Throws what `parseTemplate` and
 * `renderTemplate` throw.
 */
export function renderJson(value: JsonValue, variables: Record<string, unknown>, budget = new Budget()): JsonValue {
  if (typeof value === "string") return renderTemplate(parseTemplate(value, "value", budget), variables, budget);
  if (typeof value !== "object" || value === null) return value;
  if (Array.isArray(value)) return value.map((inner) => renderJson(inner, variables, budget));
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, renderJson(inner, variables, budget)]));
}
