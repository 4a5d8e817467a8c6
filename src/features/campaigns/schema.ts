import { z } from "zod";
import { FilterCondition } from "../../core/audience/condition";
import { campaignStatuses } from "../../core/campaigns/status";
import { readId } from "../../core/ids";
import { isJsonObject } from "../../core/json";
import { Email } from "../../core/mail/address-input";
import { contentInput, contentOutput } from "../../core/mail/content-fields";
import { emailTypes } from "../../core/mail/status";
import { Subject } from "../../core/mail/subject";
import { templateId } from "../../core/mail/template-id";
import { Description, Name } from "../../core/name";
import { storable } from "../../core/storable";
import { VersionNumber } from "../../core/version";
import { Warnings } from "../../core/warning";
import { CampaignProgress } from "./progress-schema";

const maxBodyLength = 1_000_000;
const maxVariants = 5;

export const CampaignStatus = z.enum(campaignStatuses);
const CampaignType = z.enum(emailTypes);
export const AudienceType = z.enum(["ALL", "SEGMENT", "FILTERED"]);
export type AudienceType = z.infer<typeof AudienceType>;

const content = {
  subject: 'News for {{ firstName ?? "you" }}',
  body: '<h1>What is new</h1><p>Hello {{ firstName }}, …</p><p><a href="https://acme.example/news">Read on</a></p>',
  from: "news@petrel.test",
  fromName: "Acme",
  previewText: "Three things that we made in March",
};

const exampleVariants = [
  { name: "short", weight: 1, subject: "News" },
  { name: "long", weight: 1, subject: "Three things that we made in March" },
];

const example = {
  id: "0199a0f2-9c41-7a55-b2e4-7d8e9f0a1b2c",
  name: "March newsletter",
  description: null,
  ...content,
  replyTo: null,
  type: "MARKETING" as const,
  status: "DRAFT" as const,
  heldReason: null,
  progress: null,
  audienceType: "ALL" as const,
  audienceCondition: null,
  segmentId: null,
  templateId: null,
  topicId: null,
  variants: null,
  canary: null,
  scheduledFor: null,
  totalRecipients: 0,
  sentCount: 0,
  deliveredCount: 0,
  openedCount: 0,
  clickedCount: 0,
  bouncedCount: 0,
  version: 3,
  projectId: "0199a0f2-0b7a-7c11-8e0f-3d2c1b0a9f8e",
  sentAt: null,
  completedAt: null,
  createdAt: "2026-01-31T09:00:00.000Z",
  updatedAt: "2026-01-31T09:00:00.000Z",
};

const counter = z.number().int();

export const Variant = z.object({
  name: Name,
  weight: z
    .number()
    .int()
    .min(1)
    .max(100)
    .meta({ description: "The variant's share of the recipients, relative to the other weights." }),
  subject: Subject.refine(...storable).optional(),
  body: z
    .string()
    .min(1)
    .max(maxBodyLength)
    .refine(...storable)
    .optional(),
  from: Email.optional(),
});
export type Variant = z.infer<typeof Variant>;

export const Canary = z.object({
  percent: z
    .number()
    .int()
    .min(1)
    .max(50)
    .meta({ description: "The percentage of the recipients who get the email first." }),
  holdMinutes: z.number().int().min(1).max(1440).meta({
    description: "The minutes that the other recipients wait after the last email of the canary is sent.",
  }),
  maxBounceRate: z.number().min(0).max(100).optional().meta({
    description: "The campaign is held if more than this percentage of the canary's sent emails bounce. Default: 5.",
  }),
  maxComplaintRate: z.number().min(0).max(100).optional().meta({
    description:
      "The campaign is held if more than this percentage of the canary's sent emails draw complaints. Default: 0.1.",
  }),
});
export type Canary = z.infer<typeof Canary>;

