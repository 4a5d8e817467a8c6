import { analyzeSync, toValueSync } from "liquidjs";
import { Budget } from "./budget";
import { MeteredContext } from "./context";
import { engines } from "./engine";
import type { Template } from "./render";

/**
 * The variables of templates without a value: missing, null or empty, as for `??`. Branches that are not taken count
 * too, because the next recipient may take them. Variables that a template sets itself do not count.
 */
export function missingVariables(templates: Template[], variables: Record<string, unknown>): string[] {
  return [...new Set(templates.flatMap((template) => missingIn(template, variables)))];
}

function missingIn({ kind, liquid }: Template, variables: Record<string, unknown>): string[] {
  if (!liquid) return [];
  const scope: object = Object.assign(Object.create(null), variables);
  const context = new MeteredContext(scope, engines[kind], new Budget());
  const named = Object.values(analyzeSync(liquid.nodes).globals).flat();
  return named.flatMap(({ segments }) => {
    const path = knownPart(segments);
    return hasValue(toValueSync(context._get(path))) ? [] : [written(path)];
  });
}

/** `prices[currency].net` is known up to `prices`; `currency` counts on its own. */
function knownPart(segments: unknown[]): (string | number)[] {
  const end = segments.findIndex((segment) => typeof segment !== "string" && typeof segment !== "number");
  // All segments before the first other one have these types.
  return (end < 0 ? segments : segments.slice(0, end)) as (string | number)[];
}

function hasValue(value: unknown): boolean {
  return value !== undefined && value !== null && value !== "";
}

function written(path: (string | number)[]): string {
  return path.reduce<string>((name, part) => {
    if (typeof part === "number") return `${name}[${part}]`;
    return name === "" ? part : `${name}.${part}`;
  }, "");
}
