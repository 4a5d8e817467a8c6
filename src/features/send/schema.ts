import { z } from "zod";
import { ContactData } from "../../core/contacts/data";
import { readId } from "../../core/ids";
import { isJsonObject } from "../../core/json";
import { AddressInput, DisplayName, Email, RecipientsInput } from "../../core/mail/address-input";
import { AttachmentsInput } from "../../core/mail/attachments";
import { ExtraHeaders } from "../../core/mail/headers";
import { Subject } from "../../core/mail/subject";
import { templateId } from "../../core/mail/template-id";
import { storable } from "../../core/storable";
import { Warnings } from "../../core/warning";

/** The maximum length of a body in characters, both before and after rendering. */
export const maxBodyLength = 2_000_000;

const sendExample = {
  to: "ada@example.com",
  from: { name: "Acme", email: "hello@petrel.test" },
  subject: 'Welcome, {{ firstName ?? "there" }}',
  body: "<h1>Hello {{ firstName }}</h1><p>Your plan: {{ plan }}</p>",
  data: { firstName: "Ada", plan: "pro", code: { value: "731-204", persistent: false } },
};

/**
 * Requires the field in a call without a template. This is checked even when other fields fail, so that a caller sees
 * all errors at once.
 */
function requiredWithoutTemplate(field: "subject" | "body" | "from") {
  const isThere = (call: unknown) =>
    !isJsonObject(call) || call[field] !== undefined || (call.template !== undefined && call.template !== null);
  const fault = { path: [field], message: "Required", params: { code: "required" }, when: () => true };
  return [isThere, fault] as const;
}

export const SendEmail = z
  .object({
    to: RecipientsInput,
    template: z.uuid({ error: templateId }).transform(readId).nullish().meta({
      description: "The id of a template. Its subject, body, sender and reply address apply, unless you send your own.",
    }),
    subject: Subject.refine(...storable)
      .optional()
      .meta({ description: "The subject line. Required without a template." }),
    body: z
      .string()
      .min(1)
      .max(maxBodyLength)
      .refine(...storable)
      .optional()
      .meta({ description: "The body in HTML. Required without a template. The plain-text part is made from it." }),
    from: AddressInput.optional().meta({ description: "The sender. Required without a template." }),
    name: DisplayName.nullish().meta({
      type: ["string", "null"],
      deprecated: true,
      description: "The sender's name. Use `from: { name, email }` instead.",
    }),
    subscribed: z.boolean().nullish().meta({
      description:
        "Whether the recipients get marketing mail. Default: false for new contacts, no change for existing ones.",
    }),
    data: ContactData.optional(),
    headers: ExtraHeaders.nullish().meta({ type: ["object", "null"] }),
    reply: Email.nullish().meta({ type: ["string", "null"] }),
    attachments: AttachmentsInput.nullish(),
    tracking: z.boolean().nullish().meta({
      description:
        "With `false`, links stay as they are, and no pixel is added. Otherwise, even with `true`, the project's `tracking` decides.",
    }),
    scheduledAt: z.iso
      .datetime({ offset: true, error: "Must be a time with a time zone, such as 2026-01-31T09:00:00Z" })
      .nullish()
      .meta({
        description:
          "When to send the email, at most 30 days ahead; a past time means now. Until then the email is QUEUED, " +
          "and `DELETE /emails/{id}` cancels it. The template and `data` are those of this call. When the email is " +
          "due, Petrel checks that the contact still exists and wants mail, and that the domain is verified.",
      }),
  })
  .refine(...requiredWithoutTemplate("subject"))
  .refine(...requiredWithoutTemplate("body"))
  .refine(...requiredWithoutTemplate("from"))
  .meta({ id: "SendEmail", example: sendExample });
export type SendEmail = z.infer<typeof SendEmail>;

export const SentEmails = z
  .object({
    success: z.literal(true),
    data: z.object({
      emails: z.array(
        z.object({
          contact: z.object({ id: z.string(), email: z.string() }),
          email: z.string().meta({ description: "The id of the email record." }),
          status: z.enum(["QUEUED", "SUPPRESSED"]).meta({
            description: "`SUPPRESSED` if no email is sent: its `error` in `GET /emails/{id}` says why.",
          }),
        }),
      ),
      timestamp: z.iso.datetime(),
    }),
    sandbox: z.literal(true).optional(),
    warnings: Warnings,
  })
  .meta({
    id: "SentEmails",
    example: {
      success: true,
      data: {
        emails: [
          {
            contact: { id: "0199a0f2-6c1e-7b3a-9d54-0c8f6f1f2a10", email: "ada@example.com" },
            email: "0199a0f2-6c1f-7d60-8a3b-5a1de0c4b7e2",
            status: "QUEUED",
          },
        ],
        timestamp: "2026-01-31T09:00:00.000Z",
      },
    },
  });
