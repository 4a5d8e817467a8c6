import { sql } from "drizzle-orm";
import type { Id } from "../../../core/ids";
import { minuteMs } from "../../../core/time";
import { type Batch, openBatch } from "../../../db/batch";
import { asId, columns } from "../../../db/rows";
import { inProject } from "../../../db/scope";
import { type Statement, statement } from "../../../db/statement";
import { type Context, clockOf } from "../../../platform/context";
import { upsertExecutionCounts } from "../execution-counts";
import { eraseRowsOf } from "./erase";
import { readExecution, type ShardStore, type StoredExecution } from "./store";

/** Takes a few milliseconds of the database, which serves nothing else in that time. */
const rowsPerBatch = 250;

/** A running execution whose object goes silent is looked after by a sweep after this long. */
const silenceMs = minuteMs;

/** A shard's rows, and its number, which its mirror rows carry. */
export interface Mirrored {
  store: ShardStore;
  shard: number;
}

/** Writes the next executions whose latest version the mirror does not show. Returns whether there may be more. */
export async function mirrorSome(ctx: Context, { store, shard }: Mirrored): Promise<boolean> {
  const rows = store.all(
    readExecution,
    // Executions at rest go first: those with work to do will change again.
    `SELECT * FROM executions INDEXED BY ix_executions_todo WHERE version > mirrored
      ORDER BY needs IS NOT NULL, id LIMIT ?`,
    rowsPerBatch,
  );
  await mirrorRows(ctx, { store, shard }, rows);
  return rows.length === rowsPerBatch;
}

/** Writes all executions that have ended, including those that an interrupted call left unmirrored. */
export async function mirrorEnded(ctx: Context, { store, shard }: Mirrored): Promise<void> {
  let rows: StoredExecution[];
  do {
    rows = store.all(
      readExecution,
      `SELECT * FROM executions INDEXED BY ix_executions_todo
        WHERE (needs IS NOT NULL) = 0 AND version > mirrored AND completed_at IS NOT NULL ORDER BY id LIMIT ?`,
      rowsPerBatch,
    );
    await mirrorRows(ctx, { store, shard }, rows);
  } while (rows.length === rowsPerBatch);
}

/** Writes these rows at once, for a caller that answers with them. */
export async function mirrorThese(ctx: Context, { store, shard }: Mirrored, ids: Id[]): Promise<void> {
  const rows = store.all(
    readExecution,
    "SELECT * FROM executions WHERE version > mirrored AND id IN (SELECT value FROM json_each(?))",
    JSON.stringify(ids),
  );
  await mirrorRows(ctx, { store, shard }, rows);
}

async function mirrorRows(ctx: Context, shard: Mirrored, rows: StoredExecution[]): Promise<void> {
  if (rows.length === 0) return;
  const batch = openBatch(ctx);
  const note = addMirror(ctx, batch, shard, rows);
  await batch.commit();
  note();
}

/** Adds rows of the mirror to a batch. Returns the function that records this in the object after the commit. */
export function addMirror(ctx: Context, batch: Batch, { store, shard }: Mirrored, rows: StoredExecution[]): () => void {
  const gone = batch.add(selectGone(ctx, rows));
  batch.addAll([upsertCounts(ctx, rows), upsertMirror(ctx, shard, rows)]);
  return () =>
    store.together(() => {
      noteMirrored(store, rows);
      // The erasure of a contact finds executions by their mirror rows, so it has missed those that were not mirrored
      // yet.
      if (gone.count > 0)
        eraseRowsOf(
          store,
          gone.all.map(({ contactId }) => contactId),
          ctx.clock().getTime(),
        );
    });
}

function noteMirrored(store: ShardStore, rows: StoredExecution[]): void {
  store.run(
    `UPDATE executions SET mirrored = r.value->>1 FROM json_each(?) r
      WHERE executions.id = r.value->>0 AND executions.mirrored < r.value->>1`,
    JSON.stringify(rows.map(({ id, version }) => [id, version])),
  );
}

/** Selects the contacts of these executions that no longer exist. */
function selectGone(ctx: Context, rows: StoredExecution[]): Statement<{ contactId: Id }> {
  const people = JSON.stringify([...new Set(rows.map(({ contactId }) => contactId))]);
  return statement(
    sql`SELECT r.value AS contact_id FROM json_each(${people}) r
      WHERE NOT EXISTS (SELECT 1 FROM contacts c WHERE ${inProject(ctx, "c")} AND c.id = r.value)`,
    columns({ contactId: asId }),
  );
}

/**
 * In a project with a test clock, executions that run or wait for a call count as due all the time, so that an advance
 * waits for them.
 */
function wakeAtOf(ctx: Context, { status, pause, wakeAt, updatedAt }: StoredExecution): number | null {
  if (ctx.project.testClock && (status === "RUNNING" || pause === "call")) return updatedAt;
  return status === "RUNNING" ? updatedAt + silenceMs : wakeAt;
}

/** Counts what the mirror will show. A row that it already has in this version, or a later one, changes no count. */
function upsertCounts(ctx: Context, rows: StoredExecution[]): Statement {
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
function upsertMirror(ctx: Context, shard: number, rows: StoredExecution[]): Statement {
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
