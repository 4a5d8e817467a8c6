import { type Address, wireAddress } from "../../../core/mail/address";
import type { Attachment } from "../../../core/mail/attachments";
import { splitReplyTo } from "../../../core/mail/mailbox";
import type { Message } from "../../../core/mail/message";
import type { Receipt } from "../../../core/mail/receipt";
import { secondMs } from "../../../core/time";
import { patienceMs, type RefusalKind, tooLarge } from "../call";
import type { Mailer, SenderDomain } from "../mailer";
import { messageIdIn } from "./notices";

const maxMessageBytes = 5 * 1024 * 1024;

/** Headers that the service sets itself. It refuses an email that already has one of them. */
const ownHeaders = ["feedback-id"];

/**
 * Sends through Cloudflare Email Service, by a binding of the Worker, so that an installation needs no other account.
 * The service carries transactional mail only. It has no idempotency keys, and its mail cannot be looked up. Its events
 * identify an email only by the id in the answer to the call, so when that answer is lost, the outcome stays unknown.
 */
export function cloudflareMailer(binding: SendEmail): Mailer {
  // Domains are added to the service in Cloudflare's dashboard. Here, only their ownership is checked.
  const signsItself: SenderDomain = { verified: true, records: [] };
  return {
    name: "cloudflare",
    idempotencyWindowMs: 0,
    mailsPerCall: 1,
    sharesCallsWithFiles: false,
    maxMessageBytes,
    steeringHeaders: [],
    allowsMarketing: false,
    deliver: (messages) => Promise.all(messages.map((message) => sendOne(binding, message))),
    addDomain: async () => ({ ...signsItself, isNew: false }),
    domainStatus: async () => signsItself,
    async removeDomain() {},
  };
}

/**
 * Sends one email. Throws when no answer arrives, or when the answer is not about the mail, because the mail may have
 * been sent.
 */
async function sendOne(binding: SendEmail, message: Message): Promise<Receipt> {
  const tooMuch = tooLarge(sizeOf(message), maxMessageBytes);
  if (tooMuch) return tooMuch;
  try {
    const { messageId } = await inTime(binding.send(mailOf(message)));
    return { kind: "accepted", providerMessageId: messageIdIn(messageId), reports: [] };
  } catch (error) {
    const receipt = refusalIn(error);
    if (receipt === null) throw error;
    return receipt;
  }
}

function mailOf(message: Message): EmailMessageBuilder {
  const { replyTo, headers } = splitReplyTo(message.headers, message.replyTo);
  const allowed = Object.entries(headers).filter(([name]) => !ownHeaders.includes(name.toLowerCase()));
  return {
    from: addressOf(message.from),
    to: addressOf(message.to),
    subject: message.subject,
    html: message.html || " ",
    text: message.text || " ",
    headers: Object.fromEntries(allowed),
    ...(replyTo === null ? {} : { replyTo }),
    ...(message.attachments.length === 0 ? {} : { attachments: message.attachments.map(attachmentOf) }),
  };
}

function addressOf({ written, email, name }: Address): string | EmailAddress {
  const address = wireAddress(written, email);
  return name ? { name, email: address } : address;
}

function attachmentOf(attachment: Attachment): EmailAttachment {
  const { filename, contentType: type, contentId, disposition } = attachment;
  const content = Uint8Array.from(atob(attachment.content), (character) => character.charCodeAt(0));
  return disposition === "inline" && contentId !== null
    ? { disposition, contentId, filename, type, content }
    : { disposition: "attachment", filename, type, content };
}

/** Returns the approximate size of the encoded mail: its text, HTML and attachments, which are in base64 already. */
function sizeOf({ html, text, attachments }: Message): number {
  const written = new TextEncoder().encode(html + text).length;
  return attachments.reduce((sum, { content }) => sum + content.length, written);
}

/**
 * The codes of errors that are not about the mail. All other errors are about the mail: the service does not accept an
 * address, a header or the sender domain, or the recipient is on its suppression list.
 */
const kindOfCode = new Map<string, RefusalKind>([
  ["E_RATE_LIMIT_EXCEEDED", "throttled"],
  // This is not "throttled", because waiting a moment does not help.
  ["E_DAILY_LIMIT_EXCEEDED", "blocked"],
  ["E_INTERNAL_SERVER_ERROR", "unavailable"],
]);

/**
 * Returns the receipt for an error with a code of the service; null for any other error, which is not an answer of the
 * service.
 */
function refusalIn(error: unknown): Receipt | null {
  if (!(error instanceof Error) || !("code" in error)) return null;
  const { code, message } = error;
  if (typeof code !== "string" || !code.startsWith("E_")) return null;
  return { kind: kindOfCode.get(code) ?? "refused", reason: `${code}: ${message}` };
}

/** Limits the time of a call to a binding, which has no limit of its own. */
async function inTime<T>(call: Promise<T>): Promise<T> {
  const isOver = new AbortController();
  const isLate = scheduler.wait(patienceMs, { signal: isOver.signal }).then((): never => {
    throw new Error(`The service did not answer within ${patienceMs / secondMs} seconds`);
  });
  try {
    return await Promise.race([call, isLate]);
  } finally {
    isOver.abort();
  }
}
