import { z } from "zod";
import { counters } from "../../core/campaigns/counts";
import { DateOrTime, DateRange, spanOf } from "../../core/events/range";
import { readId } from "../../core/ids";
import { Email as Address } from "../../core/mail/address-input";
import { emailStatuses, settlers } from "../../core/mail/status";
import { Warnings } from "../../core/warning";

const time = z.iso.datetime();

const example = {
  id: "0199a0f2-6c1f-7d60-8a3b-5a1de0c4b7e2",
  contactId: "0199a0f2-6c1e-7b3a-9d54-0c8f6f1f2a10",
  to: "ada@example.com",
  subject: "Welcome, Ada",
  from: "hello@acme.example",
  fromName: "Acme",
  replyTo: null,
  type: "TRANSACTIONAL" as const,
  source: "TRANSACTIONAL" as const,
  templateId: null,
  campaignId: null,
  variant: null,
  workflowExecutionId: null,
  status: "DELIVERED" as const,
  error: null,
  settledBy: null,
  attempts: 1,
  provider: "outbox",
  providerMessageId: "0199a0f2-6c8a-7a2e-8f10-1d2c3b4a5968",
  opens: 0,
  clicks: 0,
  createdAt: "2026-01-31T09:00:00.000Z",
  scheduledAt: null,
  sentAt: "2026-01-31T09:00:00.120Z",
  deliveredAt: "2026-01-31T09:00:00.120Z",
  openedAt: null,
  clickedAt: null,
  bouncedAt: null,
  complainedAt: null,
};

export const EmailStatus = z.enum(emailStatuses);

export const Email = z
  .object({
    id: z.string(),
    contactId: z.string(),
    to: z.string(),
    subject: z.string(),
    from: z.string(),
    fromName: z.string().nullable(),
    replyTo: z.string().nullable(),
    type: z.enum(["TRANSACTIONAL", "MARKETING", "HEADLESS"]),
    source: z.enum(["TRANSACTIONAL", "CAMPAIGN", "WORKFLOW", "TEST"]),
    templateId: z.string().nullable(),
    campaignId: z.string().nullable(),
    variant: z
      .string()
      .nullable()
      .meta({ description: "The name of the campaign's variant. Null if the campaign has none." }),
    workflowExecutionId: z.string().nullable(),
    status: EmailStatus,
    error: z
      .string()
      .nullable()
      .meta({ description: "What went wrong, or why the email was not sent. Null otherwise." }),
    settledBy: z.enum(settlers).nullable().meta({
      description:
        "What settled an email that was UNKNOWN: a provider's report, an open or a click (`report`), an inquiry at the provider (`lookup`), or a person who sent it again (`person`). Null if the email was never UNKNOWN, or still is.",
    }),
    attempts: z.number().int().meta({
      description: "The number of attempts to send the email. A retry by a call starts again at 0.",
    }),
    provider: z.string().nullable(),
    providerMessageId: z.string().nullable(),
    opens: z.number().int(),
    clicks: z.number().int(),
    createdAt: time,
    scheduledAt: time
      .nullable()
      .meta({ description: "The time at which the caller wants the email to be sent. Null for at once." }),
    sentAt: time.nullable(),
    deliveredAt: time.nullable(),
    openedAt: time.nullable(),
    clickedAt: time.nullable(),
    bouncedAt: time.nullable(),
    complainedAt: time.nullable(),
  })
  .meta({ id: "Email", example });

export const EmailPage = z
  .object({
    data: z.array(Email),
    cursor: z.string(),
    hasMore: z.boolean(),
    total: z.number().int(),
    approximate: z.literal(true).optional().meta({
      description:
        "Present if 25,000 emails or more had to be scanned. `total` then counts the matches among the newest 10,000.",
    }),
    countedAt: time.optional().meta({ description: "When the emails were counted. Present with `approximate`." }),
    warnings: Warnings,
  })
  .meta({ id: "EmailPage", example: { data: [example], cursor: "", hasMore: false, total: 1 } });

