import type { KeyKind } from "./keys";

/** A request that uses a key. */
export interface KeyUse {
  key: string;
  /** The method and path, such as `POST /v1/send`. */
  request: string;
  /** The hash of method, path and body. */
  hash: string;
}

/** The stored facts of the request that first used a key. Times are milliseconds since 1970. */
export interface OriginalRequest {
  /** The method and path, such as `POST /v1/send`. */
  request: string;
  /** The hash as in `KeyUse`. */
  hash: string;
  atMs: number;
  /** Null while the request is still running. */
  status: number | null;
  /** The body of the answer, as JSON. */
  response: string | null;
}

/** A key that is stored in the database. Its presence shows that its request has had its effect. */
export interface KeyEffect extends OriginalRequest {
  expiresAtMs: number;
}

/** The result of an attempt to use a key. */
export type Claim =
  /** The key is new: the caller continues and reports the outcome. */
  | { kind: "claimed" }
  /** Another request, which has finished or is still running, has the key. */
  | { kind: "taken"; original: OriginalRequest }
  /**
   * The request that claimed the key never finished, and this caller takes the key over. Only the database knows
   * whether that request had its effect.
   */
  | { kind: "inherited"; original: OriginalRequest };

/** After this time, an unfinished request counts as abandoned. A Worker answers much sooner, or not at all. */
export const abandonedAfterMs = 60_000;

/** The properties of a caller and its project that determine what answers may reveal to the caller. */
export interface AnswerReader {
  keyKind: KeyKind;
  project: { publicAnswers: "IDS" | "NONE" };
}

/** Reports whether the caller may learn which contacts and events exist. */
export function mayLearnIds({ keyKind, project }: AnswerReader): boolean {
  return keyKind !== "public" || project.publicAnswers === "IDS";
}

/**
 * Returns the first request in the form that the caller may see. The stored answer may date from a time when the
 * project's answers revealed more.
 */
export function redactedFor<R extends OriginalRequest>(reader: AnswerReader, original: R): R {
  if (mayLearnIds(reader) || original.response === null) return original;
  const { data } = JSON.parse(original.response);
  return { ...original, response: JSON.stringify({ success: true, data: { timestamp: data?.timestamp } }) };
}

const keyPattern = /^[\x20-\x7e]{1,255}$/;

/** Reports whether a key has 1 to 255 printable ASCII characters. */
export function isIdempotencyKey(key: string): boolean {
  return keyPattern.test(key);
}
