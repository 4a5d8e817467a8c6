import { Webhook, WebhookVerificationError } from "standardwebhooks";
import { Untrusted } from "../../core/errors";
import { sameSecret } from "../../core/keys";
import { readPostmarkEvent } from "../../core/mail/notices/postmark";
import { readResendEvent } from "../../core/mail/notices/resend";
import { readSesEvent } from "../../core/mail/notices/ses";
import type { Reporter } from "./reporter";
import type { MailSettings, PostmarkSettings } from "./settings";
import { readSns } from "./sns";

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
    return published === null ? null : readSesEvent(jsonOrNull(published));
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
    return readResendEvent(jsonOrNull(body), header("svix-id") ?? null);
  };
}

function postmarkReporter({ user, password }: NonNullable<PostmarkSettings["webhook"]>): Reporter {
  const expected = `Basic ${base64(`${user}:${password}`)}`;
  return async ({ header, body }) => {
    if (!(await sameSecret(header("Authorization") ?? "", expected))) {
      throw new Untrusted("The webhook's user and password are missing or not valid.");
    }
    return readPostmarkEvent(jsonOrNull(body));
  };
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
