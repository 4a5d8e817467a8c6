import { z } from "zod";
import { FilterCondition } from "../../core/audience/condition";
import { isJsonObject } from "../../core/json";
import { Description, Name } from "../../core/name";
import { VersionNumber } from "../../core/version";
import { Warnings } from "../../core/warning";
import { Contact } from "../contacts/schema";

export const exampleCondition = {
  logic: "AND" as const,
  groups: [{ filters: [{ field: "data.plan", operator: "equals" as const, value: "pro" }] }],
};

const example = {
  id: "0199a0f2-8b20-7f42-a1d3-6c7d8e9f0a1b",
  name: "On the pro plan",
  description: null,
  type: "DYNAMIC" as const,
  slug: "on-the-pro-plan",
  condition: exampleCondition,
  trackMembership: false,
  memberCount: 1042,
  version: 3,
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
        "Derived from the name when the segment is created, and never changed. Names the events " +
        "`segment.<slug>.entry` and `segment.<slug>.exit`.",
    }),
    condition: FilterCondition.nullable().meta({
      description: "The condition that decides who is a member. Null for a STATIC segment.",
    }),
    trackMembership: z.boolean(),
    memberCount: z.number().int().meta({
      description: "The number of members: exact for a STATIC segment, from the last count for a DYNAMIC one.",
    }),
    version: VersionNumber,
    projectId: z.string(),
    createdAt: z.iso.datetime(),
    updatedAt: z.iso.datetime(),
  })
  .meta({ id: "Segment", example });

export const SegmentList = z.array(Segment).meta({ example: [example] });

const fields = {
  name: Name,
  description: Description.nullish(),
  trackMembership: z.boolean().nullish().meta({
    description: "Whether to record an event when a contact enters or leaves the segment. Default: false.",
  }),
};

export const CreateSegment = z
  .preprocess(
    // The condition of a STATIC segment is ignored, whatever its value.
    (sent) => (isJsonObject(sent) && sent.type === "STATIC" ? { ...sent, condition: undefined } : sent),
    z.object({
      ...fields,
      type: SegmentType.nullish().meta({
        description:
          "The members of a DYNAMIC segment are the contacts that match its condition; you add the members of " +
          "a STATIC segment yourself. Default: DYNAMIC.",
      }),
      condition: FilterCondition.nullish().meta({
        description: "Required for a DYNAMIC segment, ignored for a STATIC one.",
      }),
    }),
  )
  .meta({ id: "CreateSegment", example: { name: "On the pro plan", condition: exampleCondition } });
export type CreateSegment = z.infer<typeof CreateSegment>;

export const UpdateSegment = z
  .object({
    ...fields,
    type: SegmentType.nullish().meta({ description: "The type of the segment, which cannot change." }),
    condition: FilterCondition.nullable().meta({
      description: "A new condition, for DYNAMIC segments only. Null is refused.",
    }),
  })
  .partial()
  .meta({ id: "UpdateSegment", example: { description: "Paying customers" } });
export type UpdateSegment = z.infer<typeof UpdateSegment>;

const total = {
  total: z.number().int(),
  approximate: z.literal(true).optional().meta({
    description: "Present if more than 25,000 contacts had to be scanned. `total` is then from the last count.",
  }),
  countedAt: z.iso
    .datetime()
    .optional()
    .meta({ description: "When the contacts were counted. Present with `approximate`." }),
};

export const SegmentContacts = z
  .object({ data: z.array(Contact), ...total, page: z.number().int(), pageSize: z.number().int(), warnings: Warnings })
  .meta({ id: "SegmentContacts", example: { data: [contactExample], total: 1, page: 1, pageSize: 20 } });

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
