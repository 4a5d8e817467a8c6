import { z } from "zod";
import { units } from "../../../core/audience/dates";
import { operators } from "../../../core/audience/operators";
import { NamedContact } from "../../../core/contacts/named-contact";

export const ExplainSegment = NamedContact.meta({ id: "ExplainSegment", example: { email: "ada@example.com" } });

const ExplainedFilter = z
  .object({
    field: z.string(),
    operator: z.enum(operators),
    value: z.union([z.string(), z.number(), z.boolean()]).optional(),
    unit: z.enum(units).optional(),
    matches: z.boolean(),
    actual: z.unknown().meta({
      description:
        "What the filter was compared with: the value of the field, the time of the contact's last such " +
        "event, or whether the contact is a member. Null if there is none.",
    }),
  })
  .meta({ id: "ExplainedFilter" });
export type ExplainedFilter = z.infer<typeof ExplainedFilter>;

export interface ExplainedCondition {
  logic: "AND" | "OR";
  groups: { filters: ExplainedFilter[]; conditions?: ExplainedCondition }[];
}

const ExplainedCondition: z.ZodType<ExplainedCondition> = z
  .object({
    logic: z.enum(["AND", "OR"]),
    groups: z.array(
      z.object({
        filters: z.array(ExplainedFilter),
        get conditions() {
          return ExplainedCondition.optional();
        },
      }),
    ),
  })
  .meta({ id: "ExplainedCondition" });

export const SegmentExplanation = z
  .object({
    contactId: z.string(),
    matches: z.boolean(),
    condition: ExplainedCondition.nullable().meta({
      description: "The condition with the result of each filter. Null for a STATIC segment.",
    }),
  })
  .meta({
    id: "SegmentExplanation",
    example: {
      contactId: "0199a0f2-6c1e-7b3a-9d54-0c8f6f1f2a10",
      matches: false,
      condition: {
        logic: "AND",
        groups: [
          { filters: [{ field: "data.plan", operator: "equals", value: "pro", matches: false, actual: "free" }] },
        ],
      },
    },
  });
