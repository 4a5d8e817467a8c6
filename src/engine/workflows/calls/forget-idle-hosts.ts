import { sql } from "drizzle-orm";
import { isAtHome } from "../../../db/at-home";
import { openBatch } from "../../../db/batch";
import type { Db } from "../../../db/client";
import { asFlag, asNumber, asText, columns } from "../../../db/rows";
import { select, statement } from "../../../db/statement";
import type { Platform } from "../../../platform/context";
import { maxSweptRows, walkDatabases } from "../../../platform/sweep";

type HostKey = [projectId: number, host: string];

/** Sweeps all projects for hosts without open calls, and deletes them. */
export function forgetIdleHosts(platform: Platform): Promise<void> {
  return walkDatabases<HostKey>(platform, "workflow-hosts", (db, after) => forgetIdlePage(platform, db, after));
}

/**
 * Deletes the idle hosts of the next page. A new call inserts its host's row in its own batch, and the deletion checks
 * for calls in its own statement. An earlier call therefore prevents the deletion, and a later call inserts the row
 * again. A postponed host stays.
 */
async function forgetIdlePage(
  platform: Platform,
  db: Db,
  [project, host]: HostKey = [0, ""],
): Promise<HostKey | undefined> {
  const page = await select(
    db,
    sql`SELECT project_id, host, due_at IS NULL AS is_idle FROM workflow_hosts
      WHERE (project_id, host) > (${project}, ${host}) AND ${isAtHome()} ORDER BY project_id, host LIMIT ${maxSweptRows}`,
    columns({ projectId: asNumber, host: asText, isIdle: asFlag }),
  );
  const idle = page.filter(({ isIdle }) => isIdle);
  if (idle.length > 0) {
    const items = JSON.stringify(idle.map((one) => [one.projectId, one.host]));
    const batch = openBatch(platform, db);
    batch.add(
      statement(
        sql`DELETE FROM workflow_hosts AS h
          WHERE (h.project_id, h.host) IN (SELECT value->>0, value->>1 FROM json_each(${items}))
            AND coalesce(h.put_off_until, 0) <= ${platform.now.getTime()}
            AND NOT EXISTS (SELECT 1 FROM workflow_calls k INDEXED BY ix_workflow_calls_due
              WHERE k.project_id = h.project_id AND k.host = h.host AND k.next_attempt_at IS NOT NULL)`,
      ),
    );
    await batch.commit();
  }
  const last = page.length < maxSweptRows ? undefined : page.at(-1);
  return last && [last.projectId, last.host];
}
