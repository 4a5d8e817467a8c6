import { z } from "zod";
import { isContactField } from "../../../core/audience/fields";
import { references } from "../../../core/audience/referrers";
import { standardFields } from "../../../core/contacts/standard-fields";
import { storable } from "../../../core/storable";
import { Warnings } from "../../../core/warning";

const standard = standardFields.join(", ");

export const FieldParam = z.object({
  field: z
    .string()
    .refine(...storable)
    .refine(isContactField, {
      message: `Must be data.<key> or one of ${standard}`,
      params: { code: "invalid_string" },
    })
    .meta({
      param: { name: "field", in: "path" },
      description: `\`data.<key>\`, URL-encoded, or one of ${standard}.`,
      example: "data.plan",
    }),
});

const largeProject = {
  approximate: z.literal(true).optional().meta({
    description: "Present if the project has more than 25,000 contacts.",
  }),
  countedAt: z.iso
    .datetime()
    .optional()
    .meta({ description: "When the contacts were counted. Present with `approximate`." }),
};

export const FieldList = z
  .object({
    fields: z.array(
      z.object({
        field: z.string(),
        type: z
          .enum(["string", "number", "boolean", "date"])
          .meta({ description: "The type of the first value stored in the project. It never changes." }),
        isCustom: z.boolean(),
        coverage: z
          .number()
          .min(0)
          .max(1)
          .meta({ description: "The share of contacts with a value in the field, from 0 to 1." }),
      }),
    ),
    ...largeProject,
    truncated: z.literal(true).optional().meta({
      description: "Present if the project has more than 1,000 custom fields: only the first 1,000 by name are listed.",
    }),
  })
  .meta({
    id: "FieldList",
    example: {
      fields: [
        { field: "createdAt", type: "date", isCustom: false, coverage: 1 },
        { field: "data.plan", type: "string", isCustom: true, coverage: 0.75 },
        { field: "email", type: "string", isCustom: false, coverage: 1 },
        { field: "subscribed", type: "boolean", isCustom: false, coverage: 1 },
        { field: "updatedAt", type: "date", isCustom: false, coverage: 1 },
      ],
    },
  });

export const FieldValues = z
  .object({
    field: z.string(),
    values: z.array(z.union([z.string(), z.number(), z.boolean()])).meta({
      description:
        "The distinct values: booleans first, then numbers, then strings. In a project of more than 25,000 " +
        "contacts, only the newest contacts are read.",
    }),
    count: z.number().int().meta({ description: "The number of distinct values." }),
    limit: z.number().int(),
    ...largeProject,
    warnings: Warnings,
  })
  .meta({ id: "FieldValues", example: { field: "data.plan", values: ["free", "pro"], count: 2, limit: 100 } });

export const FieldUsage = z
  .object({
    ...references,
    contactCount: z.number().int().meta({ description: "The number of contacts with a value in the field." }),
    canDelete: z
      .boolean()
      .meta({ description: "Whether you can delete the field: true for every custom field, even one in use." }),
    ...largeProject,
  })
  .meta({
    id: "FieldUsage",
    example: {
      usedInSegments: [{ id: "0199a0f2-5c10-7c21-9b32-8d4e5f6a7b8c", name: "On a paid plan" }],
      usedInCampaigns: [],
      usedInWorkflows: [],
      contactCount: 1042,
      canDelete: true,
    },
  });

export const DeletedField = z
  .object({ deletedFrom: z.number().int().meta({ description: "The number of contacts that had the field." }) })
  .meta({ id: "DeletedField", example: { deletedFrom: 1042 } });
