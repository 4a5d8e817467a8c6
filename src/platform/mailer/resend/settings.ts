import { optionalOrigin, optionalText } from "../../settings";
import { defineSettings } from "../provider";

export interface ResendSettings {
  endpoint: string;
  apiKey: string;
  webhookSecret: string | null;
}

const signingSecret = /^whsec_[A-Za-z0-9+/]+=*$/;

export const resendSettings = defineSettings({
  settings: {
    RESEND_API_KEY: optionalText,
    RESEND_WEBHOOK_SECRET: optionalText.refine(
      (secret) => secret === null || signingSecret.test(secret),
      "Must be the signing secret of the webhook, which begins with whsec_",
    ),
    RESEND_ENDPOINT: optionalOrigin,
  },
  needs: ["RESEND_API_KEY"],
  read(values): ResendSettings | null {
    const { RESEND_API_KEY: apiKey, RESEND_WEBHOOK_SECRET: webhookSecret, RESEND_ENDPOINT: endpoint } = values;
    return apiKey === null ? null : { endpoint: endpoint ?? "https://api.resend.com", apiKey, webhookSecret };
  },
});
