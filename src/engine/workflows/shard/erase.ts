import { type Id, textOf } from "../../../core/ids";
import { cancelled } from "../../../core/workflows/machine";
import { moveExecution } from "./moves";
import { readExecution, type ShardStore } from "./store";

/** The exit reason of executions whose contact was deleted. */
export const goneReason = "The contact was deleted";

/** The exit reason of executions whose project was disabled. */
export const projectDisabled = "Project disabled";

/** The exit reason of executions whose workflow was deleted. */
export const workflowRemoved = "Workflow was removed";

/**
 * Ends the executions of deleted contacts and erases their contents: everything about the contact, and everything sent
 * to it. The fact that they took place stays on record.
 */
export function eraseRowsOf(store: ShardStore, contactIds: Id[], now: number): void {
  for (const contactId of contactIds) {
    const contact = textOf(contactId);
    const active = "SELECT * FROM executions WHERE contact_id = ? AND completed_at IS NULL";
    for (const execution of store.all(readExecution, active, contact)) {
      moveExecution(store, execution, cancelled(execution, goneReason, now), now);
    }
    const own = "SELECT id FROM executions WHERE contact_id = ?";
    // An event is about one contact, so executions of other contacts do not refer to it.
    store.run("DELETE FROM events WHERE id IN (SELECT event_id FROM executions WHERE contact_id = ?)", contact);
    const earlier = "SELECT r.value FROM executions e CROSS JOIN json_each(e.earlier) r WHERE e.contact_id = ?";
    store.run(`DELETE FROM events WHERE id IN (${earlier})`, contact);
    // An execution that is empty already is not mirrored again.
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
