import { Untrusted } from "../../../core/errors";
import { expiringCache } from "../../../core/expiring-cache";
import {
  isSnsCertificateUrl,
  isSnsConfirmation,
  isSnsTimely,
  SnsMessage,
  snsHashes,
  snsStringToSign,
} from "../../../core/mail/sns";
import { hourMs, secondMs } from "../../../core/time";
import { publicKeyOf } from "../../../core/x509";
import { log } from "../../log";

const patienceMs = 10 * secondMs;
const longestAnswer = 64 * 1024;
/** The public keys of certificates, by the certificate's URL. SNS uses one certificate for months. */
const certificates = expiringCache<Uint8Array<ArrayBuffer>>({ ttlMs: hourMs, maxEntries: 20 });
/** Errors from fetching certificates, by URL. The errors expire before SNS sends a message again, after 20 seconds. */
const failures = expiringCache<Error>({ ttlMs: 10 * secondMs, maxEntries: 100 });

/**
 * Returns the message that SNS published to our topic, after checking its signature. Returns null for a message about
 * the subscription itself, which is confirmed here if SNS asks for that. Anyone with an AWS account can publish validly
 * signed messages, so messages of any other topic are refused.
 */
export async function readSns(body: string, topicArn: string): Promise<string | null> {
  const message = parsed(body);
  if (message.TopicArn !== topicArn) throw new Untrusted("This message comes from another SNS topic.");
  if (!isSnsCertificateUrl(message.SigningCertURL, topicArn)) {
    throw new Untrusted("The signing certificate of the message does not belong to SNS.");
  }
  if (!isSnsTimely(message, Date.now())) {
    throw new Untrusted("The SNS message is more than an hour old, or its time is not valid.");
  }
  if (!(await isSigned(message))) throw new Untrusted("The signature of the SNS message is not valid.");
  switch (message.Type) {
    case "Notification":
      return message.Message;
    case "SubscriptionConfirmation":
      await confirm(message);
      return null;
    case "UnsubscribeConfirmation":
      log("warn", "The SNS topic no longer reports to this Worker", { topicArn });
      return null;
  }
}

function parsed(body: string): SnsMessage {
  try {
    return SnsMessage.parse(JSON.parse(body));
  } catch (cause) {
    throw new Untrusted("This is not a signed SNS message.", {
      suggestion: "Turn raw message delivery off in the subscription: it removes the signature.",
      cause,
    });
  }
}

async function isSigned(message: SnsMessage): Promise<boolean> {
  const algorithm = { name: "RSASSA-PKCS1-v1_5", hash: snsHashes[message.SignatureVersion] };
  const spki = await keyAt(message.SigningCertURL);
  const key = await crypto.subtle.importKey("spki", spki, algorithm, false, ["verify"]);
  const signature = bytesOf(message.Signature);
  if (signature === null) return false;
  return crypto.subtle.verify(algorithm, key, signature, new TextEncoder().encode(snsStringToSign(message)));
}

function bytesOf(base64: string): Uint8Array<ArrayBuffer> | null {
  try {
    return Uint8Array.from(atob(base64), (character) => character.charCodeAt(0));
  } catch {
    return null;
  }
}

async function keyAt(url: string): Promise<Uint8Array<ArrayBuffer>> {
  const known = certificates.get(url, Date.now());
  if (known) return known;
  const failure = failures.get(url, Date.now());
  if (failure) throw failure;
  try {
    const key = publicKeyOf(await get(url));
    certificates.set(url, key, Date.now());
    return key;
  } catch (thrown) {
    failures.set(url, thrown instanceof Error ? thrown : new Error(String(thrown)), Date.now());
    throw thrown;
  }
}

async function confirm(message: SnsMessage): Promise<void> {
  const { SubscribeURL: url, TopicArn: topicArn } = message;
  if (!url || !isSnsConfirmation(message)) {
    throw new Untrusted("The confirmation link of the message does not confirm this subscription at SNS.");
  }
  await get(url);
  log("info", "The SNS topic now reports to this Worker", { topicArn });
}

/**
 * Fetches a URL of SNS. If that fails, the call that brought the message is answered with 500, and SNS sends the
 * message again.
 */
async function get(url: string): Promise<string> {
  const response = await fetch(url, { redirect: "manual", signal: AbortSignal.timeout(patienceMs) });
  const text = await readShort(response);
  if (response.status !== 200) throw new Error(`SNS answered ${response.status}`);
  return text;
}

/** Reads a short body. Throws, and stops reading, when it is longer than any SNS message. */
async function readShort({ body }: Response): Promise<string> {
  const decoder = new TextDecoder();
  let [text, bytes] = ["", 0];
  for await (const chunk of body ?? []) {
    bytes += chunk.byteLength;
    // Leaving the loop cancels the stream.
    if (bytes > longestAnswer) throw new Error("The answer of SNS is too large");
    text += decoder.decode(chunk, { stream: true });
  }
  return text + decoder.decode();
}
