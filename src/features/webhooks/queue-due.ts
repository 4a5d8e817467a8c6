import { sql } from "drizzle-orm";
import type { Db } from "../../db/client";
import { asNumber, columns } from "../../db/rows";
import { selectFirst } from "../../db/statement";
import type { Platform } from "../../platform/context";
import { sweepDatabases } from "../../platform/sweep";

/** The sweep that finds due deliveries, of all projects: those whose wait is over, and those whose message was lost. */
export function queueDueDeliveries(platform: Platform): Promise<void> {
  return sweepDatabases(platform, async (db) => {
    if (await isAnyDue(db, platform.now.getTime())) await platform.enqueue([{ message: { type: "webhooks.drain" } }]);
    return 0;
  });
}

async function isAnyDue(db: Db, now: number): Promise<boolean> {
  const due = sql`SELECT due_at FROM webhooks INDEXED BY ix_webhooks_due WHERE due_at <= ${now} LIMIT 1`;
  return (await selectFirst(db, due, columns({ dueAt: asNumber }))) !== null;
}
