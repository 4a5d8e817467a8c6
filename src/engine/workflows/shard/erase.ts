import { type Id, textOf } from "../../../core/ids";
import { cancelled } from "../../../core/workflows/machine";
import { nextChange, noteChange } from "./changes";
import { moveExecution } from "./moves";
import { readExecution, type ShardStore, type StoredExecution, type StoredRecord } from "./store";

/** The exit reason of executions whose contact was deleted. */
export const goneReason = "The contact was deleted";

/** The exit reason of executions whose project was disabled. */
export const projectDisabled = "Project disabled";

/** The exit reason of executions whose workflow was deleted. */
export const workflowRemoved = "Workflow was removed";

/**
 * Ends the executions of deleted contacts and erases what they contain: everything about the contact, and everything
 * sent to the contact. The fact that the executions took place stays on record.
 */
export function eraseRowsOf(store: ShardStore, contactIds: Id[], now: number): void {
  for (const contactId of contactIds) {
    const contact = textOf(contactId);
    const theirs = "FROM entries n CROSS JOIN executions e ON e.id = n.execution_id";
    const active = `SELECT e.* ${theirs} AND e.completed_at IS NULL WHERE n.contact_id = ?`;
    for (const execution of store.all(readExecution, active, contact)) {
      moveExecution(store, execution, cancelled(execution, goneReason, now), now);
    }
    // An event is about one contact, so executions of other contacts do not refer to it.
    store.run(`DELETE FROM events WHERE id IN (SELECT e.event_id ${theirs} WHERE n.contact_id = ?)`, contact);
    const earlier = `SELECT r.value ${theirs} CROSS JOIN json_each(e.earlier) r WHERE n.contact_id = ?`;
    store.run(`DELETE FROM events WHERE id IN (${earlier})`, contact);
    emptyExecutions(store, contact, now);
    store.run("DELETE FROM entries WHERE contact_id = ?", contact);
  }
}

const emptiedAtOnce = 100;

/**
 * Empties the executions of a contact. Executions that are empty already are left out, so that they are not mirrored
 * again.
 */
function emptyExecutions(store: ShardStore, contact: string, now: number): void {
  let found: StoredExecution[];
  let [workflow, after] = ["", ""];
  do {
    found = store.all(
      readExecution,
      `SELECT e.* FROM entries n CROSS JOIN executions e ON e.id = n.execution_id
        WHERE n.contact_id = ? AND (n.workflow_id, n.execution_id) > (?, ?)
        ORDER BY n.workflow_id, n.execution_id LIMIT ?`,
      ...[contact, workflow, after, emptiedAtOnce],
    );
    empty(store, found.filter(isFull), now);
    const last = found.at(-1);
    if (last) [workflow, after] = [textOf(last.workflowId), textOf(last.id)];
  } while (found.length === emptiedAtOnce);
}

function empty(store: ShardStore, executions: StoredExecution[], now: number): void {
  if (executions.length === 0) return;
  const number = nextChange(store);
  const ids = executions.map(({ id }) => id);
  store.run(
    `UPDATE executions SET context = NULL, error = NULL, event_id = NULL, earlier = NULL, request = NULL,
        records = r.value->>1, change = ?, version = version + 1, updated_at = ? FROM json_each(?) r WHERE executions.id = r.value->>0`,
    ...[number, now, JSON.stringify(executions.map(({ id, records }) => [id, JSON.stringify(records.map(emptied))]))],
  );
  store.run("DELETE FROM outputs WHERE execution_id IN (SELECT value FROM json_each(?))", JSON.stringify(ids));
  noteChange(store, number, ids);
}

function isFull({ context, error, eventId, request, records }: StoredExecution): boolean {
  const isAnyFull = records.some((record) => record.output ?? record.reason ?? record.error ?? record.isLarge ?? false);
  return context !== null || error !== null || eventId !== null || request !== null || isAnyFull;
}

function emptied({ isLarge: _, ...record }: StoredRecord): StoredRecord {
  return { ...record, output: null, reason: null, error: null };
}
