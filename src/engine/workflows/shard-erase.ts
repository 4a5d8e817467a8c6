import { type Id, textOf } from "../../core/ids";
import { isActive } from "../../core/workflows/execution";
import { cancelled } from "../../core/workflows/machine";
import { dropUnused, moveExecution } from "./shard-rows";
import { readExecution, readIdRow, type ShardStore } from "./shard-store";

/** Why executions end whose contact is gone. */
export const goneReason = "The contact was deleted";

/** Why executions end whose project is disabled. */
export const projectDisabled = "Project disabled";

/**
 * Ends and empties the executions of contacts that are gone: what was said of them, and what was said to them. That
 * there were executions stays.
 */
export function eraseRowsOf(store: ShardStore, contactIds: Id[], now: number): void {
  for (const contactId of contactIds) {
    const executions = store.all(readExecution, "SELECT * FROM executions WHERE contact_id = ?", textOf(contactId));
    for (const execution of executions) {
      if (isActive(execution.status)) moveExecution(store, execution, cancelled(execution, goneReason, now), now);
      // One that is empty already is not new to the mirror.
      store.run(
        `UPDATE executions SET context = NULL, error = NULL, event_id = NULL, request = NULL, version = version + 1
          WHERE id = ? AND (context IS NOT NULL OR error IS NOT NULL OR event_id IS NOT NULL OR request IS NOT NULL)`,
        textOf(execution.id),
      );
      store.run(
        "UPDATE steps SET output = NULL, reason = NULL, error = NULL WHERE execution_id = ?",
        textOf(execution.id),
      );
    }
    dropUnused(
      store,
      executions.map(({ eventId }) => eventId),
    );
    store.run("DELETE FROM entries WHERE contact_id = ?", textOf(contactId));
  }
}

/** Ends all active executions, or those of one workflow. Returns their number. */
export function cancelActive(store: ShardStore, workflowId: Id | null, reason: string, now: number): number {
  const active = `SELECT id FROM executions WHERE completed_at IS NULL${workflowId === null ? "" : " AND workflow_id = ?"}`;
  const given = workflowId === null ? [] : [textOf(workflowId)];
  return store.together(() => {
    store.run(
      `UPDATE steps SET status = 'SKIPPED', reason = ?, completed_at = ?, scheduled_for = NULL
        WHERE execution_id IN (${active}) AND completed_at IS NULL`,
      ...[reason, now, ...given],
    );
    store.run(
      `UPDATE entries SET active = NULL WHERE (workflow_id, contact_id) IN (
        SELECT workflow_id, contact_id FROM executions WHERE id IN (${active}))`,
      ...given,
    );
    const ended = store.all(
      readIdRow,
      `UPDATE executions SET status = 'CANCELLED', exit_reason = ?, completed_at = ?, pause = NULL, wake_at = NULL,
        awaits = NULL, since = NULL, outcome = NULL, needs = NULL, version = version + 1, updated_at = ?
        WHERE id IN (${active}) RETURNING id`,
      ...[reason, now, now, ...given],
    );
    return ended.length;
  });
}
