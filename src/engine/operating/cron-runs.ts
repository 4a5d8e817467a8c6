import { sql } from "drizzle-orm";
import { schedules } from "../../core/operating/schedules";
import { wholeRow } from "../../db/rows";
import { select } from "../../db/statement";
import { cronRuns } from "../../db/tables";
import type { Platform } from "../../platform/context";

/** Returns when each schedule last ended. */
export function readCronRuns({ control }: Platform): Promise<(typeof cronRuns.$inferSelect)[]> {
  const most = 2 * Object.keys(schedules).length;
  return select(control, sql`SELECT * FROM cron_runs LIMIT ${most}`, wholeRow(cronRuns));
}
