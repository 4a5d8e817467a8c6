import type { Receipt } from "../../core/mail/receipt";
import { readRetryAfter } from "../../core/mail/retry-after";
import { secondMs } from "../../core/time";

/** Well within the lease of two minutes, which a round of calls must not outlive. */
const patienceMs = 30 * secondMs;

/** What a provider answered. The whole body is here: an answer that was cut off is none. */
export interface Answer {
  status: number;
  headers: Headers;
  /** Null when the body is not JSON. */
  body: unknown;
}

/** Calls a provider. Throws when no answer comes back, or not in time: what was asked may have been done all the same. */
export async function callProvider(request: string | Request, init: RequestInit = {}): Promise<Answer> {
  const response = await fetch(request, {
    ...init,
    // A redirect would carry the credentials to wherever it leads.
    redirect: "manual",
    signal: AbortSignal.timeout(patienceMs),
  });
  const text = await response.text();
  return { status: response.status, headers: response.headers, body: parsed(text) };
}

export function isSuccess({ status }: Answer): boolean {
  return status >= 200 && status < 300;
}

/** What an answer other than 2xx means for the mail. `message` is what the provider says of it, without secrets. */
export function receiptOfRefusal(answer: Answer, message: string | null, isBusy = false): Receipt {
  const reason = [String(answer.status), message].filter(Boolean).join(" ");
  if (isBusy || answer.status === 429 || answer.status >= 500) {
    const retryAfterMs = readRetryAfter(answer.headers.get("Retry-After"), Date.now());
    return { kind: "busy", reason, ...(retryAfterMs === undefined ? {} : { retryAfterMs }) };
  }
  return { kind: "refused", reason };
}

/** A provider may quote what it was sent. What must not be seen by a tenant is blotted out. */
export function withoutSecrets(text: string | null | undefined, secrets: (string | null)[]): string | null {
  if (!text) return null;
  return secrets.reduce<string>((left, secret) => (secret ? left.replaceAll(secret, "…") : left), text);
}

/** Refused here, as the provider would, before so much is sent. */
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
