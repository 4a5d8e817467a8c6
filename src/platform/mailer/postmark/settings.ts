import { optionalOrigin, optionalText } from "../../settings";
import { defineSettings } from "../provider";

export interface PostmarkSettings {
  endpoint: string;
  serverToken: string;
  /** The token for domains, which belong to the account and not to one of its servers; null when it is not set. */
  accountToken: string | null;
  stream: string;
  /** The stream for marketing mail, which Postmark accepts only in broadcast streams; null when there is none. */
  broadcastStream: string | null;
  webhook: { user: string; password: string } | null;
}

export const postmarkSettings = defineSettings({
  settings: {
    POSTMARK_SERVER_TOKEN: optionalText,
    POSTMARK_ACCOUNT_TOKEN: optionalText,
    POSTMARK_STREAM: optionalText,
    POSTMARK_BROADCAST_STREAM: optionalText,
    POSTMARK_WEBHOOK_USER: optionalText,
    POSTMARK_WEBHOOK_PASSWORD: optionalText,
    POSTMARK_ENDPOINT: optionalOrigin,
  },
  needs: ["POSTMARK_SERVER_TOKEN"],
  read(values): PostmarkSettings | null {
    const { POSTMARK_SERVER_TOKEN: serverToken, POSTMARK_ACCOUNT_TOKEN: accountToken } = values;
    const { POSTMARK_WEBHOOK_USER: user, POSTMARK_WEBHOOK_PASSWORD: password } = values;
    if (serverToken === null) return null;
    return {
      ...{ serverToken, accountToken },
      endpoint: values.POSTMARK_ENDPOINT ?? "https://api.postmarkapp.com",
      stream: values.POSTMARK_STREAM ?? "outbound",
      broadcastStream: values.POSTMARK_BROADCAST_STREAM,
      webhook: user && password ? { user, password } : null,
    };
  },
});
