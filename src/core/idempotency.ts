/** What is remembered of the request that first used a key. Times are milliseconds since 1970. */
export interface OriginalRequest {
  /** `POST /v1/send` */
  request: string;
  atMs: number;
  /** Null while it is still at work. */
  status: number | null;
  /** The body it was answered with, as JSON. */
  response: string | null;
}

/** What the database keeps of a key that has had its effect. */
export interface Effect extends OriginalRequest {
  expiresAtMs: number;
}

/** What became of an attempt to use a key. */
export type Claim =
  /** The key is new: go on, and say how it went. */
  | { kind: "claimed" }
  /** Somebody else has it, done or still at work. */
  | { kind: "taken"; original: OriginalRequest }
  /**
   * The one who had it was never heard of again, and the key is now the caller's. Whether that request had its effect
   * stands in the database alone.
   */
  | { kind: "inherited"; original: OriginalRequest };

/** A request in flight is given up after this: Workers answer long before, or not at all. */
export const abandonedAfterMs = 60_000;

const keyPattern = /^[\x20-\x7e]{1,255}$/;

/** 1 to 255 printable ASCII characters. */
export function isIdempotencyKey(key: string): boolean {
  return keyPattern.test(key);
}
