import { sql } from "drizzle-orm";
import { nextCountAt, noRows, type StorageCount } from "../../../core/storage";
import { openBatch } from "../../../db/batch";
import { select, statement } from "../../../db/statement";
import { blobKey } from "../../../platform/blobs";
import type { Platform, Project } from "../../../platform/context";
import { type Part, parts, selectSmall, selectWindow, type Window } from "./parts";

/** The fields of a project that a count needs. */
export type Counted = Pick<Project, "number" | "id" | "shard">;

/** The fields of a project that `keepCount` needs. */
export type Kept = Pick<Project, "number" | "maxStorageMb" | "storageProgress">;

/** The progress of a count that is under way, and its results so far. */
export interface Progress {
  /** The names of the parts that are not counted yet. The first one is under way. */
  left: string[];
  /** The key after which the part under way continues. */
  after: Window["after"];
  rows: StorageCount["rows"];
  bytes: StorageCount["bytes"];
}

/** Begins a count with all small tables at once. */
export async function countSmall(platform: Platform, { number, shard }: Counted): Promise<Progress> {
  const progress: Progress = { left: [], after: null, rows: noRows(), bytes: noRows() };
  const { sql: text, read } = selectSmall(number);
  const [small] = await select(platform.databaseOf(shard), text, read);
  for (const part of parts) {
    const found = small?.get(part.name);
    if (found === undefined) progress.left.push(part.name);
    else add(progress, part, found);
  }
  return progress;
}

/** Counts the next window of the part under way. */
export async function countNext(platform: Platform, project: Counted, progress: Progress): Promise<void> {
  // The part is missing if an earlier version of this code began to count a table that no longer exists.
  const part = parts.find(({ name }) => name === progress.left[0]);
  const window = part ? await countWindow(platform, project, part, progress.after) : null;
  if (part && window) add(progress, part, window);
  progress.after = window?.after ?? null;
  if (progress.after === null) progress.left.shift();
}

async function countWindow(
  platform: Platform,
  { number, id, shard }: Counted,
  part: Part,
  after: Window["after"],
): Promise<Window> {
  if ("files" in part) {
    const [last] = after ?? [];
    const found = await platform.blobs.measure(blobKey(part.files, id, ""), last === undefined ? null : String(last));
    return { ...found, after: found.last === null ? null : [found.last] };
  }
  const { sql: text, read } = selectWindow(part.table, number, after);
  const [window] = await select(platform.databaseOf(shard), text, read);
  if (window === undefined) throw new Error(`The rows of ${part.name} were not counted`);
  return window;
}

function add(progress: Progress, { kind, countedAs }: Part, { rows, bytes }: { rows: number; bytes: number }): void {
  progress.rows[countedAs] += rows;
  progress.bytes[kind] += bytes;
}

/**
 * Stores the progress or the result of a count. Writes nothing if another tick has counted meanwhile, because both
 * would have counted the same windows.
 */
export async function keepCount(
  platform: Platform,
  { number, maxStorageMb, storageProgress: before }: Kept,
  progress: Progress,
) {
  const { left, after, rows, bytes } = progress;
  const isOver = left.length === 0;
  const storage: StorageCount = { rows, bytes, countedAt: platform.now.getTime() };
  const saved = isOver
    ? sql`storage = ${JSON.stringify(storage)}, storage_progress = NULL, storage_due_at = ${nextCountAt({ maxStorageMb, storage })}`
    : sql`storage_progress = ${JSON.stringify({ left, after, rows, bytes })}`;
  const batch = openBatch(platform, platform.control);
  // A second run finds that the progress has moved on, or writes the same values again.
  batch.mayRepeat();
  batch.add(statement(sql`UPDATE projects SET ${saved} WHERE number = ${number} AND storage_progress IS ${before}`));
  await batch.commit();
}
