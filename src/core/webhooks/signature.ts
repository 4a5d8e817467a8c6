// Standard Webhooks: https://github.com/standard-webhooks/standard-webhooks/blob/main/spec/standard-webhooks.md
const prefix = "whsec_";
const secretBytes = 32;

/** Returns a new signing secret, in the format that Standard Webhooks libraries expect. */
export function newWebhookSecret(): string {
  return prefix + toBase64(crypto.getRandomValues(new Uint8Array(secretBytes)));
}

interface SignedContent {
  /** The id of the delivery, which is the same for every attempt. */
  id: string;
  /** The time of this attempt, in milliseconds. */
  at: number;
  body: string;
}

/**
 * Returns the headers of a delivery. It is signed with each secret, so that the receiver can verify with either one
 * during a rotation.
 */
export async function signedHeaders(
  secrets: readonly string[],
  { id, at, body }: SignedContent,
): Promise<Record<string, string>> {
  const timestamp = String(Math.floor(at / 1000));
  const signatures = await Promise.all(secrets.map((secret) => sign(secret, `${id}.${timestamp}.${body}`)));
  return {
    "webhook-id": id,
    "webhook-timestamp": timestamp,
    "webhook-signature": signatures.map((signature) => `v1,${signature}`).join(" "),
  };
}

async function sign(secret: string, text: string): Promise<string> {
  const bytes = Uint8Array.from(atob(secret.slice(prefix.length)), (letter) => letter.charCodeAt(0));
  const key = await crypto.subtle.importKey("raw", bytes, { name: "HMAC", hash: "SHA-256" }, false, ["sign"]);
  return toBase64(new Uint8Array(await crypto.subtle.sign("HMAC", key, new TextEncoder().encode(text))));
}

function toBase64(bytes: Uint8Array): string {
  return btoa(String.fromCharCode(...bytes));
}
