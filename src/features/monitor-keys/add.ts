import { sql } from "drizzle-orm";
import { Conflict } from "../../core/errors";
import { newId } from "../../core/ids";
import { generateMonitorKey, hashKey, keyPrefix } from "../../core/keys";
import { openBatch } from "../../db/batch";
import { wholeRow } from "../../db/rows";
import { statement } from "../../db/statement";
import { monitorKeys } from "../../db/tables";
import { recordChange } from "../../engine/audit/record-change";
import { forgetMonitorKeys } from "../../engine/operating/is-monitor-key";
import type { Platform } from "../../platform/context";
import { auditedMonitorKey } from "./audited";
import type { MonitorKeyRow } from "./monitor-key";
import type { CreateMonitorKey } from "./schema";

export const maxMonitorKeys = 50;

/**
 * Adds a key that reads the health of the installation. Only its hash is stored. Throws Conflict when there are already
 * 50.
 */
export async function addMonitorKey(
  platform: Platform,
  { name }: CreateMonitorKey,
): Promise<{ key: string; row: MonitorKeyRow }> {
  const key = generateMonitorKey();
  const id = newId();
  const isThere = sql`SELECT * FROM monitor_keys WHERE id = ${id}`;
  const batch = openBatch(platform, platform.control);
  batch.recognise(sql`EXISTS (${isThere})`);
  recordChange(batch, platform, auditedMonitorKey(id));
  const added = batch.add(
    statement(
      sql`INSERT INTO monitor_keys (id, name, prefix, hash, created_at)
        SELECT ${id}, ${name ?? null}, ${keyPrefix(key)}, ${await hashKey(key)}, ${platform.now.getTime()}
        WHERE (SELECT count(*) FROM monitor_keys) < ${maxMonitorKeys} RETURNING *`,
      wholeRow(monitorKeys),
      { again: isThere },
    ),
  );
  await batch.commit();
  if (added.first === undefined) throw tooManyMonitorKeys();
  forgetMonitorKeys();
  return { key, row: added.first };
}

export function tooManyMonitorKeys(): Conflict {
  return new Conflict(`The installation has ${maxMonitorKeys} monitor keys, the most that it can have.`, {
    suggestion: "Revoke one that is not in use: DELETE /admin/keys/{keyId}.",
  });
}
