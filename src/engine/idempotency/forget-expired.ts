import { sql } from "drizzle-orm";
import { openBatch } from "../../db/batch";
import type { Db } from "../../db/client";
import { statement } from "../../db/statement";
import type { Platform } from "../../platform/context";
import { sweepDatabases } from "../../platform/sweep";

/** More than other sweeps take, because each call with a key leaves a row. */
const maxForgottenRows = 1_000;

/** Sweeps expired keys. Every read checks the time too, so a late sweep does no harm. */
export function forgetExpiredEffects(platform: Platform): Promise<void> {
  return sweepDatabases(platform, (db) => deleteExpired(platform, db));
}

async function deleteExpired(platform: Platform, db: Db): Promise<number> {
  const batch = openBatch(platform, db);
  const deleted = batch.add(
    statement(
      sql`DELETE FROM idempotency_effects WHERE (project_id, kind, key) IN (
        SELECT project_id, kind, key FROM idempotency_effects INDEXED BY ix_idempotency_effects_expiry
        WHERE expires_at <= ${platform.now.getTime()} LIMIT ${maxForgottenRows}) RETURNING 1`,
    ),
  );
  await batch.commit();
  return deleted.count;
}
