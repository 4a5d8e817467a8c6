import { sql } from "drizzle-orm";
import { belowAllIds, type Id, textOf } from "../../../core/ids";
import { hourMs } from "../../../core/time";
import { openBatch } from "../../../db/batch";
import { asFlag, asId, asJson, asNumber, columns, orNull } from "../../../db/rows";
import { inProject } from "../../../db/scope";
import { statement } from "../../../db/statement";
import type { Context } from "../../../platform/context";
import { upsertExecutionCounts } from "../execution-counts";
import { dropEnded, endedBy, firstEnd, forgetSoon } from "./ended";
import { workflowRemoved } from "./erase";
import { dropUnused, eventIdsOf } from "./rows";
import { readIdRow, type ShardStore } from "./store";

const readForgotten = columns({
  ...{ id: asId, workflowId: asId, contactId: asId },
  ...{ eventId: orNull(asId), earlier: orNull(asJson<Id[]>()), isRemoved: asFlag, endedAt: asNumber },
});

/**
 * Forgets executions that finished long ago, first in the mirror and then in the object. An object that dies in between
 * does both again. The record of which contacts entered which workflow stays. Returns whether there may be more.
 */
export async function forgetFinished(ctx: Context, store: ShardStore): Promise<boolean> {
  const before = store.realNow() - ctx.config.executionRetentionMs;
  const ended = endedBy(store, before);
  if (ended.length === 0) return false;
  const old = store.all(
    readForgotten,
    `SELECT e.id, e.workflow_id, e.contact_id, e.event_id, e.earlier, e.exit_reason IS ? AS is_removed, e.ended_at FROM json_each(?) r CROSS JOIN json_each(r.value) i
      CROSS JOIN executions e ON e.id = i.value AND e.ended_at IS NOT NULL`,
    ...[workflowRemoved, JSON.stringify(ended.map(({ ids }) => JSON.parse(ids)))],
  );
  const items = JSON.stringify(old.map(({ workflowId, id }) => [workflowId, id]));
  const batch = openBatch(ctx);
  const areOld = sql`${inProject(ctx)} AND (workflow_id, id) IN (SELECT value->>0, value->>1 FROM json_each(${items}))`;
  batch.addAll([
    upsertExecutionCounts(
      ctx,
      sql`SELECT workflow_id, id, status AS old_status, NULL AS new_status FROM workflow_executions WHERE ${areOld}`,
    ),
    statement(sql`DELETE FROM workflow_executions WHERE ${areOld}`),
    statement(
      sql`DELETE FROM workflow_effects WHERE ${inProject(ctx)} AND effect_id IN (SELECT w.effect_id FROM json_each(${items}) r
        CROSS JOIN workflow_effects w ON ${inProject(ctx, "w")} AND w.effect_id >= r.value->>1 || ':'
          AND w.effect_id < r.value->>1 || ';')`,
    ),
  ]);
  await batch.commit();
  const ids = JSON.stringify(old.map(({ id }) => id));
  store.together(() => {
    store.run("DELETE FROM outputs WHERE execution_id IN (SELECT value FROM json_each(?))", ids);
    dropEntries(store, old);
    store.run("DELETE FROM executions WHERE id IN (SELECT value FROM json_each(?))", ids);
    dropEnded(
      store,
      ended,
      old.map(({ endedAt }) => endedAt),
    );
    for (const [contactId, some] of Map.groupBy(old, (one) => one.contactId)) {
      dropUnused(store, contactId, some.flatMap(eventIdsOf));
    }
  });
  return true;
}

/**
 * Deletes the entries of forgotten executions. The last entry of a contact in a workflow stays, because it controls
 * re-entry, unless the execution ended because the workflow was deleted.
 */
function dropEntries(
  store: ShardStore,
  forgotten: { id: Id; workflowId: Id; contactId: Id; isRemoved: boolean }[],
): void {
  store.run(
    `DELETE FROM entries WHERE (contact_id, workflow_id, execution_id) IN (
        SELECT r.value->>0, r.value->>1, r.value->>2 FROM json_each(?) r WHERE r.value->>3
          OR EXISTS (SELECT 1 FROM entries later WHERE later.contact_id = r.value->>0 AND later.workflow_id = r.value->>1
            AND later.execution_id > r.value->>2))`,
    JSON.stringify(forgotten.map(({ id, workflowId, contactId, isRemoved }) => [contactId, workflowId, id, isRemoved])),
  );
}

/**
 * The tables to scan for a deleted workflow, and the key to scan each by. There is no index by workflow: it would cost
 * one row per execution, and deletions are rare. So all executions and entries are scanned. If a call dies, the next
 * one continues from the stored cursor.
 */
const keys = { executions: "id", entries: "contact_id" };
const rowsPerWindow = 1_000;

/** The position at which forgetting a workflow continues. */
export interface Forgetting {
  rows: keyof typeof keys;
  after: Id;
}

export const firstForgetting: Forgetting = { rows: "executions", after: belowAllIds };

/**
 * Forgets the next rows of a deleted workflow. Its executions are marked as ended long ago, so that retention deletes
 * them in chunks; its entries are deleted here. Scans the next window of all workflows' rows, and returns where to
 * continue; null at the end.
 */
export function forgetSome(store: ShardStore, workflowId: Id, { rows, after }: Forgetting): Forgetting | null {
  const key = keys[rows];
  const [window] = store.all(
    readWindow,
    `SELECT count(*) AS count, max(id) AS last FROM (SELECT ${key} AS id FROM ${rows} WHERE ${key} > ? ORDER BY ${key} LIMIT ?)`,
    ...[textOf(after), rowsPerWindow],
  );
  if (window && window.last !== null) {
    const theirs = `${key} > ? AND ${key} <= ? AND workflow_id = ?`;
    const values = [textOf(after), textOf(window.last), textOf(workflowId)];
    if (rows === "entries") {
      // An erasure finds executions by their entries, so the entry of an active execution stays. It is deleted together
      // with the execution.
      const isOver = "NOT EXISTS (SELECT 1 FROM executions e WHERE e.id = execution_id AND e.ended_at IS NULL)";
      store.run(`DELETE FROM entries WHERE ${theirs} AND ${isOver}`, ...values);
    } else {
      const found = store.all(
        readIdRow,
        `SELECT id FROM executions WHERE ${theirs} AND ended_at IS NOT NULL`,
        ...values,
      );
      forgetSoon(
        store,
        found.map(({ id }) => id),
      );
    }
    if (window.count === rowsPerWindow) return { rows, after: window.last };
  }
  return rows === "executions" ? { rows: "entries", after: belowAllIds } : null;
}

const readWindow = columns({ count: asNumber, last: orNull(asId) });

/** Returns when the next execution is to be forgotten, rounded up to the hour, so that many are forgotten together. */
export function nextForgetting(store: ShardStore, retentionMs: number): number | null {
  const at = firstEnd(store);
  return at === null ? null : Math.ceil((at + retentionMs) / hourMs) * hourMs;
}
