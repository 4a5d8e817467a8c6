import { sql } from "drizzle-orm";
import { belowAllIds, type Id, textOf } from "../../../core/ids";
import { hourMs } from "../../../core/time";
import { openBatch } from "../../../db/batch";
import { asId, asJson, asNumber, columns, orNull } from "../../../db/rows";
import { inProject } from "../../../db/scope";
import { statement } from "../../../db/statement";
import type { Context } from "../../../platform/context";
import { upsertExecutionCounts } from "../execution-counts";
import { isUnmirrored } from "./changes";
import { dropUnused, eventIdsOf } from "./rows";
import { readNumber, type ShardStore } from "./store";

const readForgotten = columns({
  ...{ id: asId, workflowId: asId, contactId: asId },
  ...{ eventId: orNull(asId), earlier: orNull(asJson<Id[]>()) },
});
const forgottenAtOnce = 200;

/**
 * Forgets executions that finished long ago, first in the mirror and then here: if the object dies in between, it does
 * both again. The record of who entered which workflow stays. Returns whether there may be more.
 */
export async function forgetFinished(ctx: Context, store: ShardStore): Promise<boolean> {
  const before = store.realNow() - ctx.config.executionRetentionMs;
  const old = store.all(
    readForgotten,
    `SELECT id, workflow_id, contact_id, event_id, earlier FROM executions WHERE ended_at <= ? AND NOT ${isUnmirrored}
      ORDER BY ended_at LIMIT ?`,
    ...[before, forgottenAtOnce],
  );
  if (old.length === 0) return false;
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
    store.run("DELETE FROM executions WHERE id IN (SELECT value FROM json_each(?))", ids);
    for (const [contactId, some] of Map.groupBy(old, (one) => one.contactId)) {
      dropUnused(store, contactId, some.flatMap(eventIdsOf));
    }
  });
  return old.length === forgottenAtOnce;
}

/** The rows to scan for a deleted workflow, and the key to scan by. */
const windows = {
  executions: { key: "id", forget: "UPDATE executions SET ended_at = 0 WHERE ended_at > 0 AND" },
  entries: { key: "contact_id", forget: "DELETE FROM entries WHERE" },
};
const rowsPerWindow = 1_000;

/** Where to continue with forgetting a workflow. */
export interface Forgetting {
  rows: keyof typeof windows;
  after: Id;
}

export const firstForgetting: Forgetting = { rows: "executions", after: belowAllIds };

/**
 * Forgets the next rows of a deleted workflow. Its executions are marked as long finished, so retention deletes them in
 * chunks like any others; its entries are deleted here. Scans the next window of all workflows' rows, and returns where
 * to continue; null at the end.
 */
export function forgetSome(store: ShardStore, workflowId: Id, { rows, after }: Forgetting): Forgetting | null {
  const { key, forget } = windows[rows];
  const [window] = store.all(
    readWindow,
    `SELECT count(*) AS count, max(id) AS last FROM (SELECT ${key} AS id FROM ${rows} WHERE ${key} > ? ORDER BY ${key} LIMIT ?)`,
    ...[textOf(after), rowsPerWindow],
  );
  if (window && window.last !== null) {
    const [from, to] = [textOf(after), textOf(window.last)];
    store.run(`${forget} ${key} > ? AND ${key} <= ? AND workflow_id = ?`, ...[from, to, textOf(workflowId)]);
    if (window.count === rowsPerWindow) return { rows, after: window.last };
  }
  return rows === "executions" ? { rows: "entries", after: belowAllIds } : null;
}

const readWindow = columns({ count: asNumber, last: orNull(asId) });

/** Returns when the next execution is to be forgotten, rounded up to the hour, so that many are forgotten together. */
export function nextForgetting(store: ShardStore, retentionMs: number): number | null {
  const [row] = store.all(readNumber, "SELECT min(ended_at) AS n FROM executions WHERE ended_at IS NOT NULL");
  return typeof row?.n === "number" ? Math.ceil((row.n + retentionMs) / hourMs) * hourMs : null;
}
