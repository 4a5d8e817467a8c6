import { sql } from "drizzle-orm";
import { type Id, textOf } from "../../../core/ids";
import { minuteMs } from "../../../core/time";
import type { ExecutionStatus, Pause } from "../../../core/workflows/execution";
import { type Batch, openBatch } from "../../../db/batch";
import { asId, asNumber, asOneOf, asText, columns, orNull } from "../../../db/rows";
import { inProject } from "../../../db/scope";
import { type Statement, statement } from "../../../db/statement";
import { type Context, clockOf } from "../../../platform/context";
import { upsertExecutionCounts } from "../execution-counts";
import { forgetChanges, hasChangeUpTo, isUnmirrored, nextChange, oldestChanges } from "./changes";
import { eraseRowsOf } from "./erase";
import type { ShardStore } from "./store";

/** How long the object of a running execution can be silent before a sweep wakes it, in milliseconds. */
const silenceMs = minuteMs;

/** The columns of an execution that the mirror shows, or that decide what it shows. */
const readShown = columns({
  ...{ id: asId, workflowId: asId, contactId: asId, status: asOneOf<ExecutionStatus>(), stepId: orNull(asId) },
  ...{ pause: orNull(asOneOf<Pause>()), wakeAt: orNull(asNumber), awaits: orNull(asText), exitReason: orNull(asText) },
  ...{ error: orNull(asText), completedAt: orNull(asNumber), version: asNumber, change: asNumber },
  ...{ startedAt: asNumber, updatedAt: asNumber },
});
type ShownExecution = ReturnType<typeof readShown>;

/**
 * The columns of `readShown` in SQL. The records of the steps are left out, because they are large and the mirror does
 * not show them.
 */
const shownColumns = (table: string) =>
  [
    ...["id", "workflow_id", "contact_id", "status", "step_id", "pause", "wake_at", "awaits", "exit_reason", "error"],
    ...["completed_at", "version", "change", "started_at", "updated_at"],
  ]
    .map((column) => `${table}.${column}`)
    .join(", ");

/** A shard's rows, and the shard's number, which its rows in the mirror contain. */
export interface Mirrored {
  store: ShardStore;
  shard: number;
}

/**
 * Mirrors the executions of the oldest changes that the mirror does not show. Returns whether changes from before this
 * call are still left.
 */
export async function mirrorSome(ctx: Context, { store, shard }: Mirrored): Promise<boolean> {
  const numbers = oldestChanges(store);
  if (numbers.length === 0) return false;
  const newest = nextChange(store);
  const rows = store.all(
    readShown,
    `SELECT ${shownColumns("e")} FROM json_each(?) r CROSS JOIN changes c ON c.n = r.value CROSS JOIN json_each(c.ids) i
      CROSS JOIN executions e ON e.id = i.value AND e.change = c.n`,
    JSON.stringify(numbers),
  );
  await mirrorRows(ctx, { store, shard }, rows, numbers);
  return hasChangeUpTo(store, newest);
}

/** Mirrors executions at once, for a caller whose answer contains them. */
export async function mirrorThese(ctx: Context, { store, shard }: Mirrored, ids: Id[]): Promise<void> {
  const rows = store.all(
    readShown,
    `SELECT ${shownColumns("executions")} FROM executions
      WHERE id IN (SELECT value FROM json_each(?)) AND ${isUnmirrored}`,
    JSON.stringify(ids),
  );
  await mirrorRows(ctx, { store, shard }, rows);
}

/**
 * Mirrors again those executions whose newest versions the mirror has lost, because its database was restored to an
 * earlier time. Returns the ids that the shard does not know.
 */
export async function mirrorAgain(
  ctx: Context,
  { store, shard }: Mirrored,
  mirrored: { id: Id; version: number }[],
): Promise<Id[]> {
  const asked = JSON.stringify(mirrored.map(({ id, version }) => [id, version]));
  const known = store.all(
    readShown,
    `SELECT ${shownColumns("e")} FROM json_each(?) r CROSS JOIN executions e ON e.id = r.value->>0`,
    asked,
  );
  const versions = new Map(mirrored.map(({ id, version }) => [textOf(id), version]));
  const behind = known.filter(({ id, version }) => version > (versions.get(textOf(id)) ?? version));
  await mirrorRows(ctx, { store, shard }, behind);
  const found = new Set(known.map(({ id }) => textOf(id)));
  return mirrored.map(({ id }) => id).filter((id) => !found.has(textOf(id)));
}

async function mirrorRows(ctx: Context, shard: Mirrored, rows: ShownExecution[], numbers?: number[]): Promise<void> {
  if (rows.length === 0) return forgetChanges(shard.store, numbers ?? [], []);
  const batch = openBatch(ctx);
  const note = addMirror(ctx, batch, shard, rows, numbers);
  await batch.commit();
  note();
}

