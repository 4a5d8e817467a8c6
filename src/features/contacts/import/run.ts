import { sql } from "drizzle-orm";
import { countRows, type RowStart } from "../../../core/contacts/csv";
import { rowsPerChunk } from "../../../core/contacts/csv-chunk";
import type { CsvFault } from "../../../core/contacts/csv-columns";
import { Invalid } from "../../../core/errors";
import type { StoredJob } from "../../../core/messages";
import { openBatch } from "../../../db/batch";
import type { JobRow } from "../../../db/tables";
import { guardState, type Step, updateEnded, updateState } from "../../../engine/jobs/step";
import { workOn } from "../../../engine/jobs/work";
import type { Context, Platform } from "../../../platform/context";
import { expireUpload } from "../imports/expire";
import { importChunk } from "./import-chunk";
import { type ImportFile, openImportFile } from "./import-file";
import { fileKeysOf, type Importing, type ImportResult, ImportState, resultOf, type Uploaded } from "./import-job";

/**
 * The maximum number of steps of a run. A step runs up to seventeen statements, and D1 allows a thousand per
 * invocation.
 */
const stepsPerRun = 55;

/** Runs an import: reads the file once, and imports it chunk by chunk. */
export async function runImport(platform: Platform, job: StoredJob): Promise<void> {
  let opened: ImportFile | CsvFault | null = null;
  const step = async (ctx: Context, row: JobRow): Promise<Step> => {
    const state = ImportState.parse(row.state);
    if (state.phase === "uploading") return expireUpload(ctx, row);
    if (state.phase === "over") return end(ctx, row, state.fault ?? null);
    opened ??= await openImportFile(ctx, row, state);
    if ("fault" in opened) return fail(ctx, row, opened);
    if (state.phase === "counting") return count(ctx, row, opened, state);
    return "cursor" in state
      ? importNext(ctx, row, opened, state)
      : count(ctx, row, opened, { ...state, ...opened.first });
  };
  await workOn(platform, job, step, { stepsPerRun });
}

/**
 * Counts the rows before the first is imported. At the end of the file, their number is known and all of the file was
 * read, so any fault is found before anything is written.
 */
async function count(
  ctx: Context,
  row: JobRow,
  file: ImportFile,
  { phase: _, ...state }: Omit<Uploaded, "phase"> & RowStart & { phase: string },
): Promise<Step> {
  const place = await file.at(state);
  if ("fault" in place) return fail(ctx, row, place);
  const counted = countRows(place.csv, place.start);
  if ("fault" in counted) return fail(ctx, row, counted);
  const { rows, next } = counted;
  if (next !== null) return moveOn(ctx, row, { phase: "counting", ...state, ...place.stored(next) }, resultOf(row));
  const totalRows = state.row + rows - file.first.row;
  const result = { ...resultOf(row), totalRows, droppedColumns: file.csv.dropped };
  if (totalRows === 0) return moveOn(ctx, row, { phase: "over" }, result);
  const importing = state.parts === undefined ? "importing" : "importing-parts";
  return moveOn(ctx, row, { phase: importing, ...state, ...file.first }, result);
}

async function importNext(ctx: Context, row: JobRow, file: ImportFile, state: Importing): Promise<Step> {
  const place = await file.at(state);
  if ("fault" in place) return fail(ctx, row, place);
  const { moved } = place.csv;
  const topics = moved?.at.has("topics") ? moved.by.topics.size : 0;
  try {
    const fault = await importChunk(ctx, row, place, state, rowsPerChunk(resultOf(row).totalRows, topics));
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
  await ctx.blobs.delete(fileKeysOf(ctx, row));
  const batch = openBatch(ctx);
  batch.add(guardState(ctx, row));
  const status = fault === null ? "completed" : "failed";
  batch.add(updateEnded(ctx, row, { status, result: resultOf(row), reason: fault }));
  await batch.commit();
  return "ended";
}
