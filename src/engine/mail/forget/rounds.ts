import { sql } from "drizzle-orm";
import { dayMs } from "../../../core/time";
import { openBatch } from "../../../db/batch";
import type { Db } from "../../../db/client";
import { statement } from "../../../db/statement";
import type { Platform } from "../../../platform/context";
import { maxSweptRows, sweepDatabases } from "../../../platform/sweep";

/** No provider recognises a call for longer than a day. */
const keptMs = 2 * dayMs;

/** The sweep over stored calls that cannot be repeated any more. Their outcome stayed unknown, or a report settled it. */
export function forgetRounds(platform: Platform): Promise<void> {
  return sweepDatabases(platform, (db) => deleteOld(platform, db));
}

async function deleteOld(platform: Platform, db: Db): Promise<number> {
  const batch = openBatch(platform, db);
  const deleted = batch.add(
    statement(
      sql`DELETE FROM rounds WHERE (project_id, id) IN (SELECT project_id, id FROM rounds INDEXED BY ix_rounds_handed
        WHERE handed_at <= ${platform.now.getTime() - keptMs} ORDER BY handed_at LIMIT ${maxSweptRows}) RETURNING 1`,
    ),
  );
  await batch.commit();
  return deleted.count;
}
