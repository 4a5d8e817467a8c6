import type { Receipt } from "../../core/mail/receipt";
import { readRetryAfter } from "../../core/mail/retry-after";
import { secondMs } from "../../core/time";

/** The longest wait for an answer, well below the two-minute lease within which a round of calls must end. */
export const patienceMs = 30 * secondMs;

/** The answer of a provider. The body is complete, because a truncated answer counts as no answer. */
export interface Answer {
  status: number;
  headers: Headers;
  /** Null when the body is not JSON. */
  body: unknown;
}

/** Calls a provider. Throws when no answer arrives in time; the provider may have done the work nevertheless. */
export async function callProvider(request: string | Request, init: RequestInit = {}): Promise<Answer> {
  const response = await fetch(request, {
    ...init,
    // Following a redirect would send the credentials to another host.
    redirect: "manual",
    signal: AbortSignal.timeout(patienceMs),
  });
  const text = await response.text();
  return { status: response.status, headers: response.headers, body: parsed(text) };
}

export function isSuccess({ status }: Answer): boolean {
  return status >= 200 && status < 300;
}

/** The meaning of an answer whose status is not 2xx. */
export type RefusalKind = Exclude<Receipt["kind"], "accepted" | "unknown">;

/**
 * Returns the receipt for an answer whose status is not 2xx. `message` is the provider's text, without secrets. `kind`
 * is given for providers whose text is more precise than their status.
 */
export function receiptOfRefusal(
  answer: Answer,
  message: string | null,
  kind: RefusalKind = kindOfStatus(answer.status),
): Receipt {
  const reason = [String(answer.status), message].filter(Boolean).join(" ");
  if (kind === "refused" || kind === "blocked") return { kind, reason };
  const retryAfterMs = readRetryAfter(answer.headers.get("Retry-After"), Date.now());
  return { kind, reason, ...(retryAfterMs === undefined ? {} : { retryAfterMs }) };
}

export function kindOfStatus(status: number): RefusalKind {
  if (status === 401 || status === 403) return "blocked";
  if (status === 429) return "throttled";
  return status >= 500 ? "unavailable" : "refused";
}

/**
 * Returns the receipts of a call with several emails that was refused as a whole. Unless the account or the provider is
 * at fault, one of the emails caused the refusal. All of them count as tried, so that each is sent alone next time.
 */
export function receiptsOfRefusal(receipt: Receipt, mails: number): Receipt[] {
  const { kind } = receipt;
  const each: Receipt = kind === "refused" && mails > 1 ? { kind: "busy", reason: receipt.reason } : receipt;
  return Array(mails).fill(each);
}

/** Removes secrets from a provider's text, which may quote the request. Tenants can read that text. */
export function withoutSecrets(text: string | null | undefined, secrets: (string | null)[]): string | null {
  if (!text) return null;
  return secrets.reduce<string>((left, secret) => (secret ? left.replaceAll(secret, "…") : left), text);
}

/**
 * Returns a refusal for a message that is too large for the provider, so that it is not sent. Returns null for any
 * other message.
 */
export function tooLarge(bytes: number, maxBytes: number): Receipt | null {
  if (bytes <= maxBytes) return null;
  const megabytes = (size: number) => Math.ceil((size / (1024 * 1024)) * 10) / 10;
  const reason = `The complete message has ${megabytes(bytes)} MB; the mail provider accepts at most ${megabytes(maxBytes)} MB`;
  return { kind: "refused", reason };
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}
