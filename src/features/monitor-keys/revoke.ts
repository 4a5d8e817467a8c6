import { sql } from "drizzle-orm";
import { NotFound } from "../../core/errors";
import type { Id } from "../../core/ids";
import { openBatch } from "../../db/batch";
import { asNumber, columns } from "../../db/rows";
import { selectFirst, statement } from "../../db/statement";
import { recordChange } from "../../engine/audit/record-change";
import { forgetMonitorKeys } from "../../engine/operating/is-monitor-key";
import type { Platform } from "../../platform/context";
import { auditedMonitorKey } from "./audited";

/** Revokes a monitor key. It stops working everywhere within 30 seconds. Throws NotFound. */
export async function revokeMonitorKey(platform: Platform, id: Id): Promise<void> {
  const found = sql`SELECT 1 AS found FROM monitor_keys WHERE id = ${id}`;
  if ((await selectFirst(platform.control, found, columns({ found: asNumber }))) === null) {
    throw new NotFound("key", id);
  }
  const batch = openBatch(platform, platform.control);
  batch.mayRepeat();
  recordChange(batch, platform, auditedMonitorKey(id));
  batch.add(statement(sql`DELETE FROM monitor_keys WHERE id = ${id}`));
  await batch.commit();
  forgetMonitorKeys();
}
