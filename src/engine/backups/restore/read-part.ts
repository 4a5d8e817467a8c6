import { moveFileUrls } from "../../../core/files/address";
import type { Blobs } from "../../../platform/blobs";
import { partKey } from "../folder";
import type { Manifest } from "../manifest";
import { hashAfter, markOf } from "../tally";
import { BadBackup } from "./bad-backup";

export type Cell = string | number | null;

/** A row of a backup: its values by the names of their columns. */
export type Row = Record<string, Cell>;

/**
 * The project's public id before and after the restore, and the new base of its links. If `linkBase` is null, each link
 * keeps its base.
 */
interface Move {
  from: { id: string };
  to: { id: string };
  linkBase: string | null;
}

/** A table or a shard of a backup. */
export interface Series {
  /** The name of the folder that contains the parts. */
  name: string;
  tally: Manifest["files"];
}

/**
 * Reads a part, numbered from 1. The URLs of the project's own files become those of the restored project. The hash
 * covers all parts, so it is checked after the last one. Throws BadBackup when the part is missing, damaged, or differs
 * from the manifest.
 */
export async function readPart(
  blobs: Blobs,
  folder: string,
  { name, tally }: Series,
  { part, hash }: { part: number; hash: string },
  { from, to, linkBase }: Move,
): Promise<{ lines: unknown[]; hash: string }> {
  const key = partKey(folder, name, part, markOf(tally, part));
  const content = await blobs.get(key);
  if (content === null) throw new BadBackup(`The file ${key} is missing.`);
  const next = await hashAfter(hash, content);
  if (part === tally.parts && next !== tally.hash) {
    throw new BadBackup(`A file below ${folder}/${name} differs from what the manifest says: its hash is another.`);
  }
  const text = moveFileUrls(new TextDecoder().decode(content), from.id, { projectId: to.id, linkBase });
  try {
    const lines = text.split("\n").filter((line) => line !== "");
    return { lines: lines.map((line): unknown => JSON.parse(line)), hash: next };
  } catch (cause) {
    throw new BadBackup(`The file ${key} contains a line that is not JSON.`, { cause });
  }
}

/**
 * Checks that a line is a row, that the row has only the given columns, and that each value is a text, a number or
 * null. Throws BadBackup.
 */
export function rowOf(line: unknown, table: string, columns: ReadonlySet<string>): Row {
  if (typeof line !== "object" || line === null || Array.isArray(line)) {
    throw new BadBackup(`A line of ${table} is not a row.`);
  }
  for (const [column, value] of Object.entries(line)) {
    if (!columns.has(column)) {
      throw new BadBackup(
        `A row of ${table} has the column ${JSON.stringify(column.slice(0, 50))}, which this version of Petrel does not know.`,
      );
    }
    if (value !== null && typeof value !== "string" && typeof value !== "number") {
      throw new BadBackup(`A row of ${table} has neither a text nor a number in ${column}.`);
    }
  }
  // The cast is safe, because the loop has checked every value.
  return line as Row;
}
