import { sql } from "drizzle-orm";
import { dayMs } from "../../../core/time";
import { openBatch } from "../../../db/batch";
import { asNumber, columns } from "../../../db/rows";
import { statement } from "../../../db/statement";
import type { Platform } from "../../../platform/context";
import { maxSweptRows, sweepDatabases } from "../../../platform/sweep";

/** A step is repeated for a few days at most, while its database or its execution's object cannot be reached. */
const keptForMs = 30 * dayMs;

/** Sweeps the results of steps that are not repeated any more. */
export function forgetStepEffects(platform: Platform): Promise<void> {
  return sweepDatabases(platform, async (db) => {
    const batch = openBatch(platform, db);
    const deleted = batch.add(
      statement(
        sql`DELETE FROM workflow_effects WHERE (project_id, effect_id) IN (
            SELECT project_id, effect_id FROM workflow_effects INDEXED BY ix_workflow_effects_expiry
            WHERE created_at < ${platform.now.getTime() - keptForMs} ORDER BY created_at LIMIT ${maxSweptRows})
          RETURNING 1 AS deleted`,
        columns({ deleted: asNumber }),
      ),
    );
    await batch.commit();
    return deleted.count;
  });
}
