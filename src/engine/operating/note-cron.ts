import { sql } from "drizzle-orm";
import { openBatch } from "../../db/batch";
import { statement } from "../../db/statement";
import type { Platform } from "../../platform/context";

/** Records when a schedule ended. The health report reads it. */
export async function noteCron(platform: Platform, cron: string): Promise<void> {
  const now = platform.clock().getTime();
  const batch = openBatch(platform, platform.control);
  batch.mayRepeat();
  batch.add(
    statement(
      sql`INSERT INTO cron_runs (cron, first_ran_at, ran_at) VALUES (${cron}, ${now}, ${now})
        ON CONFLICT (cron) DO UPDATE SET ran_at = max(ran_at, excluded.ran_at)`,
    ),
  );
  await batch.commit();
}
