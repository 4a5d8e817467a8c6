import { v7, validate } from "uuid";

/** A new UUID v7 (RFC 9562): sorts by the time it was made, so a keyset over ids is a keyset over time. */
export function newId(): string {
  return v7();
}

/** A new UUID v7 of another time than now, for a row whose id is its time. */
export function newIdAt(timeMs: number): string {
  return v7({ msecs: timeMs });
}

/** The smallest id of that time: what came before sorts below it, all else above. */
export function firstIdAt(timeMs: number): string {
  const time = Math.max(0, Math.floor(timeMs)).toString(16).padStart(12, "0");
  return `${time.slice(0, 8)}-${time.slice(8)}-7000-8000-000000000000`;
}

export function isUuid(value: string): boolean {
  return validate(value);
}
