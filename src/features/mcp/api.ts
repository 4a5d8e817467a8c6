import type { CallInside, InsideCall } from "../../core/inside-call";
import { isJsonObject, type JsonObject, type JsonValue } from "../../core/json";

type Query = Record<string, string | number | undefined>;

/**
 * Calls the API with the caller's rights. Throws ApiRefused for a refusal. Wraps an answer that is a list in an object
 * with the list as `data`.
 */
export interface Api {
  get(path: string, query?: Query): Promise<JsonObject>;
  post(path: string, body: JsonObject, headers?: Record<string, string>): Promise<JsonObject>;
}

/** A refusal by a route of the API. `error` is the object of that name in the API's answer. */
export class ApiRefused extends Error {
  constructor(
    readonly status: number,
    readonly error: JsonObject,
  ) {
    super(`The API answered with ${status}`);
  }
}

/**
 * Opens the API for the tools of one request. Each call is a separate request with the caller's key, so the API's
 * refusals, quotas and rate limits apply to tools too, and tools need no rules of their own.
 */
export function openApi(callInside: CallInside): Api {
  const call = async (inside: InsideCall) => {
    const response = await callInside(inside);
    const read = await response.json<JsonValue>();
    const whole = isJsonObject(read) ? read : { data: read };
    if (response.ok) return whole;
    throw new ApiRefused(response.status, withRetryAfter(isJsonObject(whole.error) ? whole.error : whole, response));
  };
  return {
    get: (path, query = {}) => call({ method: "GET", path: `${path}${written(query)}` }),
    post: (path, body, headers = {}) => call({ method: "POST", path, body: JSON.stringify(body), headers }),
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
