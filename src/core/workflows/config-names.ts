import { z } from "zod";
import { isJsonObject } from "../json";
import type { Warning } from "../warning";
import { definitionOf, type StepType, stepTypes } from "./step";

/** The names in the config of each type. */
const names: (readonly [StepType, string[]])[] = stepTypes.map((type) => [type, namesIn(definitionOf(type).config)]);

/** The names in the config of any type. */
export const configNames: string[] = [...new Set(names.flatMap(([, known]) => known))];

/** Returns the names of an object's schema, or of all its forms. */
function namesIn(schema: unknown): string[] {
  if (schema instanceof z.ZodObject) return Object.keys(schema.shape);
  if (schema instanceof z.ZodPipe) return namesIn(schema.in);
  return schema instanceof z.ZodUnion ? schema.options.flatMap(namesIn) : [];
}

/**
 * Returns warnings for names that only the configs of other types have, and that are ignored. Names that no type has
 * are reported for every body elsewhere.
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
