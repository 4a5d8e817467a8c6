import { sql } from "drizzle-orm";
import { iso } from "../../../core/time";
import { shardCount } from "../../../core/workflows/shard-of";
import { type Batch, openBatch } from "../../../db/batch";
import { isRefusedRow } from "../../../db/conflicts";
import { backupTables } from "../../../db/project-tables";
import { statement } from "../../../db/statement";
import type { JobRow } from "../../../db/tables";
import type { Context } from "../../../platform/context";
import type { ShardRow } from "../../../platform/workflow-shards";
import { guardState, type Step, updateEnded, updateState } from "../../jobs/step";
import { openShard } from "../../workflows/shards";
import type { Manifest } from "../manifest";
import { BadBackup } from "./bad-backup";
import { insertRows } from "./insert-rows";
import { openBackup, UnknownFormat } from "./open-backup";
import { readPart, rowOf, type Series } from "./read-part";
import { releaseSome } from "./release";
import { restoreFiles } from "./restore-files";
import { type Restoring, restoredRow } from "./restored-row";
import { shardRowOf } from "./shard-row";
import { notesOfRestore, type RestoreState } from "./state";

/**
 * Tables that are restored last, because they have no column `clock` that would hide their rows from the sweeps. A
 * sweep that finds such a row also reads other tables, which must be complete by then.
 */
const lastTables = ["template_versions", "execution_counts", "campaign_pages"];

/** The tables in the order of a restore. */
const tables = backupTables.toSorted((a, b) => lastTables.indexOf(a.name) - lastTables.indexOf(b.name));

const columnsOf = new Map(tables.map(({ name, columns }) => [name, new Set(columns)]));

/** The backup that a step of a restore reads. */
interface Source {
  folder: string;
  manifest: Manifest;
  restoring: Restoring;
}

/**
 * Runs one step of a restore: see docs/decisions/0048-a-restored-project-sleeps.md. The batch of a step writes the rows
 * of one part together with the state, so each part is inserted once. Calling a shard and copying a file can both be
 * repeated without harm.
 */
export async function restoreStep(ctx: Context, row: JobRow): Promise<Step> {
  // The cast is safe, because no other file writes the state of a restore job.
  const state = row.state as unknown as RestoreState;
  try {
    return await takeStep(ctx, row, state);
  } catch (error) {
    if (error instanceof BadBackup || error instanceof UnknownFormat) return giveUp(ctx, row, error.message);
    throw error;
  }
}

async function takeStep(ctx: Context, row: JobRow, state: RestoreState): Promise<Step> {
  const { id, number } = ctx.project;
  const folder = String(row.input.folder);
  const manifest = await openBackup(ctx.blobs, folder);
  requireKnown(manifest);
  const restoring = {
    ...{ from: manifest, to: { id, number } },
    // An older job without this input leaves links unchanged.
    linkBase: typeof row.input.linkBase === "string" ? row.input.linkBase : null,
    now: ctx.clock().getTime(),
  };
  const source: Source = { folder, manifest, restoring };
  switch (state.phase) {
    case "rows":
      return restoreRows(ctx, row, state, source);
    case "executions":
      return restoreExecutions(ctx, row, state, source);
    case "files": {
      const next = await restoreFiles(ctx, state, source);
      if (next.phase === "release" && next.files < manifest.files.parts) {
        throw new BadBackup(
          `${manifest.files.parts - next.files} of the ${manifest.files.parts} stored files are missing.`,
        );
      }
      return saveState(ctx, row, next);
    }
    case "release":
      return (await releaseSome(ctx, row)) ? "goes on" : finish(ctx, row, state, source);
  }
}

/** Throws BadBackup when the backup has rows of tables that this version does not know. */
function requireKnown({ tables: found, executions }: Manifest): void {
  const other = Object.keys(found).find((name) => !columnsOf.has(name));
  if (other !== undefined) {
    throw new BadBackup(
      `The backup has the table ${JSON.stringify(other)}, which this version of Petrel does not know.`,
    );
  }
  const shards = Object.keys(executions);
  if (shards.some((shard) => !/^\d+$/.test(shard) || Number(shard) >= shardCount)) {
    throw new BadBackup("The backup has executions of a shard that does not exist.");
  }
}

