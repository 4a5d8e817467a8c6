import type { KeyedOptions, VersionedOptions } from "./call.js";
import { ConnectionError, errorOf, isObject, KeyReusedError, type PetrelError } from "./errors.js";

export interface Settings extends Required<Pick<KeyedOptions, "timeoutMs" | "maxRetries">> {
  key: string;
  /** Without a trailing slash. */
  baseUrl: string;
  fetch: typeof fetch;
}

export interface Request {
  method: string;
  path: string;
  query: Record<string, unknown> | undefined;
  body: unknown;
  isForm: boolean;
  /** Whether the body is sent as it is. */
  isBytes: boolean;
  /** Whether the call takes an `Idempotency-Key`. */
  isKeyed: boolean;
  options: KeyedOptions & VersionedOptions;
}

export interface Answered {
  data: unknown;
  response: Response;
}

const longestWaitSeconds = 60;

/** Makes a call. Repeats it after a failure if a second effect is impossible: all attempts then have the same key. */
export async function request(settings: Settings, call: Request): Promise<Answered> {
  const { method, options } = call;
  const url = settings.baseUrl + call.path + searchOf(call.query);
  const body = bodyOf(call);
  const headers: Record<string, string> = { Authorization: `Bearer ${settings.key}` };
  if (typeof body === "string") headers["Content-Type"] = "application/json";
  if (call.isKeyed) headers["Idempotency-Key"] = options.idempotencyKey ?? crypto.randomUUID();
  const isVersioned = options.ifMatch !== undefined;
  if (isVersioned) headers["If-Match"] = `"${options.ifMatch}"`;
  // A call with `If-Match` is not repeated, because the repeat would find the version that the first attempt created.
  const isSafe = !isVersioned && (call.isKeyed || method === "GET" || method === "PUT" || method === "DELETE");
  const maxRetries = isSafe ? (options.maxRetries ?? settings.maxRetries) : 0;
  for (let retries = 0; ; retries++) {
    const answered = await attempt(settings, url, { method, headers, body: body ?? null }, options);
    if (!(answered instanceof Error)) return answered;
    const waitMs = retries < maxRetries ? waitBefore(answered, retries) : undefined;
    if (waitMs === undefined) throw answered;
    await pause(waitMs, options.signal);
  }
}

/** Returns the service's answer, or the error to repeat or to throw. Throws when the caller has aborted the call. */
async function attempt(settings: Settings, url: string, init: RequestInit, options: KeyedOptions) {
  const timeoutMs = options.timeoutMs ?? settings.timeoutMs;
  const timeout = AbortSignal.timeout(timeoutMs);
  const signal = options.signal ? AbortSignal.any([options.signal, timeout]) : timeout;
  const { fetch } = settings;
  try {
    const response = await fetch(url, { ...init, signal });
    const answer = await read(response);
    if (response.ok) return { data: unwrap(answer), response };
    const first = firstAnswerIn(answer);
    return first === undefined ? errorOf(response, answer) : { data: unwrap(first), response };
  } catch (cause) {
    options.signal?.throwIfAborted();
    const why = timeout.aborted ? `No answer within ${timeoutMs} ms` : "The connection failed";
    return new ConnectionError(`${why}: ${init.method} ${url}`, { cause });
  }
}

async function read(response: Response): Promise<unknown> {
  const type = response.headers.get("Content-Type") ?? "";
  if (type.includes("octet-stream")) return response.blob();
  const text = await response.text();
  if (text === "") return undefined;
  return type.includes("json") ? JSON.parse(text) : text;
}

/** Takes the data out of `{ success: true, data }`, and adds the other fields to the data, such as `warnings`. */
function unwrap(answer: unknown): unknown {
  if (!isObject(answer) || answer.success !== true || !isObject(answer.data)) return answer;
  const { success, data, ...beside } = answer;
  return { ...beside, ...answer.data };
}

/** Returns the answer to the first attempt of this very call, with the same key, whose answer was lost. */
function firstAnswerIn(answer: unknown): unknown {
  if (!isObject(answer) || !isObject(answer.error) || !isObject(answer.error.details)) return undefined;
  const { sameRequest, originalStatusCode, originalResponse } = answer.error.details;
  return sameRequest === true && Number(originalStatusCode) < 300 ? originalResponse : undefined;
}

/** Returns the wait before the next attempt, in ms; undefined when there is none. */
function waitBefore(error: PetrelError, retries: number): number | undefined {
  const { status, retryAfter, details } = error;
  const isUnderWay =
    error instanceof KeyReusedError && details.sameRequest === true && details.originalStatusCode === null;
  if (status !== 0 && status !== 408 && status !== 429 && status < 500 && !isUnderWay) return undefined;
  if (retryAfter !== undefined) return retryAfter <= longestWaitSeconds ? retryAfter * 1000 : undefined;
  return 500 * 2 ** retries * (1 + Math.random());
}

/** Waits, unless the caller aborts the call first. */
export function pause(ms: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(done, ms);
    signal?.addEventListener("abort", done);
    function done() {
      clearTimeout(timer);
      signal?.removeEventListener("abort", done);
      if (signal?.aborted) reject(signal.reason);
      else resolve();
    }
    if (signal?.aborted) done();
  });
}

function searchOf(query: Record<string, unknown> = {}): string {
  const parameters = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) {
    if (value !== undefined && value !== null) parameters.append(name, `${value}`);
  }
  return parameters.size > 0 ? `?${parameters}` : "";
}

function bodyOf({ body, isForm, isBytes }: Request): string | FormData | Blob | undefined {
  // The operation's type guarantees that the body is a Blob.
  if (isBytes) return body as Blob;
  if (body === undefined || !isForm) return body === undefined ? undefined : JSON.stringify(body);
  const form = new FormData();
  for (const [name, value] of Object.entries(body as Record<string, string | Blob | undefined>)) {
    if (name === "file" && value !== undefined)
      form.append(name, value instanceof Blob ? value : new Blob([value]), "file");
    else if (value !== undefined) form.append(name, value);
  }
  return form;
}