const idFilter = z.string().transform(readId).meta({ type: "string" });

/** `?to=` is an email address, or the end of a time span. Earlier versions only took an address. */
const AddressOrEnd = z
  .string()
  .transform((text, check) => {
    const date = spanOf(text);
    if (date !== null) return date;
    const address = Address.safeParse(text);
    if (address.success) return address.data;
    const message = "Must be an email address, or a date such as 2026-01-31";
    check.addIssue({ code: "custom", message, params: { code: "invalid_string" } });
    return z.NEVER;
  })
  .meta({ type: "string" });

export const EmailFilters = z.object({
  status: EmailStatus.optional(),
  contactId: idFilter.optional(),
  campaignId: idFilter.optional(),
  templateId: idFilter.optional(),
  executionId: idFilter
    .optional()
    .meta({ type: "string", description: "Only emails of this execution of a workflow." }),
  source: z.enum(["TRANSACTIONAL", "CAMPAIGN", "WORKFLOW", "TEST"]).optional(),
  workflowId: idFilter.optional().meta({
    type: "string",
    description: "Only emails of the steps that this workflow has now.",
  }),
  subject: z.string().min(1).optional().meta({
    description: "The beginning of the subject, as the recipient sees it. The case of ASCII letters does not matter.",
  }),
  countedAs: z.enum(counters).optional().meta({
    description:
      "Only emails that `GET /campaigns/{id}/stats` counts under this name, whatever happened to them later. `status` finds emails by their latest status only.",
  }),
  from: DateOrTime.optional().meta({ description: "Another name for `startDate`." }),
  to: AddressOrEnd.optional().meta({
    description:
      "The address of the recipient. If a contact has this address now, only that contact's emails to it are listed; " +
      "otherwise all emails to it. A date means the same as in `endDate`.",
  }),
  ...DateRange.shape,
});
type EmailQuery = z.infer<typeof EmailFilters>;

/** The filters without aliases: `from` becomes `startDate`, and a `to` that is a date becomes `endDate`. */
export type EmailFilters = Omit<EmailQuery, "from" | "to"> & { to?: string | undefined };

export function filtersOf({ from, to, ...filters }: EmailQuery): EmailFilters {
  const named = { ...filters, startDate: from ?? filters.startDate };
  return typeof to === "object" ? { ...named, endDate: to } : { ...named, to };
}

export const EmailWithEvents = Email.extend({
  events: z.array(z.object({ name: z.string(), at: time, data: z.record(z.string(), z.unknown()) })),
}).meta({
  id: "EmailWithEvents",
  example: {
    ...example,
    events: [
      {
        name: "email.sent",
        at: "2026-01-31T09:00:00.120Z",
        data: {
          emailId: "0199a0f2-6c1f-7d60-8a3b-5a1de0c4b7e2",
          subject: "Welcome, Ada",
          templateId: null,
          campaignId: null,
          source: "TRANSACTIONAL",
        },
      },
    ],
  },
});

export const RetriedEmail = z
  .object({ id: z.string(), status: z.literal("QUEUED") })
  .meta({ id: "RetriedEmail", example: { id: "0199a0f2-6c1f-7d60-8a3b-5a1de0c4b7e2", status: "QUEUED" } });

export const EmailContent = z
  .object({
    subject: z.string(),
    html: z.string(),
    text: z.string(),
    headers: z
      .record(z.string(), z.string())
      .meta({ description: "The extra headers, without those that every message has." }),
    attachments: z.array(z.object({ filename: z.string(), contentType: z.string(), size: z.number().int() })),
  })
  .meta({
    id: "EmailContent",
    example: {
      subject: "Welcome, Ada",
      html: "<h1>Hello Ada</h1>",
      text: "Hello Ada",
      headers: { "X-Order-Id": "1042" },
      attachments: [{ filename: "invoice.pdf", contentType: "application/pdf", size: 48213 }],
    },
  });
