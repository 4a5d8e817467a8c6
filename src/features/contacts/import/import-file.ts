import type { Csv, RowStart } from "../../../core/contacts/csv";
import type { CsvFault } from "../../../core/contacts/csv-columns";
import { type CsvPlace, firstRowIn, type LargeFile, placesIn, readHead } from "../../../core/contacts/csv-windows";
import type { Id } from "../../../core/ids";
import type { JobRow } from "../../../db/tables";
import type { Context } from "../../../platform/context";
import { type Asked, fileKey, partKey, type StoredPart } from "./import-job";
import { openFile } from "./open-file";

/** The file of an import. `at` opens it at a row, so that a job can continue where an earlier step stopped. */
export interface ImportFile {
  csv: Csv;
  first: RowStart;
  at(row: RowStart): Promise<CsvPlace | CsvFault>;
}

/** Opens the file of an import. A file in parts is never in memory as a whole, but only a few megabytes at a time. */
export function openImportFile(
  ctx: Context,
  { id }: JobRow,
  asked: Asked & { parts?: StoredPart[] | undefined },
): Promise<ImportFile | CsvFault> {
  const { parts } = asked;
  return parts === undefined ? openWhole(ctx, id, asked) : openParts(ctx, largeFile(ctx, id, parts), asked);
}

async function openWhole(ctx: Context, jobId: Id, asked: Asked): Promise<ImportFile | CsvFault> {
  const bytes = await ctx.blobs.get(fileKey(ctx, jobId));
  if (!bytes) return { fault: "The file is no longer stored. Upload it again." };
  const csv = await openFile(ctx, bytes, asked);
  if ("fault" in csv) return csv;
  return { csv, first: csv.firstRow, at: async (start) => ({ csv, start, stored: (next) => next }) };
}

async function openParts(ctx: Context, file: LargeFile, asked: Asked): Promise<ImportFile | CsvFault> {
  try {
    const { bytes, endsFile } = await readHead(file);
    const csv = await openFile(ctx, bytes, asked, endsFile);
    if ("fault" in csv) return csv;
    const first = firstRowIn(csv, bytes);
    // Keeps only the columns; `open` reads the rows from the file again.
    const head = { ...csv, text: "" };
    const open = placesIn(file, head);
    return { csv: head, first, at: (row) => open(row).catch(faultOf) };
  } catch (error) {
    return faultOf(error);
  }
}

/** Thrown when a part of the file is gone, or was replaced after the import began. */
export class PartLost extends Error {
  override readonly name = "PartLost";
}

function faultOf(error: unknown): CsvFault {
  if (!(error instanceof PartLost)) throw error;
  return { fault: `${error.message} Rows before it may have been imported. Upload the file again.` };
}

/** Returns the parts as one file. All parts except the last have the same size. */
export function largeFile(ctx: Context, jobId: Id, parts: StoredPart[]): LargeFile {
  const partBytes = parts[0]?.bytes ?? 0;
  const size = parts.reduce((sum, { bytes }) => sum + bytes, 0);
  return {
    size,
    async read(from, length) {
      const end = Math.min(size, from + length);
      const pieces: Uint8Array[] = [];
      for (let at = from; at < end; ) {
        const index = Math.floor(at / partBytes);
        const part = parts[index];
        if (part === undefined) throw new Error(`The file has no part for byte ${at}`);
        const start = at - index * partBytes;
        const piece = { tag: part.tag, from: start, length: Math.min(end - at, part.bytes - start) };
        const bytes = await ctx.blobs.getRange(partKey(ctx, jobId, index + 1), piece);
        if (bytes === null) {
          throw new PartLost(`Part ${index + 1} of the file is no longer stored, or was replaced meanwhile.`);
        }
        pieces.push(bytes);
        at += piece.length;
      }
      return joined(pieces);
    },
  };
}

function joined(pieces: Uint8Array[]): Uint8Array {
  const [only, ...more] = pieces;
  if (only !== undefined && more.length === 0) return only;
  const all = new Uint8Array(pieces.reduce((sum, { byteLength }) => sum + byteLength, 0));
  let at = 0;
  for (const piece of pieces) {
    all.set(piece, at);
    at += piece.byteLength;
  }
  return all;
}
