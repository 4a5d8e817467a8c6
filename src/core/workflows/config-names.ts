import { z } from "zod";
import { isJsonObject } from "../json";
import type { Warning } from "../warning";
import { definitionOf, type StepType, stepTypes } from "./step";

/** The keys that the config of each type of step may have. */
const names: (readonly [StepType, string[]])[] = stepTypes.map((type) => [type, namesIn(definitionOf(type).config)]);

/** The keys that the config of any type of step may have. */
export const configNames: string[] = [...new Set(names.flatMap(([, known]) => known))];

/** Returns the keys of an object schema, or those of all options of a union. */
function namesIn(schema: unknown): string[] {
  if (schema instanceof z.ZodObject) return Object.keys(schema.shape);
  if (schema instanceof z.ZodPipe) return namesIn(schema.in);
  return schema instanceof z.ZodUnion ? schema.options.flatMap(namesIn) : [];
}

/**
 * Returns a warning for each name that belongs to the config of another step type, and is therefore ignored. Names that
 * belong to no type are reported elsewhere, by the check of all request bodies.
 */
export function foreignNames(type: StepType, config: unknown): Warning[] {
  if (!isJsonObject(config)) return [];
  return Object.keys(config).flatMap((name) => {
    const owners = names.filter(([, known]) => known.includes(name)).map(([owner]) => owner);
    if (owners.length === 0 || owners.includes(type)) return [];
    const message = `Not in the config of a ${type} step, and ignored. It belongs to ${owners.join(" and ")}.`;
    return [{ field: `config.${name}`, message }];
  });
}
