import { z } from "zod";
import { documentedConfigs } from "../../../core/workflows/config-schema";
import type { StepType } from "../../../core/workflows/step";

/** Types whose config may be left out. */
const withoutConfig: ReadonlySet<StepType> = new Set(["TRIGGER", "SEND_EMAIL", "UPDATE_CONTACT", "EXIT"]);

/** Where the shapes stand: answers of a step and of a document, a call that makes a step, and one that sends a document. */
type Place = "" | "Create" | "Document" | "PutDocument";

/**
 * The shapes of a step in the document, one for each type, by their names there. A client that is generated from them
 * types each config. Requests are validated by the one schema that they add up to.
 */
export function shapesByType(place: Place, types: readonly StepType[], fields: z.ZodRawShape) {
  const isSent = place === "Create" || place === "PutDocument";
  return types.map((type) => {
    const Config = documentedConfigs[type];
    const config = isSent && withoutConfig.has(type) ? Config.nullish() : Config;
    return [nameOf(place, type), z.object({ ...fields, type: z.literal(type), config })] as const;
  });
}

/** What the document says of a step: it is one of these shapes, by its `type`. */
export function oneOfTypes(place: Place, types: readonly StepType[]) {
  const mapping = Object.fromEntries(types.map((type) => [type, `#/components/schemas/${nameOf(place, type)}`]));
  return {
    type: "object",
    required: ["type"],
    oneOf: Object.values(mapping).map(($ref) => ({ $ref })),
    discriminator: { propertyName: "type", mapping },
  } as const;
}

/** WAIT_FOR_EVENT is CreateWaitForEventStep. */
function nameOf(place: Place, type: StepType): string {
  const words = type.toLowerCase().split("_");
  return `${place}${words.map((word) => word.slice(0, 1).toUpperCase() + word.slice(1)).join("")}Step`;
}
