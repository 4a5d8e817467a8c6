import { utf8Bytes } from "../json";
import { type Csv, maxBytesOfWindow, type RowStart, readRows, withBytes } from "./csv";
import type { CsvFault } from "./csv-columns";

/** A file that is too large to be read at once. */
export interface LargeFile {
  size: number;
  /** Reads `length` bytes, or fewer at the end of the file. */
  read(from: number, length: number): Promise<Uint8Array>;
}

/** A row in a part of the file's text. */
export interface CsvPlace {
  csv: Csv;
  /** The start of the row in the text of `csv`. */
  start: RowStart;
  /** Returns where a later row of the text starts in the file, as the job stores it. */
  stored(next: RowStart): RowStart;
}

/** The bytes that are read at once. The text in memory may need two bytes per character. */
const bytesAtOnce = 4 * 1024 * 1024;

/**
 * Reads the beginning of a file, which contains the whole header unless the header is too long. `endsFile` tells
 * whether the beginning is the whole file.
 */
export async function readHead(file: LargeFile): Promise<{ bytes: Uint8Array; endsFile: boolean }> {
  const bytes = await file.read(0, bytesAtOnce);
  return { bytes, endsFile: bytes.byteLength === file.size };
}

/**
 * Returns where the first row below the header starts, in bytes of the file. `head` is the opened beginning of the
 * file, and `bytes` are its bytes.
 */
export function firstRowIn(head: Csv, bytes: Uint8Array): RowStart {
  const { cursor, row } = head.firstRow;
  const markBytes = bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf ? 3 : 0;
  return { cursor: markBytes + utf8Bytes(head.text.slice(0, cursor)), row };
}

/**
 * Returns a function that opens a file at a row. The place of the row is counted in bytes of the file, so a job can
 * continue there without reading what comes before. The text that was read last is kept, and used again for other rows
 * in it. Each text begins with a row. If the end of a text cuts off a row, the next text begins with that row, so a row
 * is always parsed as a whole.
 */
export function placesIn(
  file: LargeFile,
  head: Csv,
  atOnce = bytesAtOnce,
): (row: RowStart) => Promise<CsvPlace | CsvFault> {
  let last: { csv: Csv; bytes: number; cursor: number } | null = null;
  return async ({ cursor: bytes, row }) => {
    if (last?.bytes !== bytes || !hasRow(last.csv, last.cursor)) {
      // Drops the old text before the next one is read.
      last = null;
      const csv = await textAt(file, head, bytes, atOnce);
      if ("fault" in csv) return csv;
      last = { csv, bytes, cursor: 0 };
    }
    const { csv, cursor } = last;
    return {
      csv,
      start: { cursor, row },
      stored(next) {
        last = { csv, bytes: bytes + utf8Bytes(csv.text.slice(cursor, next.cursor)), cursor: next.cursor };
        return { cursor: last.bytes, row: next.row };
      },
    };
  };
}

async function textAt(file: LargeFile, head: Csv, from: number, atOnce: number): Promise<Csv | CsvFault> {
  const bytes = await file.read(from, atOnce);
  const csv = withBytes(head, bytes, from + bytes.byteLength === file.size);
  if ("fault" in csv || hasRow(csv, 0) || atOnce >= maxBytesOfWindow) return csv;
  return textAt(file, head, from, maxBytesOfWindow);
}

/** Whether a text contains the whole next row, or enough of it to tell that the row is too long. */
function hasRow(csv: Csv, cursor: number): boolean {
  const read = readRows(csv, { cursor, row: 1 }, () => false);
  return "fault" in read || read.next === null || read.next.cursor > cursor;
}