export const Campaign = z
  .object({
    id: z.string(),
    name: z.string(),
    description: z.string().nullable(),
    ...contentOutput,
    body: z.string(),
    type: CampaignType,
    status: CampaignStatus,
    heldReason: z.string().nullable().meta({
      description:
        "Why the campaign is held while it is SENDING, or has not started at its scheduled time. Null otherwise.",
    }),
    progress: CampaignProgress.nullable().meta({
      description:
        "The progress of a campaign that is SENDING, and what the campaign waits for. Null otherwise, and in lists.",
    }),
    audienceType: AudienceType,
    audienceCondition: FilterCondition.nullable().meta({
      description: "The condition that recipients match. Null unless `audienceType` is FILTERED.",
    }),
    segmentId: z.string().nullable(),
    templateId: z.string().nullable(),
    topicId: z.string().nullable(),
    variants: z.array(Variant).nullable(),
    canary: Canary.nullable(),
    scheduledFor: z.iso.datetime().nullable(),
    totalRecipients: counter,
    sentCount: counter,
    deliveredCount: counter,
    openedCount: counter.meta({ description: "The number of recipients who opened the email." }),
    clickedCount: counter.meta({ description: "The number of recipients who clicked a link." }),
    bouncedCount: counter,
    version: VersionNumber,
    projectId: z.string(),
    sentAt: z.iso.datetime().nullable().meta({ description: "When sending began." }),
    completedAt: z.iso.datetime().nullable().meta({ description: "When the last email became final." }),
    createdAt: z.iso.datetime(),
    updatedAt: z.iso.datetime(),
  })
  .meta({ id: "Campaign", example });
export type Campaign = z.infer<typeof Campaign>;

export const CampaignAnswer = z
  .object({ success: z.literal(true), data: Campaign, message: z.string().optional(), warnings: Warnings })
  .meta({ id: "CampaignAnswer", example: { success: true, data: example } });

export const CampaignPage = z
  .object({
    data: z.array(Campaign),
    page: z.number().int(),
    pageSize: z.number().int(),
    total: z.number().int(),
    totalPages: z.number().int(),
    warnings: Warnings,
  })
  .meta({ id: "CampaignPage", example: { data: [example], page: 1, pageSize: 20, total: 1, totalPages: 1 } });

const fields = {
  name: Name,
  description: Description.nullish(),
  ...contentInput,
  subject: contentInput.subject.optional(),
  from: contentInput.from.optional(),
  body: z
    .string()
    .min(1)
    .max(maxBodyLength)
    .refine(...storable)
    .optional()
    .meta({ description: "HTML with `{{ variables }}`, rendered with Liquid for each recipient." }),
  type: CampaignType.nullish().meta({
    description:
      "Default: the type of the template, if any, or MARKETING. A TRANSACTIONAL campaign also goes to unsubscribed contacts.",
  }),
  templateId: z.uuid({ error: templateId }).transform(readId).nullish().meta({
    description:
      "The template from which fields that you leave out are copied. Later changes of the template do not affect the campaign.",
  }),
  topicId: z.string().transform(readId).nullish().meta({
    description:
      "The topic of the email, for MARKETING only. Only contacts in the topic get the email, and they can leave the topic.",
  }),
  audienceType: AudienceType,
  segmentId: z
    .uuid({ error: "Must be the id of a segment, which is a UUID: GET /segments lists them" })
    .transform(readId)
    .nullish()
    .meta({ description: "The segment that gets the email. Required if `audienceType` is SEGMENT." }),
  audienceCondition: FilterCondition.nullish().meta({
    description: "The condition that recipients match. Required if `audienceType` is FILTERED.",
  }),
  variants: z
    .array(Variant)
    .min(2)
    .max(maxVariants)
    .refine((variants) => new Set(variants.map(({ name }) => name)).size === variants.length, {
      message: "Each variant needs its own name",
      params: { code: "custom" },
    })
    .nullish()
    .meta({
      description:
        "Each recipient gets one of the variants. Fields that a variant leaves out are those of the campaign.",
    }),
  canary: Canary.nullish().meta({
    description:
      "Sends to a random part of the audience first, and continues automatically unless too many emails bounce or draw complaints.",
  }),
};

/**
 * Requires the field in a call without a template. This is checked even when other fields fail, so that a caller sees
 * all errors at once.
 */
function requiredWithoutTemplate(field: "subject" | "body" | "from") {
  const isPresent = (sent: unknown) =>
    !isJsonObject(sent) || sent[field] !== undefined || (sent.templateId !== undefined && sent.templateId !== null);
  const fault = { path: [field], message: "Required", params: { code: "required" }, when: () => true };
  return [isPresent, fault] as const;
}

export const CreateCampaign = z
  .object(fields)
  .refine(...requiredWithoutTemplate("subject"))
  .refine(...requiredWithoutTemplate("body"))
  .refine(...requiredWithoutTemplate("from"))
  .meta({
    id: "CreateCampaign",
    example: { name: "March newsletter", ...content, audienceType: "ALL", variants: exampleVariants },
  });
export type CreateCampaign = z.infer<typeof CreateCampaign>;

export const ReplaceCampaign = z
  .object(fields)
  .partial()
  .meta({ id: "ReplaceCampaign", example: { subject: "What is new in March" } });
export type ReplaceCampaign = z.infer<typeof ReplaceCampaign>;
