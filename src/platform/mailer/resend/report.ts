import { Webhook, WebhookVerificationError } from "standardwebhooks";
import { Untrusted } from "../../../core/errors";
import { type Reporter, readReport } from "../reporter";
import { readResendEvent, readResendReceived } from "./notices";

/**
 * Verifies Resend's calls, which Svix signs like Standard Webhooks but with its own header names. Signatures older than
 * five minutes are refused.
 */
export function resendReporter(secret: string): Reporter {
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
    return readReport(body, { report: (event) => readResendEvent(event, id), received: readResendReceived });
  };
}
