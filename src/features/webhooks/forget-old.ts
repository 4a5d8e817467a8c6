import { sql } from "drizzle-orm";
import { firstIdAt } from "../../core/ids";
import { dayMs } from "../../core/time";
import { openBatch } from "../../db/batch";
import { asNumber, columns } from "../../db/rows";
import { statement } from "../../db/statement";
import type { Platform } from "../../platform/context";
import { maxSweptRows, sweepDatabases } from "../../platform/sweep";

const keptForMs = 30 * dayMs;

/** The sweep over deliveries of events that are older than 30 days, over all projects, also of webhooks that are gone. */
export function forgetOldDeliveries(platform: Platform): Promise<void> {
  const before = firstIdAt(platform.now.getTime() - keptForMs);
  return sweepDatabases(platform, async (db) => {
    const batch = openBatch({ ...platform, db });
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
