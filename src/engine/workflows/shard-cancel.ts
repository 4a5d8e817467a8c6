import { sql } from "drizzle-orm";
import { type Id, textOf } from "../../core/ids";
import { openBatch } from "../../db/batch";
import { asId, asNumber, asText, columns, orNull } from "../../db/rows";
import { type Statement, statement } from "../../db/statement";
import type { Context } from "../../platform/context";
import { countSkipped } from "./shard-moves";
import { newestId } from "./shard-rows";
import { readIdRow, type ShardStore } from "./shard-store";

/** Which executions end: the active ones of a workflow, or all, and none that begins after this was said. */
export interface Cancelling {
  workflowId: Id | null;
  reason: string;
  upTo: Id;
}

/** A piece takes some milliseconds, here and in the database. */
const cancelledAtOnce = 500;

/** Says what cancelling ends now. */
export function cancelling(store: ShardStore, workflowId: Id | null, reason: string): Cancelling {
  return { workflowId, reason, upTo: newestId(store) };
}

/** What a piece has ended. */
export interface Ended {
  count: number;
  isLast: boolean;
}

const readPiece = columns({ count: asNumber, last: orNull(asId), current: asText });

/**
 * Ends the next of them, some of one workflow. There may be very many, so a piece is a stretch of an index, and nobody
 * reads its rows one by one. Those that the mirror showed as they were are written down for it in one row, and count as
 * shown. The others are new to it.
 */
export function cancelSome(store: ShardStore, { workflowId, reason, upTo }: Cancelling, now: number): Ended {
  const ofWorkflow = workflowId ?? findActive(store, upTo);
  const next = ofWorkflow === null ? null : findPiece(store, ofWorkflow, upTo);
  if (ofWorkflow === null || next === null || next.last === null) return { count: 0, isLast: true };
  const isOfPiece = "completed_at IS NULL AND workflow_id = ? AND id <= ?";
  const piece = [textOf(ofWorkflow), textOf(next.last)];
  countSkipped(
    store,
    `SELECT workflow_id, id, step_id FROM executions INDEXED BY ix_executions_active WHERE ${isOfPiece}`,
    ...piece,
  );
  store.run(
    `UPDATE executions INDEXED BY ix_executions_active SET status = 'CANCELLED', exit_reason = ?, completed_at = ?,
      ended_at = ?, pause = NULL, wake_at = NULL, awaits = NULL, since = NULL, outcome = NULL, needs = NULL, updated_at = ?,
      version = version + 1, mirrored = mirrored + (mirrored = version) WHERE ${isOfPiece}`,
    ...[reason, now, store.realNow(), now, ...piece],
  );
  store.run(
    "INSERT INTO unshown (last, workflow_id, ids, reason, at) VALUES (?, ?, ?, ?, ?)",
    ...[textOf(next.last), textOf(ofWorkflow), next.current, reason, now],
  );
  return { count: next.count, isLast: workflowId !== null && next.count < cancelledAtOnce };
}

/** A workflow with active executions among those up to this one. */
function findActive(store: ShardStore, upTo: Id): Id | null {
  const [found] = store.all(
    readIdRow,
    `SELECT workflow_id AS id FROM executions INDEXED BY ix_executions_active WHERE completed_at IS NULL AND id <= ? LIMIT 1`,
    textOf(upTo),
  );
  return found?.id ?? null;
}

function findPiece(store: ShardStore, workflowId: Id, upTo: Id) {
  const [found] = store.all(
    readPiece,
    `SELECT count(*) AS count, max(id) AS last, json_group_array(id) FILTER (WHERE version = mirrored) AS current
      FROM (SELECT id, version, mirrored FROM executions INDEXED BY ix_executions_active
        WHERE completed_at IS NULL AND workflow_id = ? AND id <= ? ORDER BY id LIMIT ?)`,
    ...[textOf(workflowId), textOf(upTo), cancelledAtOnce],
  );
  return found ?? null;
}

const readUnshown = columns({ last: asId, workflowId: asId, ids: asText, reason: asText, at: asNumber });
type Unshown = ReturnType<typeof readUnshown>;

/** Shows in the mirror what was cancelled and is not shown yet. */
export async function showCancelled(ctx: Context, store: ShardStore): Promise<void> {
  for (;;) {
    const [piece] = store.all(readUnshown, "SELECT * FROM unshown LIMIT 1");
    if (!piece) return;
    const batch = openBatch(ctx);
    batch.add(updateCancelled(ctx, piece));
    await batch.commit();
    store.run("DELETE FROM unshown WHERE last = ?", textOf(piece.last));
  }
}

/** What is shown already is left out, so that a repeat changes nothing. */
function updateCancelled(ctx: Context, { workflowId, ids, reason, at }: Unshown): Statement {
  return statement(
    sql`UPDATE workflow_executions SET status = 'CANCELLED', exit_reason = ${reason}, wake_at = NULL,
        completed_at = ${at}, updated_at = ${at}, awaits = NULL, version = version + 1
      WHERE project_id = ${ctx.project.number} AND workflow_id = ${workflowId}
        AND id IN (SELECT value FROM json_each(${ids})) AND NOT (completed_at IS ${at} AND exit_reason IS ${reason})`,
  );
}
