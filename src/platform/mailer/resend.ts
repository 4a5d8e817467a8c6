import { z } from "zod";
import type { Attachment } from "../../core/mail/attachments";
import { mailbox, splitReplyTo } from "../../core/mail/mailbox";
import type { Message } from "../../core/mail/message";
import { resendTagName } from "../../core/mail/notices/resend";
import type { Receipt } from "../../core/mail/receipt";
import { writeTag } from "../../core/mail/tag";
import { dayMs } from "../../core/time";
import { type Answer, callProvider, isSuccess, receiptOfRefusal, tooLarge, withoutSecrets } from "./call";
import type { Mailer } from "./mailer";
import { resendDomains } from "./resend-domains";
import type { ResendSettings } from "./settings";

/** After base64 encoding. */
const maxMessageBytes = 40 * 1024 * 1024;

/**
 * Resend. Our email id is its idempotency key, which it remembers for 24 hours: a call without an answer is retried.
 * Its batch call would bring nothing: it takes no attachments, and one fault refuses every mail.
 */
export function resendMailer(settings: ResendSettings): Mailer {
  const call = (method: string, path: string, body?: string, headers: Record<string, string> = {}) =>
    callProvider(`${settings.endpoint}/${path}`, {
      method,
      body,
      headers: {
        Authorization: `Bearer ${settings.apiKey}`,
        "Content-Type": "application/json",
        // Resend answers 403 without it.
        "User-Agent": "petrel",
        ...headers,
      },
    });
  return {
    name: "resend",
    idempotencyWindowMs: dayMs,
    maxMessageBytes,
    steeringHeaders: ["x-resend-", "resend-"],
    allowsMarketing: true,
    async deliver(message) {
      const body = JSON.stringify(bodyOf(message));
      const tooMuch = tooLarge(body.length, maxMessageBytes);
      if (tooMuch) return tooMuch;
      return receiptOf(await call("POST", "emails", body, { "Idempotency-Key": message.emailId }), settings);
    },
    async probe() {
      await call("GET", "domains");
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

function receiptOf(answer: Answer, { apiKey }: ResendSettings): Receipt {
  if (isSuccess(answer)) {
    return { kind: "accepted", providerMessageId: Accepted.parse(answer.body).id, reports: [] };
  }
  const { data } = Refused.safeParse(answer.body);
  const message = [data?.name, withoutSecrets(data?.message, [apiKey])].filter(Boolean).join(": ");
  // Our first call with this key is still running; the next try gets its result.
  return receiptOfRefusal(answer, message || null, data?.name === "concurrent_idempotent_requests");
}
