import { z } from "zod";
import type { Attachment } from "../../../core/mail/attachments";
import { mailbox, splitReplyTo } from "../../../core/mail/mailbox";
import type { Message } from "../../../core/mail/message";
import type { Receipt } from "../../../core/mail/receipt";
import { writeTag } from "../../../core/mail/tag";
import { dayMs } from "../../../core/time";
import {
  type Answer,
  callProvider,
  isSuccess,
  type RefusalKind,
  receiptOfRefusal,
  receiptsOfRefusal,
  tooLarge,
  withoutSecrets,
} from "../call";
import type { Mailer } from "../mailer";
import { resendDomains } from "./domains";
import { resendTagName } from "./notices";
import type { ResendSettings } from "./settings";

/** The maximum size of a message, including attachments, in bytes after base64 encoding. */
const maxMessageBytes = 40 * 1024 * 1024;

/**
 * Sends through Resend, which remembers idempotency keys for 24 hours, so a call without an answer is retried. A call
 * with several emails cannot have attachments. "permissive" validation refuses only the emails that have a fault.
 */
export function resendMailer(settings: ResendSettings): Mailer {
  const call = (method: string, path: string, body?: string, headers: Record<string, string> = {}) =>
    callProvider(`${settings.endpoint}/${path}`, {
      method,
      body,
      headers: {
        Authorization: `Bearer ${settings.apiKey}`,
        "Content-Type": "application/json",
        // Resend answers 403 without this header.
        "User-Agent": "petrel",
        ...headers,
      },
    });
  return {
    name: "resend",
    idempotencyWindowMs: dayMs,
    mailsPerCall: 100,
    sharesCallsWithFiles: false,
    maxMessageBytes,
    steeringHeaders: ["x-resend-", "resend-"],
    allowsMarketing: true,
    async deliver(messages, key) {
      const headers = { "Idempotency-Key": key };
      if (messages.length > 1) {
        const answer = await call("POST", "emails/batch", JSON.stringify(messages.map(bodyOf)), {
          ...headers,
          "x-batch-validation": "permissive",
        });
        return receiptsOf(answer, messages.length, settings);
      }
      const body = JSON.stringify(messages.map(bodyOf)[0]);
      const tooMuch = tooLarge(body.length, maxMessageBytes);
      return [tooMuch ?? receiptOf(await call("POST", "emails", body, headers), settings)];
    },
    ...resendDomains(call),
  };
}

function bodyOf(message: Message) {
  const { replyTo, headers } = splitReplyTo(message.headers, message.replyTo);
  return {
    from: mailbox(message.from),
    to: [mailbox(message.to)],
    subject: message.subject,
    html: message.html || " ",
    text: message.text || " ",
    ...(replyTo === null ? {} : { reply_to: replyTo }),
    headers,
    ...(message.attachments.length === 0 ? {} : { attachments: message.attachments.map(attachmentOf) }),
    tags: [{ name: resendTagName, value: writeTag(message) }],
  };
}

function attachmentOf({ filename, content, contentType, contentId }: Attachment) {
  return { filename, content, content_type: contentType, ...(contentId === null ? {} : { content_id: contentId }) };
}

const Accepted = z.object({ id: z.string() });
const Refused = z.object({ name: z.string().optional(), message: z.string().optional() });

/** `data` contains the accepted emails, in order; `errors` contains the others, by their index in the call. */
const Shared = z.object({
  data: z.array(Accepted),
  errors: z.array(z.object({ index: z.number(), message: z.string().optional() })).optional(),
});

/** The kinds of errors whose status is not precise enough. */
const kindOfName = new Map<string, RefusalKind>([
  // Our first call with this key is still running; the next try gets its result.
  ["concurrent_idempotent_requests", "busy"],
  // The status is 429, but waiting a moment does not help.
  ["daily_quota_exceeded", "blocked"],
  ["monthly_quota_exceeded", "blocked"],
  // The status is 403, but only this email is at fault: its sender domain is not verified at Resend.
  ["validation_error", "refused"],
]);

function receiptOf(answer: Answer, settings: ResendSettings): Receipt {
  if (isSuccess(answer)) return accepted(Accepted.parse(answer.body).id);
  return refusal(answer, settings);
}

/**
 * Reads the answer to a call with several emails. Throws when the answer is unreadable, because the emails may have
 * been sent. A retry with the same key then gets the result.
 */
function receiptsOf(answer: Answer, mails: number, settings: ResendSettings): Receipt[] {
  if (!isSuccess(answer)) return receiptsOfRefusal(refusal(answer, settings), mails);
  const { data, errors = [] } = Shared.parse(answer.body);
  const faults = new Map(errors.map(({ index, message }) => [index, message]));
  if (data.length + faults.size !== mails) throw new Error("The answer does not have an item for each email");
  const ids = data.map(({ id }) => id)[Symbol.iterator]();
  return Array.from({ length: mails }, (_, index): Receipt => {
    if (!faults.has(index)) return accepted(ids.next().value ?? "");
    return { kind: "refused", reason: withoutSecrets(faults.get(index), [settings.apiKey]) ?? "Refused" };
  });
}

function accepted(providerMessageId: string): Receipt {
  return { kind: "accepted", providerMessageId, reports: [] };
}

function refusal(answer: Answer, { apiKey }: ResendSettings): Receipt {
  const { data } = Refused.safeParse(answer.body);
  const message = [data?.name, withoutSecrets(data?.message, [apiKey])].filter(Boolean).join(": ");
  return receiptOfRefusal(answer, message || null, kindOfName.get(data?.name ?? ""));
}
