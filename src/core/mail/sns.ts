import { z } from "zod";
import { hourMs } from "../time";

/** A message of Amazon SNS as it arrives at an endpoint. */
export const SnsMessage = z.object({
  Type: z.enum(["Notification", "SubscriptionConfirmation", "UnsubscribeConfirmation"]),
  MessageId: z.string(),
  TopicArn: z.string(),
  Subject: z.string().nullish(),
  Message: z.string(),
  Timestamp: z.string(),
  Token: z.string().nullish(),
  SubscribeURL: z.string().nullish(),
  SignatureVersion: z.enum(["1", "2"]),
  Signature: z.string(),
  SigningCertURL: z.string(),
});
export type SnsMessage = z.infer<typeof SnsMessage>;

const signedFields = {
  Notification: ["Message", "MessageId", "Subject", "Timestamp", "TopicArn", "Type"],
  SubscriptionConfirmation: ["Message", "MessageId", "SubscribeURL", "Timestamp", "Token", "TopicArn", "Type"],
  UnsubscribeConfirmation: ["Message", "MessageId", "SubscribeURL", "Timestamp", "Token", "TopicArn", "Type"],
} as const;

/**
 * Returns the text that SNS signs: the name and value of each field on lines of their own, without a subject when there
 * is none.
 */
export function snsStringToSign(message: SnsMessage): string {
  return signedFields[message.Type]
    .flatMap((name) => (typeof message[name] === "string" ? [`${name}\n${message[name]}\n`] : []))
    .join("");
}

/** The hash algorithm of each signature version. */
export const snsHashes = { "1": "SHA-1", "2": "SHA-256" } as const;

const arn = /^arn:(aws|aws-cn|aws-us-gov):sns:([a-z0-9-]+):\d{12}:[\w-]{1,256}(\.fifo)?$/;

export function isTopicArn(value: string): boolean {
  return arn.test(value);
}

/** Whether a message is recent. SNS repeats a call within minutes; a later call may be a replay of an old message. */
export function isSnsTimely({ Timestamp }: SnsMessage, now: number): boolean {
  return Math.abs(now - Date.parse(Timestamp)) <= hourMs;
}

/**
 * Returns the URL if it leads to the one host that may be called for a topic: the SNS endpoint of the topic's region. A
 * message names its certificate and its confirmation by URL. If other hosts were allowed, anyone could sign messages
 * themselves, or make us call any host.
 */
function snsUrl(written: string, topicArn: string): URL | null {
  const [, partition, region] = arn.exec(topicArn) ?? [];
  const url = URL.parse(written);
  if (!region || !url) return null;
  const { protocol, host, username, password, hash } = url;
  const suffix = partition === "aws-cn" ? "amazonaws.com.cn" : "amazonaws.com";
  const isPlain = username === "" && password === "" && hash === "";
  return protocol === "https:" && host === `sns.${region}.${suffix}` && isPlain ? url : null;
}

/**
 * Whether the URL is that of a certificate, at the top level of the one host that may be called for the topic. Each
 * certificate has only one valid URL, so it is fetched once.
 */
export function isSnsCertificateUrl(written: string, topicArn: string): boolean {
  const url = snsUrl(written, topicArn);
  if (url === null || written !== url.origin + url.pathname) return false;
  return /^\/SimpleNotificationService-[\w-]{1,64}\.pem$/.test(url.pathname);
}

/** Whether the message's SubscribeURL confirms its own subscription and does nothing more. */
export function isSnsConfirmation({ SubscribeURL, Token, TopicArn }: SnsMessage): boolean {
  const url = SubscribeURL ? snsUrl(SubscribeURL, TopicArn) : null;
  if (!url || !Token || url.pathname !== "/") return false;
  const said = new Map(url.searchParams);
  return (
    [...url.searchParams].length === 3 &&
    said.get("Action") === "ConfirmSubscription" &&
    said.get("TopicArn") === TopicArn &&
    said.get("Token") === Token
  );
}
