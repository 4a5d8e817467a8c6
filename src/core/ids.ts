import { v7, validate } from "uuid";

/** A new UUID v7 (RFC 9562): sorts by the time it was made, so a keyset over ids is a keyset over time. */
export function newId(): string {
  return v7();
}

export function isUuid(value: string): boolean {
  return validate(value);
}
