import { describe, expect, it } from "vitest";
import { isSnsCertificateUrl, isSnsUrl, isTopicArn, SnsMessage, snsStringToSign } from "../../../src/core/mail/sns";

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

describe("the host of SNS", () => {
  it.each<[url: string, is: boolean]>([
    ["https://sns.eu-west-1.amazonaws.com/x", true],
    ["https://sns.eu-west-1.amazonaws.com:443/x", true],
    ["http://sns.eu-west-1.amazonaws.com/x", false],
    ["https://sns.us-east-1.amazonaws.com/x", false],
    ["https://sns.eu-west-1.amazonaws.com.evil.example/x", false],
    ["https://evil.example/sns.eu-west-1.amazonaws.com/x", false],
    ["https://sns.eu-west-1.amazonaws.com@evil.example/x", false],
    ["https://user@sns.eu-west-1.amazonaws.com/x", false],
    ["https://sns.eu-west-1.amazonaws.com:8443/x", false],
    ["https://evil-sns.eu-west-1.amazonaws.com/x", false],
    ["https://bucket.s3.eu-west-1.amazonaws.com/x", false],
    ["https://sns.eu-west-1.amazonaws.com.cn/x", false],
    ["sns.eu-west-1.amazonaws.com/x", false],
    ["", false],
  ])("%s: %s", (url, is) => {
    expect(isSnsUrl(url, topicArn)).toBe(is);
  });

  it("of China ends in .cn", () => {
    const china = "arn:aws-cn:sns:cn-north-1:123456789012:petrel";
    expect(isSnsUrl("https://sns.cn-north-1.amazonaws.com.cn/x", china)).toBe(true);
    expect(isSnsUrl("https://sns.cn-north-1.amazonaws.com/x", china)).toBe(false);
  });

  it.each<[path: string, is: boolean]>([
    ["SimpleNotificationService-0123abc.pem", true],
    ["?Action=ConfirmSubscription", false],
    ["other.pem", false],
    ["a/SimpleNotificationService-0123abc.pem", false],
    ["SimpleNotificationService-0123abc.pem.txt", false],
  ])("has its certificates at the top: %s %s", (path, is) => {
    expect(isSnsCertificateUrl(`https://sns.eu-west-1.amazonaws.com/${path}`, topicArn)).toBe(is);
  });
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
