import { type SQL, sql } from "drizzle-orm";
import { publicId } from "../../core/ids";
import { openBatch } from "../../db/batch";
import { createCaptures, deleteCaptured, dropAllCaptures, dropCaptures, readImage } from "../../db/capture";
import { readCapturedPage } from "../../db/captured-page";
import { backupTables, type ProjectTable } from "../../db/project-tables";
import { statement } from "../../db/statement";
import type { JobRow } from "../../db/tables";
import type { Context } from "../../platform/context";
import type { ShardCursor } from "../../platform/workflow-shards";
import { guardState, type Step, updateEnded, updateState } from "../jobs/step";
import type { JobRuns } from "../jobs/work";
import { allShards } from "../workflows/shards";
import { copyFiles } from "./copy-files";
import { folderOf } from "./folder";
import { backupFormat, type Manifest, manifestKey, sizeOf } from "./manifest";
import { settingsOf } from "./settings";
import { type BackupState, notesOf } from "./state";
import { emptyTally, writePart } from "./tally";

/** The maximum number of captured rows that one step deletes. */
const forgottenAtOnce = 1_000;

/** Types of jobs that belong to the operator. A restored project does not continue them. */
export const operatorJobs: readonly string[] = [
  "project.backup",
  "project.restore",
  "project.move",
  "project.advance",
  "project.erase",
];

/** Drops the triggers of a backup that is given up. The next backup deletes the rows that they captured. */
export const backupRuns: JobRuns = { release: (ctx) => dropAllCaptures(ctx.project.number, backupTables) };

/**
 * Runs one step of a backup: see docs/decisions/0045-a-backup-is-of-one-moment.md. A step that crashed before it stored
 * its state runs again and writes the same files, because the captured rows do not change.
 */
export async function backupStep(ctx: Context, row: JobRow): Promise<Step> {
  // The cast is safe, because no other file writes the state of a backup job.
  const state = row.state as BackupState;
  if (state.phase !== "clear" && state.shape !== shapeOfTables(ctx)) return giveUp(ctx, row);
  switch (state.phase) {
    case "clear":
      return begin(ctx, row, state);
    case "executions":
      return saveState(ctx, row, await exportExecutions(ctx, row, state));
    case "rows":
      return saveState(ctx, row, await copyRows(ctx, row, state));
    case "release":
      return release(ctx, row, state);
    case "files":
      return saveState(ctx, row, await copyFiles(ctx, folder(ctx, row), state));
    case "finish":
      return finish(ctx, row, state);
  }
}

/**
 * Deletes the leftovers of an earlier backup, then begins to capture. The commit that begins the capture is the moment
 * of the backup.
 */
async function begin(ctx: Context, row: JobRow, state: BackupState): Promise<Step> {
  const clearing = openBatch(ctx);
  clearing.addAll([guardState(ctx, row), ...(await dropCaptures(ctx.db, ctx.project.number))]);
  const left = clearing.add(deleteCaptured(ctx, forgottenAtOnce));
  await clearing.commit();
  if (left.count === forgottenAtOnce) return "goes on";
  // Must run before the first file is written: retention finds the files by this row.
  await note(
    ctx,
    sql`INSERT INTO backups (id, project, created_at) VALUES (${row.id}, ${ctx.project.id}, ${Number(row.input.createdAt)})
      ON CONFLICT DO NOTHING`,
  );
  const next = {
    ...state,
    phase: "executions",
    takenAt: ctx.realClock().getTime(),
    shape: shapeOfTables(ctx),
  } as const;
  const batch = openBatch(ctx);
  batch.addAll([
    guardState(ctx, row),
    ...createCaptures(ctx.project.number, backupTables),
    updateState(ctx, row, notesOf(next), 1),
  ]);
  await batch.commit();
  return "goes on";
}

/**
 * Exports the next executions of a shard. Shards are not captured, so the export may also contain changes that were
 * made after the moment of the backup.
 */
async function exportExecutions(ctx: Context, row: JobRow, state: BackupState): Promise<BackupState> {
  const open = allShards(ctx, ctx.project.number)[state.index];
  if (!open) return { ...state, phase: "rows", index: 0, after: null, tally: emptyTally };
  const [cursor] = state.after ?? [];
  const from = cursor === undefined ? null : (JSON.parse(String(cursor)) as ShardCursor);
  const { rows, next } = await open.shard.exportRows(open.address, from);
  const name = `executions/${open.address.shard}`;
  const tally = await writePart(ctx, { folder: folder(ctx, row), name, tally: state.tally, isMarked: true }, rows);
  if (next !== null) return { ...state, after: [JSON.stringify(next)], tally };
  return {
    ...{ ...state, index: state.index + 1, after: null, tally: emptyTally },
    executions: tally.rows === 0 ? state.executions : { ...state.executions, [open.address.shard]: tally },
  };
}

