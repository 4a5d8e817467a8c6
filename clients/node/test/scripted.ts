import { Petrel } from "petrel-client";

export interface Seen {
  method: string;
  url: string;
  headers: Headers;
  body: string;
}

type Scripted = Response | Error | ((signal: AbortSignal | null | undefined) => Promise<Response>);

/** Returns a client whose service gives these answers in turn, and the calls that it has made. */
export function scripted(...answers: Scripted[]): { petrel: Petrel; seen: Seen[] } {
  const seen: Seen[] = [];
  const petrel = new Petrel({
    key: "sk_test",
    baseUrl: "https://mail.example.com/",
    async fetch(url, init = {}) {
      const { method = "", body } = init;
      seen.push({ method, url: `${url}`, headers: new Headers(init.headers), body: `${body ?? ""}` });
      init.signal?.throwIfAborted();
      const answer = answers.shift() ?? new Error("No more answers");
      if (answer instanceof Error) throw answer;
      return typeof answer === "function" ? answer(init.signal) : answer;
    },
  });
  return { petrel, seen };
}

export function json(body: unknown, status = 200, headers: Record<string, string> = {}): Response {
  return new Response(JSON.stringify(body), { status, headers: { "Content-Type": "application/json", ...headers } });
}

/** Returns an error in the service's form. Its `Retry-After` is 0, so the next attempt follows at once. */
export function refusal(status: number, code: string, more: object = {}): Response {
  const error = { code, message: "No.", statusCode: status, requestId: "req-1", suggestion: "Ask again.", ...more };
  return json({ success: false, message: "No. Ask again.", error, timestamp: "" }, status, { "Retry-After": "0" });
}

/** Returns the answer to a call whose key was used before. */
export function reused(details: object): Response {
  return refusal(409, "IDEMPOTENCY_KEY_REUSED", { details });
}

/** Gives no answer until the call is aborted. */
export function silence(signal: AbortSignal | null | undefined): Promise<Response> {
  return new Promise((_, reject) => signal?.addEventListener("abort", () => reject(signal.reason)));
}
