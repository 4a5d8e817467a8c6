import type { KeyKind } from "./keys";

/** A request that uses a key. */
export interface KeyUse {
  key: string;
  /** `POST /v1/send` */
  request: string;
  /** Of method, path and body. */
  hash: string;
}

/** The stored facts of the request that first used a key. Times are milliseconds since 1970. */
export interface OriginalRequest {
  /** `POST /v1/send` */
  request: string;
  /** As in `KeyUse`. Null for a key from before hashes were kept. */
  hash: string | null;
  atMs: number;
  /** Null while the request is still running. */
  status: number | null;
  /** The body of its answer, as JSON. */
  response: string | null;
}

/** The database's record of a key that has had its effect. */
export interface Effect extends OriginalRequest {
  expiresAtMs: number;
}

/** The result of an attempt to use a key. */
export type Claim =
  /** The key is new: go on, and report the outcome. */
  | { kind: "claimed" }
  /** Another request has the key, finished or still running. */
  | { kind: "taken"; original: OriginalRequest }
  /**
   * The request that had the key never finished, and the caller takes the key over. Only the database knows whether
   * that request had its effect.
   */
  | { kind: "inherited"; original: OriginalRequest };

/** A running request is given up after this: Workers answer long before, or not at all. */
export const abandonedAfterMs = 60_000;

/** The part of a caller and its project that says what may be told. */
export interface Listener {
  keyKind: KeyKind;
  project: { publicAnswers: "IDS" | "NONE" };
}

/** Whether the caller may learn which contacts and events there are. */
export function mayLearnIds({ keyKind, project }: Listener): boolean {
  return keyKind !== "public" || project.publicAnswers === "IDS";
}

/** The first request as the caller may hear of it: its answer may be from when more was told. */
export function asTold<R extends OriginalRequest>(listener: Listener, original: R): R {
  if (mayLearnIds(listener) || original.response === null) return original;
  const { data } = JSON.parse(original.response);
  return { ...original, response: JSON.stringify({ success: true, data: { timestamp: data?.timestamp } }) };
}

const keyPattern = /^[\x20-\x7e]{1,255}$/;

/** 1 to 255 printable ASCII characters. */
export function isIdempotencyKey(key: string): boolean {
  return keyPattern.test(key);
}
