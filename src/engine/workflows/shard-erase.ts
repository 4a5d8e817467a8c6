import { type Id, textOf } from "../../core/ids";
import { isActive } from "../../core/workflows/execution";
import { cancelled } from "../../core/workflows/machine";
import { asId, columns } from "../../db/rows";
import { closeEntries, dropUnused, moveExecution, newestId, skipOpenSteps } from "./shard-rows";
import { readExecution, type ShardStore } from "./shard-store";

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

/** Which executions end: the active ones of a workflow, or all, and none that begins after this was said. */
export interface Cancelling {
  workflowId: Id | null;
  reason: string;
  upTo: Id;
}

/** What one piece takes: some milliseconds. */
const cancelledAtOnce = 250;

/** Says what cancelling ends now. */
export function cancelling(store: ShardStore, workflowId: Id | null, reason: string): Cancelling {
  return { workflowId, reason, upTo: newestId(store) };
}

/** Ends the next of them; returns their number, and whether there may be more. */
export function cancelSome(
  store: ShardStore,
  { workflowId, reason, upTo }: Cancelling,
  now: number,
): { ended: number; mayBeMore: boolean } {
  const active = store.all(
    readActive,
    `SELECT id, workflow_id, contact_id FROM executions INDEXED BY ix_executions_active
      WHERE completed_at IS NULL AND id <= ? ${workflowId === null ? "" : "AND workflow_id = ?"} LIMIT ?`,
    ...[textOf(upTo), ...(workflowId === null ? [] : [textOf(workflowId)]), cancelledAtOnce],
  );
  const ids = active.map(({ id }) => id);
  store.together(() => {
    skipOpenSteps(store, ids, reason, now);
    closeEntries(store, active);
    store.run(
      `UPDATE executions SET status = 'CANCELLED', exit_reason = ?, completed_at = ?, pause = NULL, wake_at = NULL,
        awaits = NULL, since = NULL, outcome = NULL, needs = NULL, version = version + 1, updated_at = ?
        WHERE id IN (SELECT value FROM json_each(?))`,
      ...[reason, now, now, JSON.stringify(ids)],
    );
  });
  return { ended: ids.length, mayBeMore: ids.length === cancelledAtOnce };
}

const readActive = columns({ id: asId, workflowId: asId, contactId: asId });