async function copyRows(ctx: Context, row: JobRow, state: BackupState): Promise<BackupState> {
  const table = backupTables[state.index];
  if (!table) return { ...state, phase: "release", index: 0, after: null };
  const page = await readCapturedPage(ctx, table, state.after);
  const rows = page.images.map((image) => readImage(table, image)).flatMap((values) => lineOf(table, values));
  const name = `rows/${table.name}`;
  const tally = await writePart(ctx, { folder: folder(ctx, row), name, tally: state.tally }, rows);
  if (page.next !== null) return { ...state, after: page.next, tally };
  return {
    ...{ ...state, index: state.index + 1, after: null, tally: emptyTally },
    tables: { ...state.tables, [table.name]: tally },
  };
}

/** Returns a row as the backup writes it, or nothing for a job that a restored project would not continue. */
function lineOf(table: ProjectTable, values: Record<string, unknown>): Record<string, unknown>[] {
  if (table.backup === "no jobs of the operator" && operatorJobs.includes(String(values.type))) return [];
  return [Object.fromEntries(Object.entries(values).filter(([name]) => !table.secrets.includes(name)))];
}

/** Ends the capture, and deletes the captured rows. */
async function release(ctx: Context, row: JobRow, state: BackupState): Promise<Step> {
  const batch = openBatch(ctx);
  batch.addAll([guardState(ctx, row), ...(await dropCaptures(ctx.db, ctx.project.number))]);
  const forgotten = batch.add(deleteCaptured(ctx, forgottenAtOnce));
  await batch.commit();
  return forgotten.count === forgottenAtOnce ? "goes on" : saveState(ctx, row, { ...state, phase: "files" });
}

async function finish(ctx: Context, row: JobRow, state: BackupState): Promise<Step> {
  const { takenAt, tables, executions, tally } = state;
  const { id, number } = ctx.project;
  const project = await settingsOf(ctx);
  const manifest: Manifest = { format: backupFormat, takenAt, id, number, project, tables, executions, files: tally };
  await ctx.blobs.put(manifestKey(folder(ctx, row)), JSON.stringify(manifest, null, 2));
  const { rows, bytes } = sizeOf(manifest);
  await note(
    ctx,
    sql`UPDATE backups SET rows = ${rows}, bytes = ${bytes}, completed_at = ${ctx.realClock().getTime()}
      WHERE id = ${row.id} AND completed_at IS NULL`,
  );
  const batch = openBatch(ctx);
  batch.add(guardState(ctx, row));
  batch.add(updateEnded(ctx, row, { status: "completed", result: { backup: publicId(row.id), rows, bytes } }));
  await batch.commit();
  return "ended";
}

/** Writes the backup's row in the control database. A repeated write changes nothing. */
async function note(ctx: Context, change: SQL): Promise<void> {
  const batch = openBatch(ctx, ctx.control);
  batch.mayRepeat();
  batch.add(statement(change));
  await batch.commit();
}

async function giveUp(ctx: Context, row: JobRow): Promise<Step> {
  const batch = openBatch(ctx);
  batch.addAll([guardState(ctx, row), ...(await dropCaptures(ctx.db, ctx.project.number))]);
  const reason =
    "While the backup was made, a new version with other tables was deployed, or the project moved. Start it again.";
  batch.add(updateEnded(ctx, row, { status: "failed", reason }));
  await batch.commit();
  return "ended";
}

async function saveState(ctx: Context, row: JobRow, next: BackupState): Promise<Step> {
  const batch = openBatch(ctx);
  batch.add(guardState(ctx, row));
  batch.add(updateState(ctx, row, notesOf(next), progressOf(next)));
  await batch.commit();
  return "goes on";
}

function progressOf({ phase, index }: BackupState): number {
  if (phase === "executions") return 1 + index;
  if (phase === "rows") return 20 + (60 * index) / backupTables.length;
  return phase === "release" ? 80 : 85;
}

function folder({ project }: Context, { input }: JobRow): string {
  return folderOf({ project: project.id, createdAt: Number(input.createdAt) });
}

/**
 * Returns a string that changes when the columns of the tables change, or when the project moves to another database,
 * which does not have the captured rows.
 */
function shapeOfTables({ project }: Context): string {
  return project.shard + backupTables.map(({ name, columns }) => `${name}:${columns.length}`).join(" ");
}
