import { domainOf, wireAddress } from "../../../core/mail/address";
import type { Message } from "../../../core/mail/message";
import { toMime } from "../../../core/mail/mime/message";
import type { Receipt } from "../../../core/mail/receipt";
import { secondMs } from "../../../core/time";
import { tooLarge, withoutSecrets } from "../call";
import type { Mailer, SenderDomain } from "../mailer";
import { type Envelope, openSession, type Session } from "./session";
import type { SmtpSettings } from "./settings";
import type { Connect } from "./socket";

/** The maximum size of a message that large relays accept, in bytes. A smaller relay announces its own limit. */
const maxMessageBytes = 40 * 1024 * 1024;

/**
 * The number of emails that share a connection. Sharing saves time, because connecting and TLS cost several round
 * trips.
 */
const mailsPerCall = 20;

/** No mail is started after this time, so that the session ends well within the lease of its emails. */
const maxSessionMs = 30 * secondMs;

/**
 * Hands mail to a relay by SMTP submission. SMTP has no idempotency keys and no lookup. If the connection is lost after
 * the data of an email was sent, the outcome of that mail stays unknown, and the remaining emails are tried again.
 */
export function smtpMailer(settings: SmtpSettings, connect: Connect): Mailer {
  const signsItself: SenderDomain = { verified: true, records: [] };
  return {
    name: "smtp",
    idempotencyWindowMs: 0,
    mailsPerCall,
    sharesCallsWithFiles: false,
    maxMessageBytes,
    steeringHeaders: [],
    allowsMarketing: true,
    async deliver(messages) {
      const [first] = messages;
      if (first === undefined) return [];
      const session = await openSession(await connect(settings), settings, domainOf(first.from.email));
      if ("kind" in session) return messages.map(() => clean(session, settings));
      try {
        return await sendAll(session, messages, settings);
      } finally {
        await session.close();
      }
    },
    // DKIM keys are published by the relay's operator. Here, only the ownership of a domain is checked.
    addDomain: async () => ({ ...signsItself, isNew: false }),
    domainStatus: async () => signsItself,
    async removeDomain() {},
  };
}

/**
 * Sends emails one after another. Stops when an answer is lost, because the connection is then gone, and when the
 * session takes too long.
 */
async function sendAll(session: Session, messages: readonly Message[], settings: SmtpSettings): Promise<Receipt[]> {
  const receipts: Receipt[] = [];
  const endsAt = Date.now() + maxSessionMs;
  let rest: Receipt | null = null;
  for (const message of messages) {
    if (rest === null && receipts.length > 0 && Date.now() >= endsAt) {
      rest = { kind: "throttled", reason: "The SMTP server was too slow for all emails of one connection" };
    }
    const receipt: Receipt = rest ?? (await sendOne(session, message, settings));
    receipts.push(receipt);
    if (receipt.kind === "unknown" || receipt.kind === "unavailable") {
      rest ??= { kind: "unavailable", reason: "The connection to the SMTP server was lost" };
    }
  }
  return receipts;
}

async function sendOne(session: Session, message: Message, settings: SmtpSettings): Promise<Receipt> {
  const mail = envelopeOf(message, settings);
  const tooMuch = tooLarge(mail.mime.length, maxMessageBytes);
  if (tooMuch) return tooMuch;
  try {
    return clean(await session.send(mail), settings);
  } catch (error) {
    const why = error instanceof Error ? error.message : "no answer";
    return { kind: "unknown", reason: `${why} after the mail was sent: it may or may not have been accepted` };
  }
}

function envelopeOf(message: Message, { returnPath }: SmtpSettings): Envelope {
  const { from, to, emailId } = message;
  return {
    from: returnPath ?? wireAddress(from.written, from.email),
    to: wireAddress(to.written, to.email),
    emailId,
    mime: toMime(message),
  };
}

/** Removes secrets from a receipt. A server may quote the commands that it received, and tenants can read the text. */
function clean(receipt: Receipt, { login }: SmtpSettings): Receipt {
  if (!("reason" in receipt) || login === null) return receipt;
  return { ...receipt, reason: withoutSecrets(receipt.reason, [login.password]) ?? "" };
}
