import { type Id, textOf } from "../../core/ids";
import { cancelled } from "../../core/workflows/machine";
import { asNumber, asText, columns } from "../../db/rows";
import { closeEntries, moveExecution, skipOpenSteps } from "./shard-moves";
import { newestId } from "./shard-rows";
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

/** Which executions end: the active ones of a workflow, or all, and none that begins after this was said. */
export interface Cancelling {
  workflowId: Id | null;
  reason: string;
  upTo: Id;
}

/** A piece takes some milliseconds. */
export const cancelledAtOnce = 250;

/** Says what cancelling ends now. */
export function cancelling(store: ShardStore, workflowId: Id | null, reason: string): Cancelling {
  return { workflowId, reason, upTo: newestId(store) };
}

/** What cancelling has ended: how many, and a JSON array of `[contactId, workflowId, id, version, stepId]`. */
export interface Ended {
  count: number;
  rows: string;
}

const readEnded = columns({ count: asNumber, rows: asText });

/**
 * Ends the next of them, and returns those it ended. After less than a whole piece there are no more. There may be very
 * many, so their rows do not become objects on the way from one statement to the next.
 */
export function cancelSome(store: ShardStore, { workflowId, reason, upTo }: Cancelling, now: number): Ended {
  const [ended = { count: 0, rows: "[]" }] = store.all(
    readEnded,
    `SELECT count(*) AS count, json_group_array(json_array(contact_id, workflow_id, id, version + 1, step_id)) AS rows
      FROM (SELECT * FROM executions INDEXED BY ix_executions_active
        WHERE completed_at IS NULL AND id <= ? ${workflowId === null ? "" : "AND workflow_id = ?"} LIMIT ?)`,
    ...[textOf(upTo), ...(workflowId === null ? [] : [textOf(workflowId)]), cancelledAtOnce],
  );
  if (ended.count === 0) return ended;
  skipOpenSteps(store, ended.rows, reason, now);
  closeEntries(store, ended.rows);
  store.run(
    `UPDATE executions SET status = 'CANCELLED', exit_reason = ?, completed_at = ?, pause = NULL, wake_at = NULL,
      awaits = NULL, since = NULL, outcome = NULL, needs = NULL, version = version + 1, updated_at = ?
      WHERE id IN (SELECT value->>2 FROM json_each(?))`,
    ...[reason, now, now, ended.rows],
  );
  return ended;
}
