import { z } from "zod";
import type { PaceRule } from "../../core/mail/pace";
import { isTopicArn } from "../../core/mail/sns";

const mailProviders = ["outbox", "ses", "resend", "postmark"] as const;
export type MailProvider = (typeof mailProviders)[number];

/** The settings of each provider; null for one that is not set up. `topicArn` and `webhook…` are for its reports. */
export interface MailSettings {
  /** Null when the account has no pace limit. */
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
  /** Domains belong to the account, not to one of its servers. */
  accountToken: string | null;
  stream: string;
  /** Postmark accepts marketing mail only in streams made for it. */
  broadcastStream: string | null;
  webhook: { user: string; password: string } | null;
}

/** A text; an empty one counts as absent. */
const given = z
  .string()
  .optional()
  .transform((text) => text || null);
const url = given.refine(
  (text) => text === null || /^https?:\/\/[^\s/]+$/.test(text),
  "Must be an origin: https://host",
);
const webhookSecret = /^whsec_[A-Za-z0-9+/]+=*$/;

/** The settings of the mailers, for `readConfig`. */
export const mailSettings = {
  MAIL_PROVIDER: z.enum(mailProviders).default("outbox"),
  MAIL_RATE_PER_SECOND: z.coerce.number().nonnegative().default(0),
  MAIL_TRANSACTIONAL_SHARE: z.coerce.number().min(0).max(0.9).default(0.2),
  SES_REGION: given,
  SES_ACCESS_KEY_ID: given,
  SES_SECRET_ACCESS_KEY: given,
  SES_CONFIGURATION_SET: given,
  SES_TOPIC_ARN: given.refine((arn) => arn === null || isTopicArn(arn), "Must be the ARN of an SNS topic"),
  SES_ENDPOINT: url,
  RESEND_API_KEY: given,
  RESEND_WEBHOOK_SECRET: given.refine(
    (secret) => secret === null || webhookSecret.test(secret),
    "Must be the signing secret of the webhook, which begins with whsec_",
  ),
  RESEND_ENDPOINT: url,
  POSTMARK_SERVER_TOKEN: given,
  POSTMARK_ACCOUNT_TOKEN: given,
  POSTMARK_STREAM: given,
  POSTMARK_BROADCAST_STREAM: given,
  POSTMARK_WEBHOOK_USER: given,
  POSTMARK_WEBHOOK_PASSWORD: given,
  POSTMARK_ENDPOINT: url,
};

type Given = z.infer<z.ZodObject<typeof mailSettings>>;

/**
 * Reads every provider that has its credentials; the chosen one must have them. An earlier provider may still report on
 * its mail.
 */
export function mailOf(settings: Given): MailSettings {
  const { MAIL_PROVIDER: chosen } = settings;
  const mail: MailSettings = {
    pace: paceOf(settings),
    ses: sesOf(settings),
    resend: resendOf(settings),
    postmark: postmarkOf(settings),
  };
  if (chosen !== "outbox" && mail[chosen] === null)
    throw new Error(`Petrel's settings cannot be read. MAIL_PROVIDER is ${chosen}, which needs ${needs[chosen]}`);
  return mail;
}

const needs: Record<Exclude<MailProvider, "outbox">, string> = {
  ses: "SES_REGION, SES_ACCESS_KEY_ID and SES_SECRET_ACCESS_KEY",
  resend: "RESEND_API_KEY",
  postmark: "POSTMARK_SERVER_TOKEN",
};

function paceOf(settings: Given): PaceRule | null {
  const { MAIL_RATE_PER_SECOND: perSecond, MAIL_TRANSACTIONAL_SHARE: transactionalShare } = settings;
  return perSecond > 0 ? { perSecond, transactionalShare } : null;
}

function sesOf(settings: Given): SesSettings | null {
  const { SES_REGION: region, SES_ACCESS_KEY_ID: accessKeyId, SES_SECRET_ACCESS_KEY: secretAccessKey } = settings;
  const { SES_ENDPOINT: endpoint, SES_CONFIGURATION_SET: configurationSet, SES_TOPIC_ARN: topicArn } = settings;
  if (!region || !accessKeyId || !secretAccessKey) return null;
  return {
    ...{ region, accessKeyId, secretAccessKey, configurationSet, topicArn },
    endpoint: endpoint ?? `https://email.${region}.amazonaws.com`,
  };
}

function resendOf(settings: Given): ResendSettings | null {
  const { RESEND_API_KEY: apiKey, RESEND_WEBHOOK_SECRET: webhookSecret, RESEND_ENDPOINT: endpoint } = settings;
  return apiKey === null ? null : { endpoint: endpoint ?? "https://api.resend.com", apiKey, webhookSecret };
}

function postmarkOf(settings: Given): PostmarkSettings | null {
  const { POSTMARK_SERVER_TOKEN: serverToken, POSTMARK_ACCOUNT_TOKEN: accountToken } = settings;
  const { POSTMARK_STREAM: stream, POSTMARK_BROADCAST_STREAM: broadcastStream } = settings;
  const { POSTMARK_WEBHOOK_USER: user, POSTMARK_WEBHOOK_PASSWORD: password, POSTMARK_ENDPOINT: endpoint } = settings;
  if (serverToken === null) return null;
  return {
    ...{ serverToken, accountToken, broadcastStream },
    endpoint: endpoint ?? "https://api.postmarkapp.com",
    stream: stream ?? "outbound",
    webhook: user && password ? { user, password } : null,
  };
}
