import { type Id, textOf } from "../../core/ids";
import { cancelled } from "../../core/workflows/machine";
import { moveExecution } from "./shard-moves";
import { readExecution, type ShardStore } from "./shard-store";

/** Why executions end whose contact is gone. */
export const goneReason = "The contact was deleted";

/** Why executions end whose project is disabled. */
export const projectDisabled = "Project disabled";

/** Why executions end whose workflow is gone. */
export const workflowRemoved = "Workflow was removed";

/**
 * Ends and empties the executions of contacts that are gone: what was said of them, and what was said to them. That
 * there were executions stays.
 */
export function eraseRowsOf(store: ShardStore, contactIds: Id[], now: number): void {
  for (const contactId of contactIds) {
    const contact = textOf(contactId);
    const active = "SELECT * FROM executions WHERE contact_id = ? AND completed_at IS NULL";
    for (const execution of store.all(readExecution, active, contact)) {
      moveExecution(store, execution, cancelled(execution, goneReason, now), now);
    }
    const own = "SELECT id FROM executions WHERE contact_id = ?";
    // An event is about one contact, so nobody else refers to those of this one.
    store.run("DELETE FROM events WHERE id IN (SELECT event_id FROM executions WHERE contact_id = ?)", contact);
    const earlier = "SELECT r.value FROM executions e CROSS JOIN json_each(e.earlier) r WHERE e.contact_id = ?";
    store.run(`DELETE FROM events WHERE id IN (${earlier})`, contact);
    // One that is empty already is not new to the mirror.
    store.run(
      `UPDATE executions SET context = NULL, error = NULL, event_id = NULL, earlier = NULL, request = NULL,
          version = version + 1
        WHERE contact_id = ? AND (context IS NOT NULL OR error IS NOT NULL OR event_id IS NOT NULL OR request IS NOT NULL)`,
      contact,
    );
    store.run(
      `UPDATE steps SET output = NULL, reason = NULL, error = NULL WHERE execution_id IN (${own})
        AND (output IS NOT NULL OR reason IS NOT NULL OR error IS NOT NULL)`,
      contact,
    );
    store.run("DELETE FROM entries WHERE contact_id = ?", contact);
  }
}
