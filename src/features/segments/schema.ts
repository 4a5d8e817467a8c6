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
        "Derived from the name at creation, then fixed. Events are named `segment.<slug>.entry` and `segment.<slug>.exit`.",
    }),
    condition: FilterCondition.nullable().meta({ description: "Null for STATIC." }),
    trackMembership: z.boolean(),
    memberCount: z
      .number()
      .int()
      .meta({ description: "Exact for a STATIC segment; the last count for a DYNAMIC one." }),
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
    description: "Records an event when a contact enters or leaves the segment. Default: false.",
  }),
};

export const CreateSegment = z
  .preprocess(
    // The condition of a STATIC segment is ignored, whatever it is.
    (sent) => (isJsonObject(sent) && sent.type === "STATIC" ? { ...sent, condition: undefined } : sent),
    z.object({
      ...fields,
      type: SegmentType.nullish().meta({
        description:
          "A DYNAMIC segment takes its members from its condition; members of a STATIC one are added by hand. Default: DYNAMIC.",
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
    condition: FilterCondition.nullable().meta({ description: "For DYNAMIC segments only, and never null." }),
  })
  .partial()
  .meta({ id: "UpdateSegment", example: { description: "Paying customers" } });
export type UpdateSegment = z.infer<typeof UpdateSegment>;

const total = {
  total: z.number().int(),
  approximate: z.literal(true).optional().meta({
    description: "Present when more than 25,000 contacts had to be scanned: `total` is then the last count.",
  }),
  countedAt: z.iso.datetime().optional().meta({ description: "The time of the count. Present with `approximate`." }),
};

export const SegmentContacts = z
  .object({ data: z.array(Contact), ...total, page: z.number().int(), pageSize: z.number().int() })
  .meta({ id: "SegmentContacts", example: { data: [contactExample], total: 1, page: 1, pageSize: 20 } });

const Emails = z.array(LookedUp).min(1).max(maxMembers);

export const AddMembers = z
  .object({
    emails: Emails,
    createMissing: z.boolean().nullish().meta({
      description: "Creates a contact for each address without one. Default: false.",
    }),
    subscribed: z.boolean().nullish().meta({
      description: "The state of created contacts. Default: true. Existing contacts keep their state.",
    }),
  })
  .meta({ id: "AddMembers", example: { emails: ["ada@example.com", "bob@example.com"], createMissing: true } });
export type AddMembers = z.infer<typeof AddMembers>;

const NotFoundEmails = z
  .array(z.string())
  .meta({ description: "Addresses without a contact, as they were sent, without duplicates." });

export const AddedMembers = z
  .object({
    added: z.number().int(),
    created: z.number().int().meta({ description: "Contacts that were created. `added` includes them." }),
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
    removed: z.number().int().meta({ description: "Contacts that were not members do not count." }),
    notFound: NotFoundEmails,
  })
  .meta({ id: "RemovedMembers", example: { removed: 1, notFound: [] } });

export const PreviewSegment = z
  .object({ condition: FilterCondition })
  .meta({ id: "PreviewSegment", example: { condition } });

export const SegmentPreview = z
  .object({
    count: z.number().int(),
    sample: z.array(Contact).meta({ description: "The newest matches among the scanned contacts, at most 10." }),
    approximate: z
      .literal(true)
      .optional()
      .meta({
        description:
          "Present when `count` is an estimate: the project has more than 100,000 contacts to scan, and the call scanned " +
          "100,000 of them in ten parts, spread evenly from newest to oldest. With very many filters it scans fewer.",
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
        "The contact's actual value: that of the field, the time of the last such event, or whether it is a member. " +
        "Null when there is none.",
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
    total: z.number().int().meta({ description: "The number of members now." }),
  })
  .meta({ id: "ComputedSegment", example: { added: 12, removed: 3, total: 1042 } });

export const CountedSegment = z
  .object({ memberCount: z.number().int() })
  .meta({ id: "CountedSegment", example: { memberCount: 1042 } });
