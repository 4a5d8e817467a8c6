import { sql } from "drizzle-orm";
import { chunksOf } from "../../../core/chunks";
import { belowAllIds, type Id, textOf } from "../../../core/ids";
import { openBatch } from "../../../db/batch";
import { asFlag, asId, asNumber, asText, columns } from "../../../db/rows";
import { noRows, type Statement, statement } from "../../../db/statement";
import type { Context } from "../../../platform/context";
import { letOthersIn } from "../../../platform/let-others-in";
import { upsertExecutionCounts } from "../execution-counts";
import { ofWorkflow } from "../graph";
import { walkActive } from "./active";
import { hasChangeUpTo, isUnmirrored, nextChange } from "./changes";
import { noteEnded } from "./ended";
import { inPass } from "./in-pass";
import { type Mirrored, mirrorSome } from "./mirror";
import { newestId } from "./rows";
import { countSkipped } from "./step-counts";
import type { ShardStore } from "./store";
import { executionsPerPass } from "./work";

/**
 * The executions to cancel: the active ones of one workflow or of all workflows. `upTo` is the newest execution when
 * the cancellation begins, so that later ones are left out.
 */
export interface Cancelling {
  workflowId: Id | null;
  reason: string;
  upTo: Id;
}

/**
 * The maximum number of executions in one chunk. A chunk takes a few milliseconds, in the object and in the database.
 */
const cancelledAtOnce = 500;

/** Describes a cancellation that begins now. */
export function cancelling(store: ShardStore, workflowId: Id | null, reason: string): Cancelling {
  return { workflowId, reason, upTo: newestId(store) };
}

const readFound = columns({ id: asId, workflowId: asId, isUnmirrored: asFlag });

/**
 * Cancels the executions in `chosen` to which the cancellation applies, and returns their number. An execution that was
 * mirrored until now is listed in `unshown`, in one row for each workflow, until the mirror shows that it ended. The
 * other executions need no such row, because they belong to a change that the mirror has yet to show.
 */
function cancelThese(store: ShardStore, given: Cancelling, chosen: Id[], now: number): number {
  const found = findActive(store, given, chosen);
  if (found.length === 0) return 0;
  const ids = found.map(({ id }) => id);
  const chunk = JSON.stringify(ids.map(textOf));
  const endedAt = store.realNow();
  countSkipped(store, chunk);
  store.run(
    `UPDATE executions SET status = 'CANCELLED', exit_reason = ?, completed_at = ?, ended_at = ?, pause = NULL,
      wake_at = NULL, awaits = NULL, since = NULL, outcome = NULL, needs = NULL, updated_at = ?, version = version + 1
      WHERE id IN (SELECT value FROM json_each(?))`,
    ...[given.reason, now, endedAt, now, chunk],
  );
  noteEnded(store, ids, endedAt);
  for (const [workflow, some] of Map.groupBy(found, ({ workflowId }) => textOf(workflowId))) {
    const mirrored = some.filter((one) => !one.isUnmirrored).map(({ id }) => textOf(id));
    store.run(
      "INSERT INTO unshown (last, workflow_id, ids, reason, at) VALUES (?, ?, ?, ?, ?)",
      ...[textOf(some.at(-1)?.id ?? belowAllIds), workflow, JSON.stringify(mirrored), given.reason, now],
    );
  }
  return found.length;
}

/** Returns the executions in `from` to which the cancellation applies. */
function toCancel(store: ShardStore, given: Cancelling, from: Id[]): Id[] {
  return findActive(store, given, from).map(({ id }) => id);
}

function findActive(store: ShardStore, { workflowId, upTo }: Cancelling, from: Id[]) {
  return store.all(
    readFound,
    `SELECT id, workflow_id, ${isUnmirrored} AS is_unmirrored FROM executions
      WHERE id IN (SELECT value FROM json_each(?)) AND id <= ? AND completed_at IS NULL
        ${workflowId === null ? "" : "AND workflow_id = ?"} ORDER BY id`,
    ...[JSON.stringify(from), textOf(upTo), ...(workflowId === null ? [] : [textOf(workflowId)])],
  );
}

const readUnshown = columns({ last: asId, workflowId: asId, ids: asText, reason: asText, at: asNumber });
type Unshown = ReturnType<typeof readUnshown>;

/** Updates the mirror with the cancelled chunks that it does not show yet. */
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

/**
 * Marks a chunk as cancelled in the mirror. Leaves out rows that are cancelled already, so that a repeat changes
 * nothing.
 */
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

/** When to stop ending executions, and what to do after each chunk. */
interface Ending {
  now(): number;
  isWanted(): boolean;
  whenEnded(): void;
}

/**
 * Ends executions in chunks, so that other calls can run in between. If the object dies in the middle, only some of the
 * executions have ended.
 */
export async function endInChunks(outer: Context, shard: Mirrored, given: Cancelling, ending: Ending): Promise<number> {
  const { store } = shard;
  let ended = 0;
  for (const window of walkActive(store)) {
    // An execution never changes its id, and an ended one never continues. So each execution that is still active when
    // its chunk is handled is cancelled, even if it has moved meanwhile.
    for (const ids of chunksOf(toCancel(store, given, window), cancelledAtOnce)) {
      await inPass(outer, weightOf(ids.length), async (ctx) => {
        if (!ending.isWanted()) return;
        const count = store.together(() => cancelThese(store, given, ids, ending.now()));
        if (count > 0) ending.whenEnded();
        await showCancelled(ctx, store);
        ended += count;
      });
    }
    await letOthersIn();
    if (!ending.isWanted()) return ended;
  }
  // A caller gets its answer once the mirror shows all ended executions, including those that an interrupted call
  // ended.
  const newest = nextChange(store);
  for (let isOver = false; !isOver; await letOthersIn()) {
    isOver = await inPass(outer, executionsPerPass, async (ctx) => {
      if (!ending.isWanted() || !hasChangeUpTo(store, newest)) return true;
      await mirrorSome(ctx, shard);
      return false;
    });
  }
  return ended;
}

/** A large chunk counts as infinite, so that no pass runs next to it. */
function weightOf(chunk: number): number {
  return chunk < executionsPerPass ? Math.max(1, chunk) : Number.POSITIVE_INFINITY;
}
