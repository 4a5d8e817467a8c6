import { isJsonObject, type JsonObject, type JsonValue } from "../../core/json";

/** Answers a request as the Worker does. */
export type AnswerRequest = (request: Request) => Promise<Response>;

type Query = Record<string, string | number | undefined>;

/**
 * The API with the caller's rights. A refusal is thrown as ApiRefused. A list in an answer becomes an object with the
 * list as its `data`.
 */
export interface Api {
  get(path: string, query?: Query): Promise<JsonObject>;
  post(path: string, body: JsonObject, headers?: Record<string, string>): Promise<JsonObject>;
}

/** A refusal by a route of the API. `error` is the one in the API's envelope. */
export class ApiRefused extends Error {
  constructor(
    readonly status: number,
    readonly error: JsonObject,
  ) {
    super(`The API answered with ${status}`);
  }
}

/** The headers that calls of a tool copy from the request that called it. */
const passedOn = ["Authorization", "CF-Connecting-IP", "Host"];

/**
 * Opens the API for the tools of one request. Each call is a separate request with the caller's key, so the API's
 * refusals, quotas and rate limits apply to tools too, and tools need no rules of their own.
 */
export function openApi(answer: AnswerRequest, { url, headers }: Request, requestId: string): Api {
  const shared = passedOn.flatMap((name) => {
    const value = headers.get(name);
    return value === null ? [] : [[name, value] as const];
  });
  const call = async (path: string, init: { method: string; body?: string; headers?: Record<string, string> }) => {
    const sent = new Headers({ ...Object.fromEntries(shared), "X-Request-ID": requestId, ...init.headers });
    const response = await answer(new Request(new URL(path, url), { ...init, headers: sent }));
    const read = await response.json<JsonValue>();
    const whole = isJsonObject(read) ? read : { data: read };
    if (response.ok) return whole;
    throw new ApiRefused(response.status, withRetryAfter(isJsonObject(whole.error) ? whole.error : whole, response));
  };
  return {
    get: (path, query = {}) => call(`${path}${written(query)}`, { method: "GET" }),
    post: (path, body, more) => {
      const text = JSON.stringify(body);
      const length = String(new TextEncoder().encode(text).byteLength);
      return call(path, {
        method: "POST",
        body: text,
        // The length lets the API read the small body at once. Without it, the inner request could wait for memory that
        // the outer one holds.
        headers: { "Content-Type": "application/json", "Content-Length": length, ...more },
      });
    },
  };
}

function written(query: Query): string {
  const given = Object.entries(query).flatMap(([name, value]) => (value === undefined ? [] : [[name, String(value)]]));
  return given.length === 0 ? "" : `?${new URLSearchParams(given)}`;
}

function withRetryAfter(error: JsonObject, { headers }: Response): JsonObject {
  const seconds = headers.get("Retry-After");
  return seconds === null ? error : { ...error, retryAfterSeconds: Number(seconds) };
}
