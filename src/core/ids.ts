import { v7 } from "uuid";

declare const brand: unique symbol;

/**
 * An id as rows store it: the 16 bytes of a UUID v7 (RFC 9562) as 22 characters of an alphabet in ASCII order, so that
 * ids sort by time. The type is opaque, so that only `publicId` turns an id into the UUID that customers see.
 */
export interface Id {
  readonly [brand]: true;
}

/** The characters of base64url, in ASCII order. */
export const idAlphabet = "-0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ_abcdefghijklmnopqrstuvwxyz";

/** Sorts below every id; the next one sorts above. */
export const belowAllIds = asId("");
export const aboveAllIds = asId("~");

/** A new id. Ids sort by the time they were made, so a keyset over ids is a keyset over time. */
export function newId(): Id {
  return encode(v7(undefined, new Uint8Array(16)));
}

/**
 * A new id for another time than now, for a row whose id is its time. Ids of the same millisecond sort in the order
 * they are made, whatever is made for other times in between: on a test clock all of them may have the same.
 */
export function newIdAt(timeMs: number): Id {
  sequence = ((sequence ?? Math.floor(Math.random() * 2 ** 31)) + 1) >>> 0;
  return encode(v7({ msecs: timeMs, seq: sequence }, new Uint8Array(16)));
}

/** Of the last such id. Another process begins somewhere else, so that its ids are others. */
let sequence: number | null = null;

/** A bound: ids made before that time sort below it, all others above. The first 8 characters of an id are its time. */
export function firstIdAt(timeMs: number): Id {
  let rest = Math.max(0, Math.floor(timeMs));
  let text = "";
  for (let place = 0; place < 8; place++) {
    text = idAlphabet.charAt(rest % 64) + text;
    rest = Math.floor(rest / 64);
  }
  return asId(text);
}

/** The time at which an id was made, in milliseconds since 1970. */
export function timeOf(id: Id): number {
  let time = 0;
  for (const letter of textOf(id).slice(0, 8)) time = time * 64 + idAlphabet.indexOf(letter);
  return time;
}

/**
 * Marks texts that are not UUIDs. No id begins with it, so such a text names no row, and `publicId` returns what the
 * caller wrote.
 */
const foreign = "!";

const uuidShape = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;

export function isUuid(value: string): boolean {
  return uuidShape.test(value);
}

/** Reads a caller's id. Any string is accepted: a text that is not a UUID becomes an id that no row has. */
export function readId(given: string): Id {
  if (!isUuid(given)) return asId(foreign + given);
  const bytes = new Uint8Array(16);
  const hex = given.replaceAll("-", "");
  for (let place = 0; place < 16; place++) bytes[place] = Number.parseInt(hex.slice(2 * place, 2 * place + 2), 16);
  return encode(bytes);
}

/** The public UUID of an id, or the caller's own text if that was not a UUID. */
export function publicId(id: Id): string {
  const text = textOf(id);
  if (text.startsWith(foreign)) return text.slice(foreign.length);
  let hex = "";
  for (let place = 0; place < 22; place += 2) {
    hex += hexOfPair[(valueOfCode[text.charCodeAt(place)] ?? 0) * 64 + (valueOfCode[text.charCodeAt(place + 1)] ?? 0)];
  }
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20, 32)}`;
}

const valueOfCode = Uint8Array.from({ length: 128 }, (_, code) =>
  Math.max(0, idAlphabet.indexOf(String.fromCharCode(code))),
);
const hexOfPair = Array.from({ length: 4_096 }, (_, pair) => pair.toString(16).padStart(3, "0"));

/** The 16 bytes of an id: 21 letters of six bits, and two bits of the last one. */
export function bytesOf(id: Id): Uint8Array {
  const text = textOf(id);
  if (text.startsWith(foreign)) throw new Error("What is no UUID has no bytes");
  const bytes = new Uint8Array(16);
  let bits = 0;
  for (let place = 0, at = 0; place < 22; place++) {
    bits = ((bits << 6) | (valueOfCode[text.charCodeAt(place)] ?? 0)) & 0xffff;
    // Of every four letters, the last three complete a byte each.
    if (place % 4 > 0) bytes[at++] = bits >> (6 - 2 * (place % 4));
  }
  return bytes;
}

export function publicIdOrNull(id: Id | null): string | null {
  return id === null ? null : publicId(id);
}

/** An id from our own storage: a row, a message, a token, a cursor. */
export function asId(text: string): Id {
  // Only this file knows the shape of an id; at run time it is a string.
  return text as unknown as Id;
}

/** The text of an id, for keys of files and names. */
export function textOf(id: Id): string {
  return id as unknown as string;
}

/** Encodes each 12 bits as two letters: 128 bits are ten such pairs and 8 bits, which come first in the last pair. */
function encode(bytes: Uint8Array): Id {
  let text = "";
  for (let place = 0; place < 15; place += 3) {
    const bits = ((bytes[place] ?? 0) << 16) | ((bytes[place + 1] ?? 0) << 8) | (bytes[place + 2] ?? 0);
    text += letter(bits >> 18) + letter(bits >> 12) + letter(bits >> 6) + letter(bits);
  }
  const last = bytes[15] ?? 0;
  return asId(text + letter(last >> 2) + letter(last << 4));
}

function letter(bits: number): string {
  return idAlphabet.charAt(bits & 63);
}
