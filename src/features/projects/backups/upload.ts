import { sql } from "drizzle-orm";
import { Conflict, TooLarge } from "../../../core/errors";
import { type Id, newId, publicId } from "../../../core/ids";
import { openBatch } from "../../../db/batch";
import { statement } from "../../../db/statement";
import { folderOf } from "../../../engine/backups/folder";
import { manifestKey, sizeOf } from "../../../engine/backups/manifest";
import { readManifest } from "../../../engine/backups/restore/open-backup";
import type { IncomingBytes } from "../../../platform/blobs";
import { allOf, chunksWith } from "../../../platform/checked-file";
import type { Platform } from "../../../platform/context";
import { findUpload } from "./find";
import { unreadable } from "./unreadable";

/**
 * The maximum size of a manifest, in bytes. A manifest has a line for each table and shard, and is the only file that
 * is read as a whole.
 */
const maxManifestBytes = 1024 * 1024;

/** Begins the upload of a backup. Complete or not, the upload is deleted at the same age as other backups. */
export async function beginUpload(platform: Platform): Promise<Id> {
  const id = newId();
  const batch = openBatch(platform, platform.control);
  batch.mayRepeat();
  batch.add(
    statement(
      sql`INSERT INTO backups (id, project, created_at) VALUES (${id}, ${publicId(id)}, ${platform.now.getTime()})
        ON CONFLICT DO NOTHING`,
    ),
  );
  await batch.commit();
  return id;
}

/**
 * Stores a file of an upload while it arrives, if it has the hash that the caller expects. A repeated call stores the
 * same file again. The manifest comes last: afterwards, the upload is complete and takes no other file. Throws
 * NotFound, Conflict, and Invalid for a file with another hash, and for a manifest that this version cannot read.
 */
export async function storeBackupFile(
  platform: Platform,
  id: Id,
  { name, sha256, incoming }: { name: string; sha256?: string | undefined; incoming: IncomingBytes },
) {
  const row = await findUpload(platform, id);
  const folder = folderOf(row);
  const key = `${folder}/${name}`;
  const isManifest = key === manifestKey(folder);
  const { completedAt } = row;
  if (completedAt !== null && !isManifest) throw uploaded();
  const checked = { size: incoming.size, chunks: () => chunksWith(sha256, incoming) };
  if (!isManifest) return platform.blobs.putIncoming(key, checked);
  if (incoming.size > maxManifestBytes) throw new TooLarge(maxManifestBytes);
  const content = await allOf(checked);
  if (completedAt !== null) {
    if (isSame(await platform.blobs.get(key), content)) return;
    throw uploaded();
  }
  const { rows, bytes } = sizeSaidBy(content);
  await platform.blobs.put(key, content);
  const batch = openBatch(platform, platform.control);
  batch.mayRepeat();
  batch.add(
    statement(
      sql`UPDATE backups SET rows = ${rows}, bytes = ${bytes}, completed_at = ${platform.now.getTime()}
        WHERE id = ${id} AND completed_at IS NULL`,
    ),
  );
  await batch.commit();
}

function sizeSaidBy(content: Uint8Array): { rows: number; bytes: number } {
  try {
    return sizeOf(readManifest("manifest.json", content));
  } catch (error) {
    throw unreadable(error, "file");
  }
}

function isSame(stored: Uint8Array | null, sent: Uint8Array): boolean {
  return stored !== null && stored.length === sent.length && stored.every((byte, index) => byte === sent[index]);
}

export function uploaded(): Conflict {
  return new Conflict("The upload of this backup is complete, so it takes no more files.", {
    suggestion: "Begin another upload with POST /admin/backups, or restore this one with POST /admin/restore.",
  });
}
