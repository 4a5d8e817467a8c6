import { AwsClient } from "aws4fetch";
import { z } from "zod";
import type { Message } from "../../../core/mail/message";
import { toMime } from "../../../core/mail/mime/message";
import type { Receipt } from "../../../core/mail/receipt";
import { writeTag } from "../../../core/mail/tag";
import {
  type Answer,
  callProvider,
  isSuccess,
  type RefusalKind,
  receiptOfRefusal,
  tooLarge,
  withoutSecrets,
} from "../call";
import type { Mailer, SenderDomain } from "../mailer";
import { registered, uncheckedRecord } from "../registration";
import { headerIn, rawMailBody } from "./body";
import { sesTagHeader, sesTagName } from "./notices";
import type { SesSettings } from "./settings";

const name = "ses";
/** The maximum size of a message, including attachments, in bytes after base64 encoding: a quota of API v2. */
const maxMessageBytes = 40 * 1024 * 1024;

/**
 * Sends through Amazon SES, API v2, with complete MIME messages. SES has no idempotency keys: an email handed over
 * twice is sent twice.
 */
export function sesMailer(settings: SesSettings): Mailer {
  const { region, accessKeyId, secretAccessKey } = settings;
  const aws = new AwsClient({ region, accessKeyId, secretAccessKey, service: "ses" });
  const call = async (method: string, path: string, body?: string | Uint8Array<ArrayBuffer>) => {
    const headers = { "Content-Type": "application/json" };
    return callProvider(await aws.sign(`${settings.endpoint}/v2/email/${path}`, { method, body, headers }));
  };
  const identity = (domain: string) => `identities/${encodeURIComponent(domain)}`;
  return {
    name,
    idempotencyWindowMs: 0,
    mailsPerCall: 1,
    sharesCallsWithFiles: false,
    maxMessageBytes,
    // The second prefix is that of our own tag, which is sent as a header.
    steeringHeaders: ["x-ses-", "x-petrel-"],
    allowsMarketing: true,
    async deliver(messages) {
      const receipts: Receipt[] = [];
      for (const message of messages) {
        const body = await bodyOf(settings, message);
        if (body instanceof Uint8Array) {
          receipts.push(receiptOf(await call("POST", "outbound-emails", body), settings));
        } else receipts.push(body);
      }
      return receipts;
    },
    async addDomain(domain) {
      const created = await registered(
        name,
        () => call("POST", "identities", JSON.stringify({ EmailIdentity: domain })),
        [400],
      );
      if (isSuccess(created)) return { ...senderDomain(domain, created), isNew: true };
      // The domain is already registered: by another project, by a call whose answer was lost, or by somebody else.
      return { ...senderDomain(domain, await registered(name, () => call("GET", identity(domain)))), isNew: false };
    },
    async domainStatus(domain) {
      const found = await registered(name, () => call("GET", identity(domain)), [404]);
      return found.status === 404 ? null : senderDomain(domain, found);
    },
    async removeDomain(domain) {
      await registered(name, () => call("DELETE", identity(domain)), [404]);
    },
  };
}

/** Builds the body in a separate function, so that the MIME source can be freed while the call waits for its answer. */
async function bodyOf({ configurationSet }: SesSettings, message: Message): Promise<Uint8Array<ArrayBuffer> | Receipt> {
  const tag = writeTag(message);
  const mime = toMime({ ...message, headers: { ...message.headers, [sesTagHeader]: tag } });
  const tooMuch = tooLarge(Math.ceil(mime.length / 3) * 4, maxMessageBytes);
  if (tooMuch) return tooMuch;
  return rawMailBody(mime, {
    // Without an explicit sender and recipient, SES would read both from the message's headers and mail everyone named
    // there. SES may also rewrite the From header from this sender, which therefore includes the display name.
    FromEmailAddress: headerIn(mime, "From"),
    Destination: { ToAddresses: [message.to.written] },
    EmailTags: [{ Name: sesTagName, Value: tag }],
    ...(configurationSet === null ? {} : { ConfigurationSetName: configurationSet }),
  });
}

const Accepted = z.object({ MessageId: z.string() });
const Refused = z.object({ message: z.string().optional(), Message: z.string().optional() });
/** Errors about the account, some of which have a misleading status. */
const accountErrors: [RegExp, RefusalKind][] = [
  [/^(AccountSuspended|SendingPaused)/, "blocked"],
  [/^(Throttling|TooManyRequests|LimitExceeded)/, "throttled"],
];

function receiptOf(answer: Answer, { accessKeyId, secretAccessKey }: SesSettings): Receipt {
  if (isSuccess(answer)) {
    // An unreadable answer throws, and the mail becomes UNKNOWN, because it was most likely sent.
    return { kind: "accepted", providerMessageId: Accepted.parse(answer.body).MessageId, reports: [] };
  }
  const error = answer.headers.get("x-amzn-errortype")?.split(":", 1)[0] ?? null;
  const { data } = Refused.safeParse(answer.body);
  // The message of a signature error is dropped, because it quotes the request with its headers.
  const said = answer.status === 403 ? null : (data?.message ?? data?.Message);
  const message = [error, withoutSecrets(said, [accessKeyId, secretAccessKey])].filter(Boolean).join(": ");
  const kind = accountErrors.find(([pattern]) => error !== null && pattern.test(error))?.[1];
  return receiptOfRefusal(answer, message || null, kind);
}

const Identity = z.object({
  VerifiedForSendingStatus: z.boolean().default(false),
  DkimAttributes: z
    .object({ Tokens: z.array(z.string()).default([]), SigningHostedZone: z.string().optional() })
    .default({ Tokens: [] }),
});

/** Builds a sender domain with Easy DKIM: three tokens, each a CNAME to the key that SES stores and rotates. */
function senderDomain(domain: string, answer: Answer): SenderDomain {
  const { VerifiedForSendingStatus: verified, DkimAttributes: dkim } = Identity.parse(answer.body);
  const zone = dkim.SigningHostedZone ?? "dkim.amazonses.com";
  const records = dkim.Tokens.map((token) =>
    uncheckedRecord("DKIM", "CNAME", `${token}._domainkey.${domain}`, `${token}.${zone}`, { required: true }),
  );
  return { verified, records };
}
