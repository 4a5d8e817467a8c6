import { sql } from "drizzle-orm";
import { openBatch } from "../../db/batch";
import type { Db } from "../../db/client";
import { asNumber, columns } from "../../db/rows";
import { selectFirst, statement } from "../../db/statement";
import type { Platform } from "../../platform/context";
import { sweepDatabases } from "../../platform/sweep";
import { leaseMs } from "./delivery";
import { nextDue } from "./statements";

/** The sweep that finds due deliveries, of all projects: after their wait, or after a lost message. */
export function queueDueDeliveries(platform: Platform): Promise<void> {
  return sweepDatabases(platform, async (db) => {
    if (await isAnyDue(db, platform.now.getTime())) await platform.enqueue([{ message: { type: "webhooks.drain" } }]);
    return 0;
  });
}

/**
 * Runs at process start: no lease of the previous process is alive, so leased deliveries are due now. A delivery that
 * was to be retried within the lease time is also attempted now.
 */
export function endLeasesOfDeliveries(platform: Platform): Promise<void> {
  return sweepDatabases(platform, async (db) => {
    const now = platform.now.getTime();
    const batch = openBatch(platform, db);
    batch.add(
      statement(
        sql`UPDATE webhook_deliveries SET next_attempt_at = ${now}
          WHERE next_attempt_at > ${now} AND next_attempt_at <= ${now + leaseMs}`,
      ),
    );
    batch.add(
      statement(sql`UPDATE webhooks SET due_at = ${nextDue} WHERE due_at > ${now} AND due_at IS NOT ${nextDue}`),
    );
    await batch.commit();
    return 0;
  });
}

async function isAnyDue(db: Db, now: number): Promise<boolean> {
  const due = sql`SELECT due_at FROM webhooks INDEXED BY ix_webhooks_due WHERE due_at <= ${now} LIMIT 1`;
  return (await selectFirst(db, due, columns({ dueAt: asNumber }))) !== null;
}
