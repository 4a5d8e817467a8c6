import { sql } from "drizzle-orm";
import { Conflict, NotFound } from "../../../core/errors";
import { hourMs } from "../../../core/time";
import { controlShard } from "../../../db/client";
import { asNumber, asText, columns } from "../../../db/rows";
import { select } from "../../../db/statement";
import type { Platform } from "../../../platform/context";
import { openParts, readCursor, storeCursor } from "../../../platform/sweep";
import { startBackup } from "./start";

/** A tick every five minutes makes 1,200 projects a night. */
const projectsPerTick = 20;
/** The hours of the night, in UTC. */
const night = [1, 2, 3, 4, 5];
/** A project whose newest backup is younger has had its night. */
const recentMs = 20 * hourMs;

/**
 * The sweep that backs up projects at night, if NIGHTLY_BACKUPS says so. It goes through the projects in turn, so that one whose
 * backup fails again and again keeps no other waiting.
 */
export async function startNightlyBackups(platform: Platform): Promise<void> {
  // Several calls share a tick where there are many databases.
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
    // It is being made already, or the project was deleted just now.
    if (!(error instanceof Conflict || error instanceof NotFound)) throw error;
  }
}
