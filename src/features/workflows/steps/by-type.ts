import { z } from "zod";
import { definitionOf, type StepType } from "../../../core/workflows/step";

/**
 * The context of a step's schema: an answer with a step or a document, the call that creates a step, or the call that
 * sends a document.
 */
type Place = "" | "Create" | "Document" | "PutDocument";

/**
 * Returns the schemas of a step in the OpenAPI document, one per type, by name. A client that is generated from them
 * has typed configs. Requests are validated by a single schema that covers all types.
 */
export function shapesByType(place: Place, types: readonly StepType[], fields: z.ZodRawShape) {
  const isSent = place === "Create" || place === "PutDocument";
  return types.map((type) => {
    const Config = definitionOf(type).config;
    const mayBeLeftOut = isSent && Config.safeParse({}).success;
    const config = mayBeLeftOut ? Config.nullish() : Config;
    return [nameOf(place, type), z.object({ ...fields, type: z.literal(type), config })] as const;
  });
}

/** Returns the OpenAPI schema of a step: one of these schemas, by its `type`. */
export function oneOfTypes(place: Place, types: readonly StepType[]) {
  const mapping = Object.fromEntries(types.map((type) => [type, `#/components/schemas/${nameOf(place, type)}`]));
  return {
    type: "object",
    required: ["type"],
    oneOf: Object.values(mapping).map(($ref) => ({ $ref })),
    discriminator: { propertyName: "type", mapping },
  } as const;
}

/** Returns a name such as CreateWaitForEventStep. */
function nameOf(place: Place, type: StepType): string {
  const words = type.toLowerCase().split("_");
  return `${place}${words.map((word) => word.slice(0, 1).toUpperCase() + word.slice(1)).join("")}Step`;
}
