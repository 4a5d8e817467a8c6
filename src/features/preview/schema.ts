import { z } from "zod";
import { readId } from "../../core/ids";
import { emailTypes } from "../../core/mail/status";
import { storable } from "../../core/storable";
import { Warning } from "../../core/warning";
import { CreateTemplate, PreviewTemplate, TemplatePreview } from "../templates/schema";

const { subject, body, previewText } = CreateTemplate.shape;

export const PreviewContent = z
  .object({
    subject,
    body,
    previewText,
    type: z.enum(emailTypes).nullish().meta({ description: "MARKETING by default." }),
    topicId: z
      .string()
      .min(1)
      .refine(...storable)
      .transform(readId)
      .nullish()
      .meta({ description: "For MARKETING only, as in templates and campaigns." }),
    ...PreviewTemplate.shape,
  })
  .meta({
    id: "PreviewContent",
    example: {
      subject: 'Welcome, {{ firstName ?? "there" }}',
      body: "<h1>Hello {{ firstName }}</h1><p>Your plan: {{ plan }}</p>",
      data: { firstName: "Ada" },
    },
  });
export type PreviewContent = z.infer<typeof PreviewContent>;

const { example } = TemplatePreview.meta() ?? {};

export const ContentPreview = TemplatePreview.extend({
  links: z
    .array(
      z.object({
        href: z.string().meta({ description: "As it is in `html`, decoded." }),
        url: z.string().meta({ description: "As written in the body. `GET /campaigns/{id}/links` names it so." }),
      }),
    )
    .meta({ description: "The links of `html` whose clicks would be counted, each `href` once. At most 1,000." }),
  bytes: z.number().int().meta({ description: "The size of `html`. Gmail clips an email after 102 KB." }),
  warnings: z
    .array(Warning)
    .meta({ description: "Content that would be sent but probably should not be. Empty when there is none." }),
}).meta({ id: "ContentPreview", example: { ...Object(example), links: [], bytes: 412, warnings: [] } });
export type ContentPreview = z.infer<typeof ContentPreview>;
