import { z } from "zod";
import { NotFound } from "../../../core/errors";
import { type Id, textOf } from "../../../core/ids";
import { readCursor, writeCursor } from "../../../core/page";
import { folderOf } from "../../../engine/backups/folder";
import type { Manifest } from "../../../engine/backups/manifest";
import { markOf } from "../../../engine/backups/tally";
import type { Platform } from "../../../platform/context";
import { findBackup } from "./find";
import { FileName } from "./schema";
import { openReadable } from "./unreadable";

/**
 * Lists the files of a complete backup by name, beginning at a cursor. Throws NotFound, Conflict for a backup that is
 * not complete, and Invalid for one whose manifest cannot be read.
 */
export async function listBackupFiles(
  platform: Platform,
  id: Id,
  { cursor, limit }: { cursor?: string | undefined; limit: number },
) {
  const folder = folderOf(await findBackup(platform, id));
  const manifest = await openReadable(platform, folder);
  const filters = { backup: textOf(id) };
  const [after] = readCursor(cursor, z.tuple([FileName]), filters) ?? [];
  const keys = await platform.blobs.list(`${folder}/`, after && `${folder}/${after}`);
  const found = keys.slice(0, limit).map((key) => key.slice(folder.length + 1));
  const last = keys.length > limit ? found.at(-1) : undefined;
  return {
    data: found.filter((name) => isOf(manifest, name)).map((name) => ({ name })),
    cursor: last === undefined ? "" : writeCursor([last], filters),
    hasMore: last !== undefined,
  };
}

/**
 * Whether the file belongs to the backup. A late run of the backup may have left a file of executions that the manifest
 * does not name.
 */
function isOf({ executions }: Manifest, name: string): boolean {
  const [, shard, part, mark] = /^executions\/(\d+)\/(\d+)-(\w+)\.ndjson$/.exec(name) ?? [];
  if (shard === undefined) return true;
  const tally = executions[shard];
  return tally !== undefined && markOf(tally, Number(part)) === mark;
}

/** Opens one file of a complete backup. Throws NotFound, and Conflict for a backup that is not complete. */
export async function openBackupFile(
  platform: Platform,
  id: Id,
  name: string,
): Promise<{ size: number; stream: ReadableStream<Uint8Array> }> {
  const folder = folderOf(await findBackup(platform, id));
  const file = await platform.blobs.open(`${folder}/${name}`);
  if (file === null) throw new NotFound("backup file", name);
  return file;
}
