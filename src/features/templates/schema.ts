import { z } from "zod";
import { ContactData } from "../../core/contacts/data";
import { readId } from "../../core/ids";
import { contentInput, contentOutput } from "../../core/mail/content-fields";
import { emailTypes } from "../../core/mail/status";
import { Description, Name } from "../../core/name";
import { storable } from "../../core/storable";
import { VersionNumber } from "../../core/version";
import { Warnings } from "../../core/warning";

const maxBodyLength = 1_000_000;

const content = {
  subject: 'Welcome, {{ firstName ?? "there" }}',
  body: "<h1>Hello {{ firstName }}</h1><p>Your plan: {{ plan }}</p>",
  from: "hello@petrel.test",
  fromName: "Acme",
  type: "TRANSACTIONAL" as const,
};

const templateExample = {
  id: "0199a0f2-7a10-7d31-8c42-9e5f6a7b8c9d",
  name: "Welcome",
  description: "Sent after signing up",
  ...content,
  replyTo: null,
  previewText: null,
  topicId: null,
  version: 3,
  projectId: "0199a0f2-0b7a-7c11-8e0f-3d2c1b0a9f8e",
  createdAt: "2026-01-31T09:00:00.000Z",
  updatedAt: "2026-01-31T09:00:00.000Z",
};

export const TemplateType = z.enum(emailTypes);

export const Template = z
  .object({
    id: z.string(),
    name: z.string(),
    description: z.string().nullable().meta({ description: "An internal note, which is never sent." }),
    ...contentOutput,
    body: z.string(),
    type: TemplateType,
    topicId: z
      .string()
      .nullable()
      .meta({ description: "The topic of the template's mail. Contacts who left the topic do not get this email." }),
    version: VersionNumber,
    projectId: z.string(),
    createdAt: z.iso.datetime(),
    updatedAt: z.iso.datetime(),
  })
  .meta({ id: "Template", example: templateExample });
export type Template = z.infer<typeof Template>;

export const TemplatePage = z
  .object({
    data: z.array(Template),
    total: z.number().int(),
    page: z.number().int(),
    pageSize: z.number().int(),
    totalPages: z.number().int(),
    warnings: Warnings,
  })
  .meta({
    id: "TemplatePage",
    example: { data: [templateExample], total: 1, page: 1, pageSize: 20, totalPages: 1 },
  });

const fields = {
  name: Name,
  ...contentInput,
  body: z
    .string()
    .min(1)
    .max(maxBodyLength)
    .refine(...storable)
    .meta({ description: "HTML with `{{ variables }}`, rendered with Liquid." }),
  description: Description.nullish(),
  topicId: z.string().min(1).transform(readId).nullish().meta({
    description: "The topic of a MARKETING template. Contacts who left the topic do not get the template's mail.",
  }),
};

export const CreateTemplate = z
  .object({ ...fields, type: TemplateType.nullish().meta({ description: "Default: MARKETING." }) })
  .meta({ id: "CreateTemplate", example: { name: "Welcome", ...content } });
export type CreateTemplate = z.infer<typeof CreateTemplate>;

/**
 * The fields of `CreateTemplate`, all optional. Null clears a field that can be empty. `type` cannot be empty, so null
 * leaves it unchanged.
 */
export const UpdateTemplate = z
  .object({ ...fields, type: TemplateType.nullish().meta({ description: "Null leaves the type as it is." }) })
  .partial()
  .meta({ id: "UpdateTemplate", example: { subject: "Welcome to Acme, {{ firstName }}" } });
export type UpdateTemplate = z.infer<typeof UpdateTemplate>;

export const TemplateUsage = z
  .object({
    campaigns: z.array(z.object({ id: z.string(), name: z.string() })),
    workflowSteps: z.array(
      z.object({ id: z.string(), workflowId: z.string(), workflowName: z.string(), name: z.string() }),
    ),
    emailsSent: z.number().int(),
  })
  .meta({ id: "TemplateUsage", example: { campaigns: [], workflowSteps: [], emailsSent: 1042 } });

export const PreviewTemplate = z
  .object({
    contactId: z
      .string()
      .transform((id) => (id === "" ? null : readId(id)))
      .nullish()
      .meta({ description: "The contact whose data fills the template." }),
    data: ContactData.optional().meta({
      description: "Values that replace those of the contact's data, as in `POST /v1/send`.",
    }),
  })
  .meta({ id: "PreviewTemplate", example: { data: { firstName: "Ada" } } });
export type PreviewTemplate = z.infer<typeof PreviewTemplate>;

export const TemplatePreview = z
  .object({
    subject: z.string(),
    html: z.string(),
    text: z.string(),
    missing: z.array(z.string()).meta({ description: "Variables in the template that have no value." }),
  })
  .meta({
    id: "TemplatePreview",
    example: {
      subject: "Welcome, Ada",
      html: "<h1>Hello Ada</h1><p>Your plan: </p>",
      text: "Hello Ada\n\nYour plan:",
      missing: ["plan"],
    },
  });
export type TemplatePreview = z.infer<typeof TemplatePreview>;
