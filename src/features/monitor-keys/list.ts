import { sql } from "drizzle-orm";
import { wholeRow } from "../../db/rows";
import { select } from "../../db/statement";
import { monitorKeys } from "../../db/tables";
import type { Platform } from "../../platform/context";
import { maxMonitorKeys } from "./add";
import type { MonitorKeyRow } from "./monitor-key";

/** Lists the monitor keys, newest first. */
export function listMonitorKeys({ control }: Platform): Promise<MonitorKeyRow[]> {
  const newest = sql`SELECT * FROM monitor_keys ORDER BY id DESC LIMIT ${maxMonitorKeys}`;
  return select(control, newest, wholeRow(monitorKeys));
}
