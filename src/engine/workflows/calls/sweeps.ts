import { sql } from "drizzle-orm";
import { dayMs } from "../../../core/time";
import { openBatch } from "../../../db/batch";
import { asNumber, columns } from "../../../db/rows";
import { statement } from "../../../db/statement";
import type { Platform } from "../../../platform/context";
import { maxSweptRows, sweepDatabases } from "../../../platform/sweep";
import { findDueHosts } from "./calls";

/** The sweep that finds due calls, of all projects: those whose wait is over, and those whose message was lost. */
export function queueDueCalls(platform: Platform): Promise<void> {
  return sweepDatabases(platform, async (db) => {
    const [first] = await findDueHosts(db, platform.now.getTime(), 1);
    if (first) await platform.enqueue([{ message: { type: "workflows.call" } }]);
    return 0;
  });
}

/** Much longer than an execution takes to hear. */
const keptForMs = 2 * dayMs;

/** The sweep over calls that are long over. */
export function forgetOldCalls(platform: Platform): Promise<void> {
  return sweepDatabases(platform, async (db) => {
    const batch = openBatch({ ...platform, db });
    const deleted = batch.add(
      statement(
        sql`DELETE FROM workflow_calls WHERE (project_id, contact_id, effect_id) IN (
            SELECT project_id, contact_id, effect_id FROM workflow_calls INDEXED BY ix_workflow_calls_ended
            WHERE ended_at < ${platform.now.getTime() - keptForMs} ORDER BY ended_at LIMIT ${maxSweptRows})
          RETURNING 1 AS deleted`,
        columns({ deleted: asNumber }),
      ),
    );
    await batch.commit();
    return deleted.count;
  });
}
