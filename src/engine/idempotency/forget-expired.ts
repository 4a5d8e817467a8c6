import { sql } from "drizzle-orm";
import { query } from "../../db/commit";
import type { Platform } from "../../platform/context";

const rowsPerStep = 1_000;
const stepsPerTick = 20;

/** The sweep over keys whose time is over. Every read asks for the time too, so a late one harms nobody. */
export async function forgetExpiredEffects(platform: Platform): Promise<void> {
  const now = platform.now.getTime();
  for (const db of platform.databases) {
    for (let step = 0; step < stepsPerTick; step++) {
      const removed = await query(
        db,
        sql`DELETE FROM idempotency_effects WHERE rowid IN (SELECT rowid FROM idempotency_effects
          INDEXED BY ix_idempotency_effects_expiry WHERE expires_at <= ${now} LIMIT ${rowsPerStep}) RETURNING 1`,
      );
      if (removed.length < rowsPerStep) break;
    }
  }
}
