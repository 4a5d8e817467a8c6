import { v7 } from "uuid";

declare const brand: unique symbol;

/**
 * An id as rows store it: the 16 bytes of a UUID v7 (RFC 9562) as 22 characters of an alphabet in ASCII order, so that
 * ids sort by time. The type is opaque, so that only `publicId` can turn an id into the UUID that customers see.
 */
export interface Id {
  readonly [brand]: true;
}

/** The characters of base64url, in ASCII order. */
export const idAlphabet = "-0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ_abcdefghijklmnopqrstuvwxyz";

/** The first constant sorts below every id, the second above every id. */
export const belowAllIds = asId("");
export const aboveAllIds = asId("~");

/**
 * Makes a new id. Ids sort by the time they were made, so a list that is paged by id is in order of time. The time in
 * an id is always that of the clock, even after the clock was set back.
 */
export function newId(): Id {
  return newIdAt(Date.now());
}

/**
 * Makes a new id with the given time instead of the current one, for a row whose id contains its time. Ids of the same
 * millisecond sort in the order in which they are made, even when ids for other times are made in between. On a test
 * clock, all ids may have the same time.
 */
export function newIdAt(timeMs: number): Id {
  sequence = ((sequence ?? Math.floor(Math.random() * 2 ** 31)) + 1) >>> 0;
  return encode(v7({ msecs: timeMs, seq: sequence }, new Uint8Array(16)));
}

/**
 * The sequence number of the last id that was made. Each process starts at a random number, so that ids of different
 * processes differ.
 */
let sequence: number | null = null;

/**
 * Returns a bound: ids made before `timeMs` sort below it, all others above. The first 8 characters of an id are its
 * time.
 */
export function firstIdAt(timeMs: number): Id {
  let rest = Math.max(0, Math.floor(timeMs));
  let text = "";
  for (let index = 0; index < 8; index++) {
    text = idAlphabet.charAt(rest % 64) + text;
    rest = Math.floor(rest / 64);
  }
  return asId(text);
}

/** Returns the time at which an id was made, in milliseconds since 1970. */
export function timeOf(id: Id): number {
  let time = 0;
  for (const letter of textOf(id).slice(0, 8)) time = time * 64 + idAlphabet.indexOf(letter);
  return time;
}

/**
 * Marks a caller's text that is not a UUID. No real id begins with this character, so a marked text names no row, and
 * `publicId` can return what the caller sent.
 */
const foreign = "!";

const uuidShape = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;

export function isUuid(value: string): boolean {
  return uuidShape.test(value);
}

/**
 * Reads an id that a caller sent. Any string is accepted: a string that is not a UUID becomes an id that no row has.
 */
export function readId(given: string): Id {
  if (!isUuid(given)) return asId(foreign + given);
  const bytes = new Uint8Array(16);
  const hex = given.replaceAll("-", "");
  for (let index = 0; index < 16; index++) bytes[index] = Number.parseInt(hex.slice(2 * index, 2 * index + 2), 16);
  return encode(bytes);
}

/** Returns the public UUID of an id, or the text that the caller sent if that was not a UUID. */
export function publicId(id: Id): string {
  const text = textOf(id);
  if (text.startsWith(foreign)) return text.slice(foreign.length);
  let hex = "";
  for (let index = 0; index < 22; index += 2) {
    hex += hexOfPair[(valueOfCode[text.charCodeAt(index)] ?? 0) * 64 + (valueOfCode[text.charCodeAt(index + 1)] ?? 0)];
  }
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20, 32)}`;
}

const valueOfCode = Uint8Array.from({ length: 128 }, (_, code) =>
  Math.max(0, idAlphabet.indexOf(String.fromCharCode(code))),
);
const hexOfPair = Array.from({ length: 4_096 }, (_, pair) => pair.toString(16).padStart(3, "0"));

/** Decodes the 16 bytes of an id: 21 letters hold six bits each, and the last one holds two. */
export function bytesOf(id: Id): Uint8Array {
  const text = textOf(id);
  if (text.startsWith(foreign)) throw new Error("An id that is not a UUID has no bytes");
  const bytes = new Uint8Array(16);
  let bits = 0;
  for (let index = 0, at = 0; index < 22; index++) {
    bits = ((bits << 6) | (valueOfCode[text.charCodeAt(index)] ?? 0)) & 0xffff;
    // Four letters hold three bytes: each letter but the first completes a byte.
    if (index % 4 > 0) bytes[at++] = bits >> (6 - 2 * (index % 4));
  }
  return bytes;
}

/**
 * Returns a UUID v8 (RFC 9562) computed from two ids, for a record without an id of its own. The same pair always gives
 * the same UUID, and two pairs that share one id give different ones.
 */
export function publicIdOfPair(one: Id, other: Id): string {
  const others = bytesOf(other);
  const bytes = bytesOf(one).map((byte, index) => byte ^ (others[index] ?? 0));
  bytes[6] = ((bytes[6] ?? 0) & 0x0f) | 0x80;
  bytes[8] = ((bytes[8] ?? 0) & 0x3f) | 0x80;
  return publicId(encode(bytes));
}

export function publicIdOrNull(id: Id | null): string | null {
  return id === null ? null : publicId(id);
}

/** Turns a string that we wrote ourselves (in a row, a message, a token or a cursor) into an id. */
export function asId(text: string): Id {
  // Only this file knows the shape of an id; at run time it is a string.
  return text as unknown as Id;
}

/** Returns the text of an id, for names and for the keys of files. */
export function textOf(id: Id): string {
  return id as unknown as string;
}

/**
 * Encodes 16 bytes as 22 letters: two letters for every 12 bits. The last byte fills the first 8 bits of the last pair.
 */
function encode(bytes: Uint8Array): Id {
  let text = "";
  for (let index = 0; index < 15; index += 3) {
    const bits = ((bytes[index] ?? 0) << 16) | ((bytes[index + 1] ?? 0) << 8) | (bytes[index + 2] ?? 0);
    text += letter(bits >> 18) + letter(bits >> 12) + letter(bits >> 6) + letter(bits);
  }
  const last = bytes[15] ?? 0;
  return asId(text + letter(last >> 2) + letter(last << 4));
}

function letter(bits: number): string {
  return idAlphabet.charAt(bits & 63);
}
