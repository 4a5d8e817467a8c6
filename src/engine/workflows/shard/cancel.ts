import { sql } from "drizzle-orm";
import { type Id, textOf } from "../../../core/ids";
import { openBatch } from "../../../db/batch";
import { asId, asNumber, asText, columns, orNull } from "../../../db/rows";
import { noRows, type Statement, statement } from "../../../db/statement";
import type { Context } from "../../../platform/context";
import { upsertExecutionCounts } from "../execution-counts";
import { ofWorkflow } from "../graph";
import { isUnmirrored } from "./changes";
import { newestId } from "./rows";
import { countSkipped } from "./step-counts";
import { readIdRow, type ShardStore } from "./store";

/**
 * The executions to cancel: the active ones of one workflow or of all, up to the newest one at the beginning of the
 * cancellation.
 */
export interface Cancelling {
  workflowId: Id | null;
  reason: string;
  upTo: Id;
}

/** A chunk takes a few milliseconds, here and in the database. */
const cancelledAtOnce = 500;

/** Describes a cancellation that begins now. */
export function cancelling(store: ShardStore, workflowId: Id | null, reason: string): Cancelling {
  return { workflowId, reason, upTo: newestId(store) };
}

/** The result of cancelling one chunk. */
export interface CancelledChunk {
  count: number;
  isLast: boolean;
}

const readChunk = columns({ count: asNumber, last: orNull(asId), current: asText });

/**
 * Cancels the next chunk, all of one workflow. There may be very many executions, so a chunk is a range of an index,
 * and its rows are never loaded. Executions that were already mirrored are recorded for the mirror in one row, and
 * count as mirrored; the others are in a change that the mirror has yet to show.
 */
export function cancelSome(store: ShardStore, { workflowId, reason, upTo }: Cancelling, now: number): CancelledChunk {
  const ofWorkflow = workflowId ?? findActive(store, upTo);
  const next = ofWorkflow === null ? null : findChunk(store, ofWorkflow, upTo);
  if (ofWorkflow === null || next === null || next.last === null) return { count: 0, isLast: true };
  const isOfChunk = "completed_at IS NULL AND workflow_id = ? AND id <= ?";
  const chunk = [textOf(ofWorkflow), textOf(next.last)];
  countSkipped(store, isOfChunk, ...chunk);
  store.run(
    `UPDATE executions INDEXED BY ix_executions_active SET status = 'CANCELLED', exit_reason = ?, completed_at = ?,
      ended_at = ?, pause = NULL, wake_at = NULL, awaits = NULL, since = NULL, outcome = NULL, needs = NULL, updated_at = ?,
      version = version + 1 WHERE ${isOfChunk}`,
    ...[reason, now, store.realNow(), now, ...chunk],
  );
  store.run(
    "INSERT INTO unshown (last, workflow_id, ids, reason, at) VALUES (?, ?, ?, ?, ?)",
    ...[textOf(next.last), textOf(ofWorkflow), next.current, reason, now],
  );
  return { count: next.count, isLast: workflowId !== null && next.count < cancelledAtOnce };
}

/** Finds a workflow that has an active execution with an id up to `upTo`. */
function findActive(store: ShardStore, upTo: Id): Id | null {
  const [found] = store.all(
    readIdRow,
    `SELECT workflow_id AS id FROM executions INDEXED BY ix_executions_active WHERE completed_at IS NULL AND id <= ? LIMIT 1`,
    textOf(upTo),
  );
  return found?.id ?? null;
}

function findChunk(store: ShardStore, workflowId: Id, upTo: Id) {
  const [found] = store.all(
    readChunk,
    `SELECT count(*) AS count, max(id) AS last, json_group_array(id) FILTER (WHERE NOT is_unmirrored) AS current
      FROM (SELECT id, ${isUnmirrored} AS is_unmirrored FROM executions INDEXED BY ix_executions_active
        WHERE completed_at IS NULL AND workflow_id = ? AND id <= ? ORDER BY id LIMIT ?)`,
    ...[textOf(workflowId), textOf(upTo), cancelledAtOnce],
  );
  return found ?? null;
}

const readUnshown = columns({ last: asId, workflowId: asId, ids: asText, reason: asText, at: asNumber });
type Unshown = ReturnType<typeof readUnshown>;

/** Writes the cancelled chunks that the mirror does not show yet. */
export async function showCancelled(ctx: Context, store: ShardStore): Promise<void> {
  for (;;) {
    const [chunk] = store.all(readUnshown, "SELECT * FROM unshown LIMIT 1");
    if (!chunk) return;
    const batch = openBatch(ctx);
    batch.add(updateCancelled(ctx, chunk));
    await batch.commit();
    store.run("DELETE FROM unshown WHERE last = ?", textOf(chunk.last));
  }
}

/** Leaves out rows that are cancelled already, so that a repeat changes nothing. */
function updateCancelled(ctx: Context, { workflowId, ids, reason, at }: Unshown): Statement {
  const isOfChunk = sql`${ofWorkflow(ctx, workflowId)} AND id IN (SELECT value FROM json_each(${ids}))
    AND NOT (completed_at IS ${at} AND exit_reason IS ${reason})`;
  const counts = upsertExecutionCounts(
    ctx,
    sql`SELECT workflow_id, id, status AS old_status, 'CANCELLED' AS new_status FROM workflow_executions
      WHERE ${isOfChunk} AND status <> 'CANCELLED'`,
  );
  return statement(
    sql`UPDATE workflow_executions SET status = 'CANCELLED', exit_reason = ${reason}, wake_at = NULL,
        completed_at = ${at}, updated_at = ${at}, awaits = NULL, version = version + 1
      WHERE ${isOfChunk}`,
    noRows,
    { before: [counts] },
  );
}
