import type { PaceRule } from "../../core/mail/pace";

/** What each provider needs. Null for one that is not set up. `topicArn` and `webhook…` are for its reports. */
export interface MailSettings {
  /** Null when the account may be called as fast as mail comes. */
  pace: PaceRule | null;
  ses: SesSettings | null;
  resend: ResendSettings | null;
  postmark: PostmarkSettings | null;
}

export interface SesSettings {
  endpoint: string;
  region: string;
  accessKeyId: string;
  secretAccessKey: string;
  configurationSet: string | null;
  topicArn: string | null;
}

export interface ResendSettings {
  endpoint: string;
  apiKey: string;
  webhookSecret: string | null;
}

export interface PostmarkSettings {
  endpoint: string;
  serverToken: string;
  /** Domains belong to the account, not to a server of it. */
  accountToken: string | null;
  stream: string;
  /** Postmark takes marketing mail in streams made for it only. */
  broadcastStream: string | null;
  webhook: { user: string; password: string } | null;
}
