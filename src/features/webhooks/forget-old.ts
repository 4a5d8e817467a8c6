import { sql } from "drizzle-orm";
import { firstIdAt } from "../../core/ids";
import { dayMs } from "../../core/time";
import { openBatch } from "../../db/batch";
import { asNumber, columns } from "../../db/rows";
import { statement } from "../../db/statement";
import type { Platform } from "../../platform/context";
import { maxSweptRows, sweepDatabases } from "../../platform/sweep";

const retentionMs = 30 * dayMs;

/**
 * The sweep over deliveries of events older than 30 days, over all projects, including deliveries of deleted webhooks.
 */
export function forgetOldDeliveries(platform: Platform): Promise<void> {
  const before = firstIdAt(platform.now.getTime() - retentionMs);
  return sweepDatabases(platform, async (db) => {
    const batch = openBatch(platform, db);
    const deleted = batch.add(
      statement(
        sql`DELETE FROM webhook_deliveries WHERE (project_id, webhook_id, event_id) IN (
            SELECT project_id, webhook_id, event_id FROM webhook_deliveries INDEXED BY ix_webhook_deliveries_expiry
            WHERE event_id < ${before} ORDER BY event_id LIMIT ${maxSweptRows})
          RETURNING 1 AS deleted`,
        columns({ deleted: asNumber }),
      ),
    );
    await batch.commit();
    return deleted.count;
  });
}
