/** An event as a webhook delivers it. */
export interface WebhookEvent {
  /** The event's name, such as `email.delivered`. */
  type: string;
  timestamp: string;
  /** The event's own data, with the contact that it is about, and the email in events of emails. */
  data: Record<string, unknown> & { contactId?: string; contactEmail?: string; emailId?: string };
}

/** The call does not come from the service, or is a replay of an old one. Answer it with a 400. */
export class WebhookVerificationError extends Error {
  override name = "WebhookVerificationError";
}

type HeadersOfCall = Headers | Record<string, string | string[] | undefined>;

/**
 * Returns the event of a webhook's call, if the call was signed with the webhook's secret. The body must be unchanged,
 * before any parser reads it. Throws WebhookVerificationError.
 */
async function verify(
  body: string | Uint8Array,
  headers: HeadersOfCall,
  secret: string,
  { toleranceSeconds = 300 }: { toleranceSeconds?: number } = {},
): Promise<WebhookEvent> {
  const [id, at, signatures] = ["webhook-id", "webhook-timestamp", "webhook-signature"].map((name) =>
    header(headers, name),
  );
  if (!id || !at || !signatures) throw new WebhookVerificationError("The headers of a webhook's signature are missing");
  const ageSeconds = Math.abs(Date.now() / 1000 - Number(at));
  if (!(ageSeconds <= toleranceSeconds)) throw new WebhookVerificationError("The call is too old, or a clock is wrong");
  const text = typeof body === "string" ? body : new TextDecoder().decode(body);
  const signed = new TextEncoder().encode(`${id}.${at}.${text}`);
  const key = await crypto.subtle.importKey(
    "raw",
    fromBase64(secret.replace(/^whsec_/, "")),
    { name: "HMAC", hash: "SHA-256" },
    false,
    ["verify"],
  );
  for (const signature of signatures.split(" ")) {
    const [version, value = ""] = signature.split(",");
    if (version === "v1" && (await crypto.subtle.verify("HMAC", key, fromBase64(value), signed)))
      return JSON.parse(text);
  }
  throw new WebhookVerificationError("No signature fits: is this the webhook's secret, and the body as it came?");
}

function header(headers: HeadersOfCall, name: string): string | undefined {
  if (headers instanceof Headers) return headers.get(name) ?? undefined;
  const found = Object.entries(headers).find(([one]) => one.toLowerCase() === name)?.[1];
  return Array.isArray(found) ? found[0] : found;
}

/** Returns no bytes for a text that is not Base64. A signature made with them matches nothing. */
function fromBase64(text: string): Uint8Array<ArrayBuffer> {
  try {
    return Uint8Array.from(atob(text), (character) => character.charCodeAt(0));
  } catch {
    return new Uint8Array();
  }
}

/** Works without a key and without a client. */
export const webhooks = { verify };