async function restoreRows(ctx: Context, row: JobRow, state: RestoreState, source: Source): Promise<Step> {
  const at = nextPart(
    tables.map(({ name }) => ({ name: `rows/${name}`, tally: source.manifest.tables[name] })),
    state,
  );
  const table = at && tables[at.index];
  if (!at || !table) return saveState(ctx, row, { ...state, ...start, phase: "executions" });
  const { lines, hash } = await readPart(ctx.blobs, source.folder, at.series, at, source.restoring);
  const changed = { ...state.changed };
  const known = columnsOf.get(table.name) ?? new Set();
  const rows = lines.flatMap((line) => {
    const restored = restoredRow(table.name, rowOf(line, table.name, known), source.restoring, changed);
    return restored === null ? [] : [restored];
  });
  const batch = openBatch(ctx);
  batch.add(guardState(ctx, row));
  batch.addAll(insertRows(ctx.project.number, table, rows));
  addState(ctx, batch, row, {
    ...{ ...state, index: at.index, part: at.part, hash },
    ...{ rows: state.rows + rows.length, changed },
  });
  try {
    await batch.commit();
  } catch (cause) {
    if (!isRefusedRow(cause)) throw cause;
    throw new BadBackup(`The database refuses a row of ${table.name}: it is there twice, or a value is missing.`, {
      cause,
    });
  }
  return "goes on";
}

async function restoreExecutions(ctx: Context, row: JobRow, state: RestoreState, source: Source): Promise<Step> {
  const { manifest, restoring, folder } = source;
  const shards = Array.from({ length: shardCount }, (_, shard) => ({
    name: `executions/${shard}`,
    tally: manifest.executions[shard],
  }));
  const at = nextPart(shards, state);
  if (!at) return saveState(ctx, row, { ...state, ...start, phase: "files" });
  const { lines, hash } = await readPart(ctx.blobs, folder, at.series, at, restoring);
  const { address, shard } = openShard(ctx, ctx.project.number, at.index);
  const rows: ShardRow[] = lines.map((line) => shardRowOf(line, { takenAt: manifest.takenAt, ctx }));
  const fault = await shard.importRows(address, rows, at.part === at.series.tally.parts);
  if (fault !== null) throw new BadBackup(fault);
  return saveState(ctx, row, {
    ...{ ...state, index: at.index, part: at.part, hash },
    rows: state.rows + rows.length,
  });
}

const start = { index: 0, part: 0, hash: "", after: null };

/** Returns the next part of a list of tables or shards; null after the last one. */
function nextPart(
  all: readonly { name: string; tally: Series["tally"] | undefined }[],
  { index, part, hash }: RestoreState,
): { index: number; part: number; hash: string; series: Series } | null {
  for (const [at, { name, tally }] of [...all.entries()].slice(index)) {
    const done = at === index ? part : 0;
    if (tally === undefined || done >= tally.parts) continue;
    return { index: at, part: done + 1, hash: at === index ? hash : "", series: { name, tally } };
  }
  return null;
}

async function finish(
  ctx: Context,
  row: JobRow,
  { rows, files, changed }: RestoreState,
  { manifest }: Source,
): Promise<Step> {
  const reason = `Restored from a backup of ${iso(manifest.takenAt)}. Nothing is sent until the project is enabled.`;
  await updateRestoring(ctx, false, reason);
  const batch = openBatch(ctx);
  batch.add(guardState(ctx, row));
  const result = {
    projectId: ctx.project.id,
    backup: String(row.input.backup),
    rows,
    files,
    changed,
  };
  batch.add(updateEnded(ctx, row, { status: "completed", result }));
  await batch.commit();
  return "ended";
}

async function giveUp(ctx: Context, row: JobRow, fault: string): Promise<Step> {
  await updateRestoring(ctx, true, "Its restore from a backup failed: delete the project.");
  const batch = openBatch(ctx);
  batch.add(guardState(ctx, row));
  batch.add(updateEnded(ctx, row, { status: "failed", reason: `${fault} Delete the project that was restored.` }));
  await batch.commit();
  return "ended";
}

/** Stores in the project's row whether it is still being restored, and why it is disabled. A repeat changes nothing. */
async function updateRestoring(ctx: Context, restoring: boolean, reason: string): Promise<void> {
  const batch = openBatch(ctx, ctx.control);
  batch.mayRepeat();
  batch.add(
    statement(sql`UPDATE projects SET restoring = ${Number(restoring)}, disabled_reason = ${reason}
      WHERE number = ${ctx.project.number} AND restoring`),
  );
  await batch.commit();
}

async function saveState(ctx: Context, row: JobRow, next: RestoreState): Promise<Step> {
  const batch = openBatch(ctx);
  batch.add(guardState(ctx, row));
  addState(ctx, batch, row, next);
  await batch.commit();
  return "goes on";
}

function addState(ctx: Context, batch: Batch, row: JobRow, next: RestoreState): void {
  batch.add(updateState(ctx, row, notesOfRestore(next), progressOf(next)));
}

function progressOf({ phase, index }: RestoreState): number {
  if (phase === "rows") return (70 * index) / tables.length;
  if (phase === "executions") return 70 + index;
  return phase === "files" ? 88 : 97;
}
