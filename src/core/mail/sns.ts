import { z } from "zod";

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

/** The text that SNS signs: name and value of each field on lines of their own, without a missing subject. */
export function snsStringToSign(message: SnsMessage): string {
  return signedFields[message.Type]
    .flatMap((name) => (typeof message[name] === "string" ? [`${name}\n${message[name]}\n`] : []))
    .join("");
}

/** The hash of each signature version. */
export const snsHashes = { "1": "SHA-1", "2": "SHA-256" } as const;

const arn = /^arn:(aws|aws-cn|aws-us-gov):sns:([a-z0-9-]+):\d{12}:[\w-]{1,256}(\.fifo)?$/;

export function isTopicArn(value: string): boolean {
  return arn.test(value);
}

/**
 * Whether a URL leads to the one host that may be called for a topic: its region's SNS. A message names its certificate
 * and its confirmation by URL. With another host, anyone could sign for themselves, and make us call that host.
 */
export function isSnsUrl(url: string, topicArn: string): boolean {
  const [, partition, region] = arn.exec(topicArn) ?? [];
  if (!region || !URL.canParse(url)) return false;
  const { protocol, host, username, password } = new URL(url);
  const suffix = partition === "aws-cn" ? "amazonaws.com.cn" : "amazonaws.com";
  return protocol === "https:" && host === `sns.${region}.${suffix}` && username === "" && password === "";
}

/** Whether the URL is a certificate at the top level of that host. */
export function isSnsCertificateUrl(url: string, topicArn: string): boolean {
  return isSnsUrl(url, topicArn) && /^\/SimpleNotificationService-[\w-]+\.pem$/.test(new URL(url).pathname);
}
