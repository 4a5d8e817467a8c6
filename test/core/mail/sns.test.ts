import { describe, expect, it } from "vitest";
import {
  isSnsCertificateUrl,
  isSnsConfirmation,
  isSnsTimely,
  isTopicArn,
  SnsMessage,
  snsStringToSign,
} from "../../../src/core/mail/sns";

const topicArn = "arn:aws:sns:eu-west-1:123456789012:petrel";
const base = {
  MessageId: "id-1",
  TopicArn: topicArn,
  Message: "Hello\nthere",
  Timestamp: "2026-01-31T09:00:00.000Z",
  SignatureVersion: "2",
  Signature: "c2ln",
  SigningCertURL: "https://sns.eu-west-1.amazonaws.com/SimpleNotificationService-abc.pem",
};

describe("what SNS signs", () => {
  it("of a notification", () => {
    const message = SnsMessage.parse({ ...base, Type: "Notification" });
    expect(snsStringToSign(message)).toBe(
      `Message\nHello\nthere\nMessageId\nid-1\nTimestamp\n2026-01-31T09:00:00.000Z\nTopicArn\n${topicArn}\nType\nNotification\n`,
    );
  });

  it("of a notification with a subject", () => {
    const message = SnsMessage.parse({ ...base, Type: "Notification", Subject: "Hi" });
    expect(snsStringToSign(message)).toContain("MessageId\nid-1\nSubject\nHi\nTimestamp\n");
  });

  it("of a confirmation, without the subject", () => {
    const more = { Type: "SubscriptionConfirmation", Token: "t", SubscribeURL: "https://x", Subject: "Hi" };
    expect(snsStringToSign(SnsMessage.parse({ ...base, ...more }))).toBe(
      `Message\nHello\nthere\nMessageId\nid-1\nSubscribeURL\nhttps://x\nTimestamp\n2026-01-31T09:00:00.000Z\nToken\nt\n` +
        `TopicArn\n${topicArn}\nType\nSubscriptionConfirmation\n`,
    );
  });
});

const file = "SimpleNotificationService-0123abc.pem";

describe("the certificate of SNS", () => {
  it.each<[url: string, is: boolean]>([
    [`https://sns.eu-west-1.amazonaws.com/${file}`, true],
    [`https://sns.eu-west-1.amazonaws.com:443/${file}`, false],
    [`http://sns.eu-west-1.amazonaws.com/${file}`, false],
    [`https://sns.us-east-1.amazonaws.com/${file}`, false],
    [`https://sns.eu-west-1.amazonaws.com.evil.example/${file}`, false],
    [`https://evil.example/sns.eu-west-1.amazonaws.com/${file}`, false],
    [`https://sns.eu-west-1.amazonaws.com@evil.example/${file}`, false],
    [`https://user@sns.eu-west-1.amazonaws.com/${file}`, false],
    [`https://sns.eu-west-1.amazonaws.com:8443/${file}`, false],
    [`https://evil-sns.eu-west-1.amazonaws.com/${file}`, false],
    [`https://bucket.s3.eu-west-1.amazonaws.com/${file}`, false],
    [`https://sns.eu-west-1.amazonaws.com.cn/${file}`, false],
    [`sns.eu-west-1.amazonaws.com/${file}`, false],
    ["", false],
  ])("is at the host of the region: %s %s", (url, is) => {
    expect(isSnsCertificateUrl(url, topicArn)).toBe(is);
  });

  it("of China ends in .cn", () => {
    const china = "arn:aws-cn:sns:cn-north-1:123456789012:petrel";
    expect(isSnsCertificateUrl(`https://sns.cn-north-1.amazonaws.com.cn/${file}`, china)).toBe(true);
    expect(isSnsCertificateUrl(`https://sns.cn-north-1.amazonaws.com/${file}`, china)).toBe(false);
  });

  it.each<[path: string, is: boolean]>([
    [file, true],
    [`${file}?1`, false],
    [`${file}?`, false],
    [`${file}#1`, false],
    ["?Action=ConfirmSubscription", false],
    [`?x=/${file}`, false],
    ["other.pem", false],
    [`a/${file}`, false],
    [`a/../${file}`, false],
    [`${file}.txt`, false],
    [`SimpleNotificationService-${"a".repeat(65)}.pem`, false],
  ])("is at the top: %s %s", (path, is) => {
    expect(isSnsCertificateUrl(`https://sns.eu-west-1.amazonaws.com/${path}`, topicArn)).toBe(is);
  });
});

describe("the link that confirms a subscription", () => {
  const query = `Action=ConfirmSubscription&TopicArn=${topicArn}&Token=t`;
  const isConfirmation = (SubscribeURL: string | null, Token: string | null = "t") =>
    isSnsConfirmation(SnsMessage.parse({ ...base, Type: "SubscriptionConfirmation", SubscribeURL, Token }));

  it.each<[url: string | null, is: boolean]>([
    [`https://sns.eu-west-1.amazonaws.com/?${query}`, true],
    [`https://sns.eu-west-1.amazonaws.com?${query}`, true],
    [`http://sns.eu-west-1.amazonaws.com/?${query}`, false],
    [`https://evil.example/?${query}`, false],
    [`https://sns.eu-west-1.amazonaws.com/x?${query}`, false],
    [`https://sns.eu-west-1.amazonaws.com/?${query}&AuthenticateOnUnsubscribe=true`, false],
    [`https://sns.eu-west-1.amazonaws.com/?${query.replace("ConfirmSubscription", "DeleteTopic")}`, false],
    [`https://sns.eu-west-1.amazonaws.com/?${query.replace("petrel", "other")}`, false],
    [`https://sns.eu-west-1.amazonaws.com/?${query}2`, false],
    [`https://sns.eu-west-1.amazonaws.com/?${query}&Action=DeleteTopic`, false],
    ["https://sns.eu-west-1.amazonaws.com/?Action=ConfirmSubscription", false],
    [null, false],
  ])("%s: %s", (url, is) => {
    expect(isConfirmation(url)).toBe(is);
  });

  it("needs a token", () => {
    expect(isConfirmation(`https://sns.eu-west-1.amazonaws.com/?${query}`, null)).toBe(false);
  });
});

it.each<[Timestamp: string, is: boolean]>([
  ["2026-01-31T09:00:00.000Z", true],
  ["2026-01-31T08:00:00.000Z", true],
  ["2026-01-31T10:00:00.000Z", true],
  ["2026-01-31T07:59:59.999Z", false],
  ["2026-01-31T10:00:00.001Z", false],
  ["soon", false],
])("a message of %s is timely at nine: %s", (Timestamp, is) => {
  const message = SnsMessage.parse({ ...base, Type: "Notification", Timestamp });
  expect(isSnsTimely(message, Date.parse("2026-01-31T09:00:00.000Z"))).toBe(is);
});

it.each<[arn: string, is: boolean]>([
  [topicArn, true],
  ["arn:aws:sns:eu-west-1:123456789012:petrel.fifo", true],
  ["arn:aws:sqs:eu-west-1:123456789012:petrel", false],
  ["arn:aws:sns:eu-west-1/evil.example:123456789012:petrel", false],
  ["petrel", false],
])("knows an ARN of a topic: %s %s", (arn, is) => {
  expect(isTopicArn(arn)).toBe(is);
});
