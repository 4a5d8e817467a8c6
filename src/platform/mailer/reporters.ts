import { Webhook, WebhookVerificationError } from "standardwebhooks";
import { Untrusted } from "../../core/errors";
import { isJsonObject } from "../../core/json";
import { sameSecret } from "../../core/keys";
import type { Notice } from "../../core/mail/notices/notice";
import type { ReceivedMail } from "../../core/mail/notices/received";
import { readPostmarkEvent, readPostmarkInbound } from "./postmark/notices";
import type { Reporter, Told } from "./reporter";
import { readResendEvent, readResendReceived } from "./resend/notices";
import { readSesEvent, readSesReceived } from "./ses/notices";
import { readSns } from "./ses/sns";
import type { MailSettings, PostmarkSettings } from "./settings";

/**
 * The providers that may report, by the name in `/hooks/{provider}`: each one that has the settings for its signature,
 * even if it no longer sends new mail.
 */
export function openReporters({ ses, resend, postmark }: MailSettings): ReadonlyMap<string, Reporter> {
  const reporters = new Map<string, Reporter>();
  if (ses?.topicArn) reporters.set("ses", sesReporter(ses.topicArn));
  if (resend?.webhookSecret) reporters.set("resend", resendReporter(resend.webhookSecret));
  if (postmark?.webhook) reporters.set("postmark", postmarkReporter(postmark.webhook));
  return reporters;
}

function sesReporter(topicArn: string): Reporter {
  return async ({ body }) => {
    const published = await readSns(body, topicArn);
    return published === null ? null : told(published, { report: readSesEvent, received: readSesReceived });
  };
}

/** Svix signs like Standard Webhooks, but with its own header names. Signatures older than five minutes are refused. */
function resendReporter(secret: string): Reporter {
  const webhook = new Webhook(secret);
  return async ({ header, body }) => {
    const signed = {
      "webhook-id": header("svix-id") ?? "",
      "webhook-timestamp": header("svix-timestamp") ?? "",
      "webhook-signature": header("svix-signature") ?? "",
    };
    try {
      webhook.verify(body, signed, { jsonParse: false });
    } catch (cause) {
      if (!(cause instanceof WebhookVerificationError)) throw cause;
      throw new Untrusted("The signature of the webhook is not valid, or is older than five minutes.", { cause });
    }
    const id = header("svix-id") ?? null;
    return told(body, { report: (event) => readResendEvent(event, id), received: readResendReceived });
  };
}

function postmarkReporter({ user, password }: NonNullable<PostmarkSettings["webhook"]>): Reporter {
  const expected = `Basic ${base64(`${user}:${password}`)}`;
  return async ({ header, body }) => {
    if (!(await sameSecret(header("Authorization") ?? "", expected))) {
      throw new Untrusted("The webhook's user and password are missing or not valid.");
    }
    return told(body, { report: readPostmarkEvent, received: readPostmarkInbound });
  };
}

interface Readers {
  report(event: unknown): Notice | null;
  received(event: unknown): ReceivedMail | null;
}

function told(body: string, { report, received }: Readers): Told {
  const event = jsonOrNull(body);
  const notice = report(event);
  if (notice) return { kind: "report", notice };
  const mail = received(event);
  return mail ? { kind: "received", mail } : { kind: "other", name: nameOf(event) };
}

const maxNameLength = 50;

/** Each provider has its own field for it. */
function nameOf(event: unknown): string {
  if (!isJsonObject(event)) return "no event";
  const name = event.eventType ?? event.notificationType ?? event.type ?? event.RecordType;
  return typeof name === "string" ? name.slice(0, maxNameLength) : "no name";
}

function base64(text: string): string {
  return btoa(String.fromCharCode(...new TextEncoder().encode(text)));
}

function jsonOrNull(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}
