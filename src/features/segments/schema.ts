import { z } from "zod";
import { FilterCondition } from "../../core/audience/condition";
import { units } from "../../core/audience/dates";
import { operators } from "../../core/audience/operators";
import { readId } from "../../core/ids";
import { isJsonObject } from "../../core/json";
import { storable } from "../../core/storable";
import { Contact, LookedUp } from "../contacts/schema";

/** Addresses that one call may add or remove. */
const maxMembers = 500;

const condition = {
  logic: "AND" as const,
  groups: [{ filters: [{ field: "data.plan", operator: "equals" as const, value: "pro" }] }],
};

const example = {
  id: "0199a0f2-8b20-7f42-a1d3-6c7d8e9f0a1b",
  name: "On the pro plan",
  description: null,
  type: "DYNAMIC" as const,
  slug: "on-the-pro-plan",
  condition,
  trackMembership: false,
  memberCount: 1042,
  projectId: "0199a0f2-0b7a-7c11-8e0f-3d2c1b0a9f8e",
  createdAt: "2026-01-31T09:00:00.000Z",
  updatedAt: "2026-01-31T09:00:00.000Z",
};

const { example: contactExample } = Contact.meta() ?? {};

const SegmentType = z.enum(["DYNAMIC", "STATIC"]);

export const Segment = z
  .object({
    id: z.string(),
    name: z.string(),
    description: z.string().nullable(),
    type: SegmentType,
    slug: z.string().meta({
      description:
        "Made of the name at creation, and fixed: the events are `segment.<slug>.entry` and `segment.<slug>.exit`.",
    }),
    condition: FilterCondition.nullable().meta({ description: "Null for STATIC." }),
    trackMembership: z.boolean(),
    memberCount: z.number().int().meta({ description: "Of a STATIC segment exact, else as it was last counted." }),
    projectId: z.string(),
    createdAt: z.iso.datetime(),
    updatedAt: z.iso.datetime(),
  })
  .meta({ id: "Segment", example });

export const SegmentList = z.array(Segment).meta({ example: [example] });

const fields = {
  name: z
    .string()
    .min(1)
    .max(100)
    .refine(...storable),
  description: z
    .string()
    .max(500)
    .refine(...storable)
    .nullish(),
  trackMembership: z.boolean().nullish().meta({
    description: "Whether who enters or leaves is told by events. False by default.",
  }),
};

export const CreateSegment = z
  .preprocess(
    // The condition of a STATIC segment is ignored, whatever it is.
    (sent) => (isJsonObject(sent) && sent.type === "STATIC" ? { ...sent, condition: undefined } : sent),
    z.object({
      ...fields,
      type: SegmentType.nullish().meta({
        description: "DYNAMIC, whose members its condition says, by default; STATIC has those that are put in by hand.",
      }),
      condition: FilterCondition.nullish().meta({ description: "Required for DYNAMIC, ignored for STATIC." }),
    }),
  )
  .meta({ id: "CreateSegment", example: { name: "On the pro plan", condition } });
export type CreateSegment = z.infer<typeof CreateSegment>;

export const UpdateSegment = z
  .object({
    ...fields,
    type: SegmentType.nullish().meta({ description: "It cannot change." }),
    condition: FilterCondition.nullable().meta({ description: "Of DYNAMIC segments only, and never null there." }),
  })
  .partial()
  .meta({ id: "UpdateSegment", example: { description: "Whoever pays" } });
export type UpdateSegment = z.infer<typeof UpdateSegment>;

const total = {
  total: z.number().int(),
  approximate: z.literal(true).optional().meta({
    description: "`total` is `memberCount`, as last counted: more than 25,000 contacts had to be looked at.",
  }),
  countedAt: z.iso.datetime().optional().meta({ description: "Only when `approximate`." }),
};

export const SegmentContacts = z
  .object({ data: z.array(Contact), ...total, page: z.number().int(), pageSize: z.number().int() })
  .meta({ id: "SegmentContacts", example: { data: [contactExample], total: 1, page: 1, pageSize: 20 } });

const Emails = z.array(LookedUp).min(1).max(maxMembers);

export const AddMembers = z
  .object({
    emails: Emails,
    createMissing: z.boolean().nullish().meta({
      description: "Creates a contact for each address that has none. False by default.",
    }),
    subscribed: z.boolean().nullish().meta({
      description: "What created contacts are: true by default. Existing ones stay as they are.",
    }),
  })
  .meta({ id: "AddMembers", example: { emails: ["ada@example.com", "bob@example.com"], createMissing: true } });
export type AddMembers = z.infer<typeof AddMembers>;

const NotFoundEmails = z
  .array(z.string())
  .meta({ description: "Addresses that no contact has, each once and as it was sent." });

export const AddedMembers = z
  .object({
    added: z.number().int(),
    created: z.number().int().meta({ description: "Contacts that were created; `added` counts them too." }),
    alreadyMembers: z.number().int(),
    notFound: NotFoundEmails,
  })
  .meta({ id: "AddedMembers", example: { added: 2, created: 1, alreadyMembers: 0, notFound: [] } });

export const RemoveMembers = z
  .object({ emails: Emails })
  .meta({ id: "RemoveMembers", example: { emails: ["ada@example.com"] } });
export type RemoveMembers = z.infer<typeof RemoveMembers>;

export const RemovedMembers = z
  .object({
    removed: z.number().int().meta({ description: "Contacts that are no members are not counted." }),
    notFound: NotFoundEmails,
  })
  .meta({ id: "RemovedMembers", example: { removed: 1, notFound: [] } });

export const PreviewSegment = z
  .object({ condition: FilterCondition })
  .meta({ id: "PreviewSegment", example: { condition } });

export const SegmentPreview = z
  .object({
    count: z.number().int(),
    sample: z.array(Contact).meta({ description: "The newest who match, 10 at most, of the contacts looked at." }),
    approximate: z
      .literal(true)
      .optional()
      .meta({
        description:
          "`count` is an estimate: the project has more than 100,000 contacts to look at, and the call looked at 100,000 " +
          "of them in ten parts, spread evenly from the newest to the oldest. With very many filters it looks at fewer.",
      }),
  })
  .meta({ id: "SegmentPreview", example: { count: 1, sample: [contactExample] } });

export const ExplainSegment = z
  .object({ contactId: z.string().transform(readId).meta({ type: "string" }) })
  .meta({ id: "ExplainSegment", example: { contactId: "0199a0f2-6c1e-7b3a-9d54-0c8f6f1f2a10" } });

const ExplainedFilter = z
  .object({
    field: z.string(),
    operator: z.enum(operators),
    value: z.union([z.string(), z.number(), z.boolean()]).optional(),
    unit: z.enum(units).optional(),
    matches: z.boolean(),
    actual: z.unknown().meta({
      description:
        "What the contact has: the field's value, the time of the last such event, or whether it is a member. Null " +
        "when there is none.",
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
    condition: ExplainedCondition.nullable().meta({ description: "Null for STATIC." }),
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

export const ComputedSegment = z
  .object({
    added: z.number().int(),
    removed: z.number().int(),
    total: z.number().int().meta({ description: "Who is in it now." }),
  })
  .meta({ id: "ComputedSegment", example: { added: 12, removed: 3, total: 1042 } });

export const CountedSegment = z
  .object({ memberCount: z.number().int() })
  .meta({ id: "CountedSegment", example: { memberCount: 1042 } });
