import { sql } from "drizzle-orm";
import { dayMs } from "../../core/time";
import { openBatch } from "../../db/batch";
import type { Db } from "../../db/client";
import { statement } from "../../db/statement";
import type { Platform } from "../../platform/context";
import { maxSweptRows, sweepDatabases } from "../../platform/sweep";

/** How long a job can be read after its end. */
const retentionMs = 30 * dayMs;

/**
 * The sweep over jobs that ended long ago, in all projects, including the operator's own. No file has to be deleted:
 * the file of an import becomes an orphan when the import ends, see `engine/mail/forget/orphans.ts`.
 */
export function forgetEndedJobs(platform: Platform): Promise<void> {
  return sweepDatabases(platform, (db) => deleteEnded(platform, db));
}

async function deleteEnded(platform: Platform, db: Db): Promise<number> {
  const batch = openBatch(platform, db);
  const deleted = batch.add(
    statement(
      sql`DELETE FROM jobs WHERE (project_id, id) IN (SELECT project_id, id FROM jobs INDEXED BY ix_jobs_ended
        WHERE completed_at <= ${platform.now.getTime() - retentionMs} ORDER BY completed_at LIMIT ${maxSweptRows}) RETURNING 1`,
    ),
  );
  await batch.commit();
  return deleted.count;
}
