import { analyzeSync, toValueSync } from "liquidjs";
import { Budget } from "./budget";
import { MeteredContext } from "./context";
import { engines } from "./engine";
import type { ParsedLiquid, Template } from "./render";

/**
 * Returns the variables of templates that have no value: missing, null or empty, as for `??`. Branches that are not
 * taken count too, because the next recipient may take them. Variables that a template sets itself do not count.
 */
export function missingVariables(
  templates: Template[],
  variables: Record<string, unknown>,
  budget = new Budget(),
): string[] {
  return [...new Set(templates.flatMap((template) => missingIn(template, variables, budget)))];
}

function missingIn({ kind, liquid }: Template, variables: Record<string, unknown>, budget: Budget): string[] {
  if (!liquid) return [];
  const scope: object = Object.assign(Object.create(null), variables);
  const context = new MeteredContext(scope, engines[kind], budget);
  return pathsIn(liquid).flatMap((path) => (hasValue(toValueSync(context._get(path))) ? [] : [written(path)]));
}

type Path = (string | number)[];

const knownPaths = new WeakMap<ParsedLiquid, Path[]>();

/** The names in a template, each once. They are cached, because one template is checked for many recipients. */
function pathsIn(liquid: ParsedLiquid): Path[] {
  const known = knownPaths.get(liquid);
  if (known) return known;
  const named = Object.values(analyzeSync(liquid.nodes).globals).flat();
  const paths = new Map(named.map(({ segments }) => knownPart(segments)).map((path) => [JSON.stringify(path), path]));
  const once = [...paths.values()];
  knownPaths.set(liquid, once);
  return once;
}

/**
 * Returns the part of a path that is known without values: `prices` for `prices[currency].net`. The name `currency`
 * counts on its own.
 */
function knownPart(segments: unknown[]): Path {
  const end = segments.findIndex((segment) => typeof segment !== "string" && typeof segment !== "number");
  // The cast is safe: all segments before `end` are strings or numbers.
  return (end < 0 ? segments : segments.slice(0, end)) as Path;
}

function hasValue(value: unknown): boolean {
  return value !== undefined && value !== null && value !== "";
}

function written(path: Path): string {
  return path.reduce<string>((name, part) => {
    if (typeof part === "number") return `${name}[${part}]`;
    return name === "" ? part : `${name}.${part}`;
  }, "");
}
