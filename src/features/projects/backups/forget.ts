import { sql } from "drizzle-orm";
import { dayMs } from "../../../core/time";
import { openBatch } from "../../../db/batch";
import { controlShard } from "../../../db/client";
import { wholeRow } from "../../../db/rows";
import { select, statement } from "../../../db/statement";
import { type BackupRow, backups } from "../../../db/tables";
import { folderOf } from "../../../engine/backups/folder";
import type { Platform } from "../../../platform/context";
import { openParts } from "../../../platform/sweep";

const backupsPerTick = 20;
/** The maximum number of pages of files, 1,000 files each, that one tick deletes per backup. */
const pagesPerBackup = 10;

/**
 * Deletes, in a sweep, backups older than BACKUP_RETENTION_DAYS, including those of deleted projects and those that
 * were given up. A backup's row is deleted after its files, so that the next tick continues with a large backup.
 */
export async function forgetBackups(platform: Platform): Promise<void> {
  if (!platform.shards.includes(controlShard)) return;
  const before = platform.now.getTime() - platform.config.backups.retentionDays * dayMs;
  const old = await select(
    platform.control,
    sql`SELECT * FROM backups INDEXED BY ix_backups_expiry WHERE created_at < ${before} ORDER BY created_at LIMIT ${backupsPerTick}`,
    wholeRow(backups),
  );
  const parts = openParts();
  for (const backup of old) await parts.run(() => forget(platform, backup));
  parts.end();
}

async function forget(platform: Platform, backup: BackupRow): Promise<void> {
  const prefix = `${folderOf(backup)}/`;
  for (let page = 0; page < pagesPerBackup; page++) {
    const keys = await platform.blobs.list(prefix);
    if (keys.length === 0) return deleteRow(platform, backup);
    await platform.blobs.delete(keys);
  }
}

async function deleteRow(platform: Platform, { id }: BackupRow): Promise<void> {
  const batch = openBatch(platform, platform.control);
  batch.mayRepeat();
  batch.add(statement(sql`DELETE FROM backups WHERE id = ${id}`));
  await batch.commit();
}
