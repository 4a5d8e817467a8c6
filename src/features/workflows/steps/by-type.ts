import { z } from "zod";
import { definitionOf, type StepType } from "../../../core/workflows/step";

/**
 * The prefix of a schema's name, which says where the step appears: in an answer, in the call that creates it, in a
 * document that is returned, or in a document that is sent.
 */
type Prefix = "" | "Create" | "Document" | "PutDocument";

/**
 * Returns the schemas of a step in the OpenAPI document, one per type, by name. A client that is generated from them
 * has typed configs. Requests are validated by a single schema that covers all types.
 */
export function shapesByType(prefix: Prefix, types: readonly StepType[], fields: z.ZodRawShape) {
  const isSent = prefix === "Create" || prefix === "PutDocument";
  return types.map((type) => {
    const Config = definitionOf(type).config;
    const mayBeLeftOut = isSent && Config.safeParse({}).success;
    const config = mayBeLeftOut ? Config.nullish() : Config;
    return [nameOf(prefix, type), z.object({ ...fields, type: z.literal(type), config })] as const;
  });
}

/** Returns the OpenAPI schema of a step: one of the schemas of `shapesByType`, selected by its `type`. */
export function oneOfTypes(prefix: Prefix, types: readonly StepType[]) {
  const mapping = Object.fromEntries(types.map((type) => [type, `#/components/schemas/${nameOf(prefix, type)}`]));
  return {
    type: "object",
    required: ["type"],
    oneOf: Object.values(mapping).map(($ref) => ({ $ref })),
    discriminator: { propertyName: "type", mapping },
  } as const;
}

/** Returns a name such as CreateWaitForEventStep. */
function nameOf(prefix: Prefix, type: StepType): string {
  const words = type.toLowerCase().split("_");
  return `${prefix}${words.map((word) => word.slice(0, 1).toUpperCase() + word.slice(1)).join("")}Step`;
}
