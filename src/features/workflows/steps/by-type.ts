import { z } from "zod";
import { documentedConfigs } from "../../../core/workflows/config-schema";
import type { StepType } from "../../../core/workflows/step";

/** Types whose config may be left out. */
const withoutConfig: ReadonlySet<StepType> = new Set(["SEND_EMAIL", "UPDATE_CONTACT", "EXIT"]);

/**
 * The shapes of a step in the document, one for each type, by their names there. A client that is generated from them
 * types each config. Requests are validated by the one schema that they add up to.
 */
export function shapesByType(verb: "" | "Create", types: readonly StepType[], fields: z.ZodRawShape) {
  return types.map((type) => {
    const Config = documentedConfigs[type];
    const config = verb === "Create" && withoutConfig.has(type) ? Config.nullish() : Config;
    return [nameOf(verb, type), z.object({ ...fields, type: z.literal(type), config })] as const;
  });
}

/** What the document says of a step: it is one of these shapes, by its `type`. */
export function oneOfTypes(verb: "" | "Create", types: readonly StepType[]) {
  const mapping = Object.fromEntries(types.map((type) => [type, `#/components/schemas/${nameOf(verb, type)}`]));
  return {
    type: "object",
    required: ["type"],
    oneOf: Object.values(mapping).map(($ref) => ({ $ref })),
    discriminator: { propertyName: "type", mapping },
  } as const;
}

/** WAIT_FOR_EVENT is CreateWaitForEventStep. */
function nameOf(verb: string, type: StepType): string {
  const words = type.toLowerCase().split("_");
  return `${verb}${words.map((word) => word.slice(0, 1).toUpperCase() + word.slice(1)).join("")}Step`;
}
