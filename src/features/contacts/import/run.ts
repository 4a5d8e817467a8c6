import { sql } from "drizzle-orm";
import { type Csv, countRows } from "../../../core/contacts/csv";
import { rowsPerChunk } from "../../../core/contacts/csv-chunk";
import type { CsvFault } from "../../../core/contacts/csv-columns";
import { Invalid } from "../../../core/errors";
import type { StoredJob } from "../../../core/messages";
import { openBatch } from "../../../db/batch";
import type { JobRow } from "../../../db/tables";
import { guardState, type Step, updateEnded, updateState } from "../../../engine/jobs/step";
import { workOn } from "../../../engine/jobs/work";
import type { Context, Platform } from "../../../platform/context";
import { type Importing, importChunk } from "./import-chunk";
import { type Asked, fileKey, type ImportResult, ImportState, resultOf, type Uploaded } from "./import-job";
import { openFile } from "./open-file";

/** The most steps of a run. A step makes up to seventeen statements, and D1 allows one invocation a thousand. */
const stepsPerRun = 55;

/** Runs an import: reads the file once, and imports it chunk by chunk. */
export async function runImport(platform: Platform, job: StoredJob): Promise<void> {
  let opened: Csv | CsvFault | null = null;
  const step = async (ctx: Context, row: JobRow): Promise<Step> => {
    const state = ImportState.parse(row.state);
    if (state.phase === "over") return end(ctx, row, state.fault ?? null);
    opened ??= await open(ctx, row, state);
    if ("fault" in opened) return fail(ctx, row, opened);
    return state.phase === "uploaded" ? begin(ctx, row, opened, state) : importNext(ctx, row, opened, state);
  };
  await workOn(platform, job, step, { stepsPerRun });
}

async function open(ctx: Context, row: JobRow, asked: Asked): Promise<Csv | CsvFault> {
  const bytes = await ctx.blobs.get(fileKey(ctx, row.id));
  if (!bytes) return { fault: "The file is no longer stored. Upload it again." };
  return openFile(ctx, bytes, asked);
}

/** Counts the rows first. That reads the whole file, so any fault is found before anything is written. */
async function begin(ctx: Context, row: JobRow, csv: Csv, { phase: _, ...asked }: Uploaded): Promise<Step> {
  const totalRows = countRows(csv);
  if (typeof totalRows !== "number") return fail(ctx, row, totalRows);
  const state: ImportState = totalRows > 0 ? { phase: "importing", ...asked, ...csv.firstRow } : { phase: "over" };
  return moveOn(ctx, row, state, { ...resultOf(row), totalRows, droppedColumns: csv.dropped });
}

async function importNext(ctx: Context, row: JobRow, csv: Csv, state: Importing): Promise<Step> {
  try {
    const topics = csv.moved?.at.has("topics") ? csv.moved.by.topics.size : 0;
    const fault = await importChunk(ctx, row, csv, state, rowsPerChunk(resultOf(row).totalRows, topics));
    return fault ? fail(ctx, row, fault) : "goes on";
  } catch (error) {
    // The file has more columns than the project's limit of fields allows.
    if (error instanceof Invalid)
      return fail(ctx, row, { fault: error.faults.map(({ message }) => message).join(" ") });
    throw error;
  }
}

async function fail(ctx: Context, row: JobRow, { fault }: CsvFault): Promise<Step> {
  return moveOn(ctx, row, { phase: "over", fault }, resultOf(row));
}

async function moveOn(ctx: Context, row: JobRow, state: ImportState, result: ImportResult): Promise<Step> {
  const batch = openBatch(ctx);
  batch.add(guardState(ctx, row));
  batch.add(updateState(ctx, row, state, row.progress, { result: sql`${JSON.stringify(result)}` }));
  await batch.commit();
  return "goes on";
}

async function end(ctx: Context, row: JobRow, fault: string | null): Promise<Step> {
  await ctx.blobs.delete([fileKey(ctx, row.id)]);
  const batch = openBatch(ctx);
  batch.add(guardState(ctx, row));
  const status = fault === null ? "completed" : "failed";
  batch.add(updateEnded(ctx, row, { status, result: resultOf(row), reason: fault }));
  await batch.commit();
  return "ended";
}
