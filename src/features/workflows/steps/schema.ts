import { z } from "zod";
import { readId } from "../../../core/ids";
import { isJsonObject, type JsonObject } from "../../../core/json";
import { Name } from "../../../core/name";
import { StepConfig } from "../../../core/workflows/config";
import { definitionOf, stepTypes } from "../../../core/workflows/step";
import { oneOfTypes, shapesByType } from "./by-type";

const maxPosition = 1_000_000;

const example = {
  workflowId: "0199a0f2-b3c4-7a1b-8c2d-3e4f5a6b7c8d",
  templateId: null,
  createdAt: "2026-01-31T09:00:00.000Z",
  updatedAt: "2026-01-31T09:00:00.000Z",
};

export const triggerStepExample = {
  ...example,
  id: "0199a0f2-b3c5-7d11-9a2b-4c5d6e7f8a9b",
  type: "TRIGGER" as const,
  name: "TRIGGER",
  position: { x: 0, y: 0 },
  config: {},
};

export const stepExample = {
  ...example,
  id: "0199a0f2-b4d0-7e22-8b3c-5d6e7f8a9b0c",
  type: "SEND_EMAIL" as const,
  name: "Say hello",
  position: { x: 0, y: 150 },
  config: { recipient: { type: "CONTACT" as const } },
  templateId: "0199a0f2-7a10-7d31-8c42-9e5f6a7b8c9d",
};

const Position = z
  .object({
    x: z.number().min(-maxPosition).max(maxPosition),
    y: z.number().min(-maxPosition).max(maxPosition),
  })
  .meta({ description: "Where the step is drawn. The position has no other effect." });

const stepFields = {
  id: z.string(),
  key: z.string().optional().meta({ description: "The key of the step in documents. Absent if its key is its id." }),
  workflowId: z.string(),
  name: z.string().meta({ description: "The name of the step. Later steps read its output as `steps.<name>`." }),
  position: Position,
  templateId: z
    .string()
    .nullable()
    .meta({ description: "The template that a SEND_EMAIL step sends. Null if there is none." }),
  createdAt: z.iso.datetime(),
  updatedAt: z.iso.datetime(),
};

export const Step = z
  .object({ ...stepFields, type: z.enum(stepTypes), config: StepConfig })
  .meta({ id: "WorkflowStep", example: stepExample, ...oneOfTypes("", stepTypes) });

/** A config, which `readConfig` reads according to the type of the step. */
const Config = z
  .custom<JsonObject>(isJsonObject, { error: "Must be an object", params: { code: "invalid_type" } })
  .meta({
    type: "object",
    anyOf: stepTypes.map((type) => ({ $ref: `#/components/schemas/${definitionOf(type).config.meta()?.id}` })),
    description: "The settings of the step, which depend on its type. At most 32 KB.",
  });

/** The fields of a step that a call sets. */
export const fields = {
  name: Name,
  config: Config,
  templateId: z
    .string()
    .min(1)
    .transform(readId)
    .nullish()
    .meta({ description: "The template to send, for SEND_EMAIL only. Overrides `config.templateId`." }),
  position: Position,
};

/** All types except TRIGGER, which is created with its workflow. */
const newTypes = stepTypes.filter((type) => type !== "TRIGGER");

const newFields = {
  name: fields.name.nullish().meta({ description: "The name of the step. Default: its type." }),
  templateId: fields.templateId,
  position: Position.nullish(),
  connectFrom: z
    .string()
    .min(1)
    .transform(readId)
    .nullish()
    .meta({ description: "The id of an existing step that will lead to the new one." }),
  branch: z
    .string()
    .min(1)
    .nullish()
    .meta({ description: "The branch of `connectFrom` that leads to the new step, if that step has branches." }),
};

export const CreateStep = z.object({ ...newFields, type: z.enum(newTypes), config: Config.nullish() }).meta({
  id: "CreateWorkflowStep",
  ...oneOfTypes("Create", newTypes),
  example: { type: "DELAY", config: { amount: 2, unit: "days" }, connectFrom: triggerStepExample.id },
});
export type CreateStep = z.infer<typeof CreateStep>;

export const UpdateStep = z
  .object({
    name: fields.name.optional(),
    config: Config.optional().meta({ description: "The new config, which replaces the whole old one. At most 32 KB." }),
    templateId: fields.templateId,
    position: Position.optional(),
    type: z
      .string()
      .optional()
      .meta({ description: "The type of the step, which cannot change: any other type is refused." }),
  })
  .meta({ id: "UpdateWorkflowStep", example: { config: { amount: 3, unit: "days" } } });
export type UpdateStep = z.infer<typeof UpdateStep>;

/** The schemas of steps in answers and in the calls that create them, by their names in the OpenAPI document. */
export const stepShapes = [...shapesByType("", stepTypes, stepFields), ...shapesByType("Create", newTypes, newFields)];