/**
 * Adds rows of the mirror to a batch. Returns a function to call after the commit: it records in the object that the
 * changes in `numbers` are shown.
 */
export function addMirror(
  ctx: Context,
  batch: Batch,
  { store, shard }: Mirrored,
  rows: ShownExecution[],
  numbers = [...new Set(rows.map(({ change }) => change))],
): () => void {
  const gone = batch.add(selectGone(ctx, rows));
  batch.addAll([upsertCounts(ctx, rows), upsertMirror(ctx, shard, rows)]);
  return () =>
    store.together(() => {
      forgetChanges(store, numbers, rows);
      // The erasure of a contact finds executions by their mirror rows, so it has missed executions that were not
      // mirrored yet.
      if (gone.count > 0)
        eraseRowsOf(
          store,
          gone.all.map(({ contactId }) => contactId),
          ctx.clock().getTime(),
        );
    });
}

/** Selects which contacts of the executions have been deleted. */
function selectGone(ctx: Context, rows: ShownExecution[]): Statement<{ contactId: Id }> {
  const people = JSON.stringify([...new Set(rows.map(({ contactId }) => contactId))]);
  return statement(
    sql`SELECT r.value AS contact_id FROM json_each(${people}) r
      WHERE NOT EXISTS (SELECT 1 FROM contacts c WHERE ${inProject(ctx, "c")} AND c.id = r.value)`,
    columns({ contactId: asId }),
  );
}

/**
 * Returns when a sweep or an advance next looks at the execution. In a project with a test clock, executions that run
 * or wait for a call count as due all the time, so that an advance waits for them.
 */
function wakeAtOf(ctx: Context, { status, pause, wakeAt, updatedAt }: ShownExecution): number | null {
  if (ctx.project.testClock && (status === "RUNNING" || pause === "call")) return updatedAt;
  return status === "RUNNING" ? updatedAt + silenceMs : wakeAt;
}

/**
 * Updates the counts to what the mirror will show. If the mirror already has this version of a row or a later one, the
 * row changes no count.
 */
function upsertCounts(ctx: Context, rows: ShownExecution[]): Statement {
  const items = JSON.stringify(rows.map(({ workflowId, id, status, version }) => [workflowId, id, status, version]));
  return upsertExecutionCounts(
    ctx,
    sql`SELECT r.value->>0 AS workflow_id, r.value->>1 AS id, e.status AS old_status, r.value->>2 AS new_status
      FROM json_each(${items}) r
      LEFT JOIN workflow_executions e ON ${inProject(ctx, "e")} AND e.workflow_id = r.value->>0 AND e.id = r.value->>1
      WHERE e.id IS NULL OR (e.version < r.value->>3 AND e.status <> r.value->>2)`,
  );
}

/** Inserts or updates mirror rows. A row never goes back to an older version, in whatever order two calls arrive. */
function upsertMirror(ctx: Context, shard: number, rows: ShownExecution[]): Statement {
  const items = JSON.stringify(
    rows.map((row) => ({
      workflowId: row.workflowId,
      id: row.id,
      contactId: row.contactId,
      status: row.status,
      stepId: row.stepId,
      exitReason: row.exitReason,
      wakeAt: wakeAtOf(ctx, row),
      startedAt: row.startedAt,
      completedAt: row.completedAt,
      updatedAt: row.updatedAt,
      awaits: row.awaits,
      error: row.error,
      version: row.version,
    })),
  );
  return statement(
    sql`INSERT INTO workflow_executions (project_id, workflow_id, id, contact_id, shard, status, current_step_id,
        exit_reason, clock, wake_at, started_at, completed_at, updated_at, awaits, error, version)
      SELECT ${ctx.project.number}, r.value->>'workflowId', r.value->>'id', r.value->>'contactId', ${shard},
        r.value->>'status', r.value->>'stepId', r.value->>'exitReason', ${clockOf(ctx)}, r.value->>'wakeAt', r.value->>'startedAt',
        r.value->>'completedAt', r.value->>'updatedAt', r.value->>'awaits', r.value->>'error', r.value->>'version'
      FROM json_each(${items}) r WHERE true
      ON CONFLICT DO UPDATE SET status = excluded.status, current_step_id = excluded.current_step_id,
        exit_reason = excluded.exit_reason, wake_at = excluded.wake_at, completed_at = excluded.completed_at,
        updated_at = excluded.updated_at, awaits = excluded.awaits, error = excluded.error, version = excluded.version
      WHERE excluded.version > workflow_executions.version`,
  );
}
