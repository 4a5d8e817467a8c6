import { sql } from "drizzle-orm";
import { Conflict, NotFound } from "../../../core/errors";
import { hourMs } from "../../../core/time";
import { controlShard } from "../../../db/client";
import { asNumber, asText, columns } from "../../../db/rows";
import { select } from "../../../db/statement";
import type { Platform } from "../../../platform/context";
import { openParts, readCursor, storeCursor } from "../../../platform/sweep";
import { startBackup } from "./start";

/**
 * The maximum number of projects whose backups one tick starts: enough for 1,200 projects a night, with a tick every
 * five minutes.
 */
const projectsPerTick = 20;
/** The hours, in UTC, in which nightly backups start. */
const night = [1, 2, 3, 4, 5];
/** A project whose last backup is younger than this has already been backed up this night. */
const recentMs = 20 * hourMs;

/**
 * Starts, in a sweep at night, the backups of projects if NIGHTLY_BACKUPS is on. Projects take turns, so that a backup
 * that fails repeatedly does not hold up the others.
 */
export async function startNightlyBackups(platform: Platform): Promise<void> {
  // When there are many databases, several calls share a tick. Only the call with the control database starts backups.
  if (!platform.shards.includes(controlShard)) return;
  if (!platform.config.backups.isNightly || !night.includes(platform.now.getUTCHours())) return;
  const cursor = Number(await readCursor(platform, "nightly-backups"));
  const projects = await select(
    platform.control,
    sql`SELECT p.number, p.id FROM projects p WHERE p.number > ${cursor} AND p.deleted_at IS NULL AND NOT EXISTS (
        SELECT 1 FROM backups b INDEXED BY ix_backups_project
        WHERE b.project = p.id AND b.created_at > ${platform.now.getTime() - recentMs})
      ORDER BY p.number LIMIT ${projectsPerTick}`,
    columns({ number: asNumber, id: asText }),
  );
  const parts = openParts();
  for (const { id } of projects) await parts.run(() => startUnlessBusy(platform, id));
  const last = projects.length < projectsPerTick ? undefined : projects.at(-1);
  await storeCursor(platform, "nightly-backups", String(last?.number ?? 0));
  parts.end();
}

async function startUnlessBusy(platform: Platform, id: string): Promise<void> {
  try {
    await startBackup(platform, id);
  } catch (error) {
    // The backup is in progress already, or the project was deleted just now.
    if (!(error instanceof Conflict || error instanceof NotFound)) throw error;
  }
}
