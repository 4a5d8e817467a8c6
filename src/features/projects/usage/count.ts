import { sql } from "drizzle-orm";
import { nextCountAt, noRows, type StorageCount } from "../../../core/storage";
import { openBatch } from "../../../db/batch";
import { asNumber, asText, columns, orNull } from "../../../db/rows";
import { select, statement } from "../../../db/statement";
import { blobKey } from "../../../platform/blobs";
import type { Platform } from "../../../platform/context";
import { openParts } from "../../../platform/sweep";
import { type Part, parts, selectSmall, selectWindow, type Window } from "./parts";

/** The progress of a count that is under way, and its results so far. */
interface Progress {
  /** The names of the parts that are not counted yet. The first one is under way. */
  left: string[];
  /** The key after which the part under way continues. */
  after: Window["after"];
  rows: StorageCount["rows"];
  bytes: StorageCount["bytes"];
}

const readDue = columns({
  number: asNumber,
  id: asText,
  shard: asText,
  maxStorageMb: asNumber,
  storageProgress: orNull(asText),
});
type Due = ReturnType<typeof readDue>;

/** Most projects take one statement. */
const maxProjects = 300;

/** The windows of all projects in one tick: less than half of the statements of an invocation. */
const windowsPerTick = 300;

/**
 * Sweeps projects, and counts what they store. It reads each row once, window by window, and stores its progress, so it
 * continues at the next tick, also after a crash. No write of a project costs anything for it: rows that are written or
 * deleted during a count may be missed, and are counted the next time.
 */
export async function countStorage(platform: Platform): Promise<void> {
  const due = await select(
    platform.control,
    sql`SELECT number, id, shard, max_storage_mb, storage_progress FROM projects INDEXED BY ix_projects_storage
      WHERE storage_due_at <= ${platform.now.getTime()} AND deleted_at IS NULL
        AND shard IN (SELECT value FROM json_each(${JSON.stringify(platform.shards)}))
      ORDER BY storage_due_at LIMIT ${maxProjects}`,
    readDue,
  );
  const failing = openParts();
  let left = windowsPerTick;
  for (const project of due) {
    if (left <= 0 || !platform.spent.hasLeft()) break;
    await failing.run(async () => {
      left -= await countSome(platform, project, left);
    });
  }
  failing.end();
}

/** Returns the number of windows that it counted. */
async function countSome(platform: Platform, project: Due, limit: number): Promise<number> {
  const { storageProgress: before } = project;
  const progress = before === null ? await countSmall(platform, project) : readProgress(before);
  let windows = 1;
  while (progress.left.length > 0 && windows < limit && platform.spent.hasLeft()) {
    windows += 1;
    await countNext(platform, project, progress);
  }
  await keep(platform, project, progress);
  return windows;
}

/** The code below wrote it. */
function readProgress(written: string): Progress {
  return JSON.parse(written);
}

/** Begins a count with all small tables at once. */
async function countSmall(platform: Platform, { number, shard }: Due): Promise<Progress> {
  const progress: Progress = { left: [], after: null, rows: noRows(), bytes: noRows() };
  const { sql: text, read } = selectSmall(number);
  const [small] = await select(platform.databaseOf(shard), text, read);
  for (const { name, kind } of parts) {
    const found = small?.get(name);
    if (found === undefined) progress.left.push(name);
    else add(progress, kind, found);
  }
  return progress;
}

async function countNext(platform: Platform, project: Due, progress: Progress): Promise<void> {
  // An earlier version of this code may have counted a table that is gone.
  const part = parts.find(({ name }) => name === progress.left[0]);
  const window = part ? await countWindow(platform, project, part, progress.after) : null;
  if (part && window) add(progress, part.kind, window);
  progress.after = window?.after ?? null;
  if (progress.after === null) progress.left.shift();
}

async function countWindow(
  platform: Platform,
  { number, id, shard }: Due,
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

function add(progress: Progress, kind: Part["kind"], { rows, bytes }: { rows: number; bytes: number }): void {
  progress.rows[kind] += rows;
  progress.bytes[kind] += bytes;
}

/** Writes nothing if another tick has counted meanwhile: both would count the same windows. */
async function keep(platform: Platform, { number, maxStorageMb, storageProgress: before }: Due, progress: Progress) {
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
