import type { Platform } from "../../platform/context";
import { partKey } from "./folder";

/** The counts of one table, one shard or the stored files in a backup. */
export interface Tally {
  rows: number;
  bytes: number;
  parts: number;
  /** A SHA-256 chain over the parts: each hash covers the previous hash and the next part. */
  hash: string;
  /**
   * The marks of the parts, eight characters each. Empty for tables, because a part of a table has the same content
   * whenever it is written again.
   */
  marks: string;
  [name: string]: string | number;
}

export const emptyTally: Tally = { rows: 0, bytes: 0, parts: 0, hash: "", marks: "" };

const encoder = new TextEncoder();

/** Returns the tally with one part added. */
export async function addPart(tally: Tally, content: Uint8Array, rows: number): Promise<Tally> {
  return {
    ...tally,
    rows: tally.rows + rows,
    bytes: tally.bytes + content.length,
    parts: tally.parts + 1,
    hash: await hashAfter(tally.hash, content),
  };
}

const markLength = 8;

/** Returns the mark of a part, in the form that `partKey` expects. */
export function markOf({ marks }: Pick<Tally, "marks">, part: number): string {
  return marks.slice((part - 1) * markLength, part * markLength);
}

/**
 * Stores the next part and returns the new tally. A part may be stored twice: by the next run after a crash, or by two
 * overlapping runs, perhaps even after one of them has saved its state. If the content may differ between runs, the key
 * contains the beginning of the hash, so that no run overwrites the part of another.
 */
export async function writePart(
  { blobs }: Platform,
  { folder, name, tally, isMarked = false }: { folder: string; name: string; tally: Tally; isMarked?: boolean },
  rows: readonly object[],
): Promise<Tally> {
  if (rows.length === 0) return tally;
  const content = encoder.encode(rows.map((row) => `${JSON.stringify(row)}\n`).join(""));
  const added = await addPart(tally, content, rows.length);
  const next = isMarked ? { ...added, marks: added.marks + added.hash.slice(0, markLength) } : added;
  await blobs.put(partKey(folder, name, next.parts, markOf(next, next.parts)), content);
  return next;
}

/** Returns the hash of the chain after another part. */
export async function hashAfter(hash: string, content: Uint8Array): Promise<string> {
  const before = encoder.encode(hash);
  const both = new Uint8Array(before.length + content.length);
  both.set(before);
  both.set(content, before.length);
  return [...new Uint8Array(await crypto.subtle.digest("SHA-256", both))]
    .map((byte) => byte.toString(16).padStart(2, "0"))
    .join("");
}
