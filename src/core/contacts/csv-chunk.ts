import { type Csv, type RowStart, readRows } from "./csv";
import type { CsvFault } from "./csv-columns";
import { type CsvRow, type ReadRow, readRow, type Unheeded, unheededIn } from "./csv-row";
import { maxDataBytes } from "./data";
import { type FieldType, fieldType } from "./field-type";

/** Rows that are imported together: valid rows and skipped ones. */
export interface CsvChunk {
  rows: (ReadRow & { row: number; unheeded: Unheeded })[];
  skipped: SkippedRow[];
  /** The start of the next chunk; null at the end of the file. */
  next: RowStart | null;
}

export interface SkippedRow {
  row: number;
  email: string;
  reason: Extract<CsvRow, { reason: string }>["reason"] | "data_too_large";
}

const maxRows = 1_000;
const minRows = 100;

/**
 * The maximum number of comparisons of topics per chunk. Each row's topics are compared with every topic of the
 * project, so the more topics a project has, the fewer rows a chunk contains.
 */
const maxChoices = 10_000;

/**
 * Returns the number of rows per chunk: a tenth of the file, so that a small file also shows progress. It is at least
 * `minRows`, to be worth a batch, and at most what fits into a batch.
 */
export function rowsPerChunk(totalRows: number, topics = 0): number {
  const most = topics === 0 ? maxRows : Math.min(maxRows, Math.floor(maxChoices / topics));
  return Math.min(most, Math.max(minRows, Math.ceil(totalRows / 10)));
}

/**
 * The number of characters of JSON at which a chunk ends. Even at three bytes per character, the chunk stays below the
 * 2,000,000 bytes that D1 accepts in one value. Long keys can turn a few cells into much JSON.
 */
const maxJsonLength = 400_000;

const maxShownLength = 254;

/** Reads the next rows of a file, up to `atMost`. */
export function readChunk(csv: Csv, start: RowStart, atMost = maxRows): CsvChunk | CsvFault {
  const rows: CsvChunk["rows"] = [];
  const skipped: SkippedRow[] = [];
  let json = 0;
  const read = readRows(csv, start, (cells, row) => {
    const found = readRow(csv, cells);
    if ("reason" in found) {
      skipped.push({ row, email: found.email.slice(0, maxShownLength).toWellFormed(), reason: found.reason });
    } else {
      const { length } = JSON.stringify(found.data);
      // Checks only the row's own data. The database checks whether the merged data fits.
      if (length > maxDataBytes) skipped.push({ row, email: found.email, reason: "data_too_large" });
      else rows.push({ row, unheeded: unheededIn(csv, cells, found), ...found });
      json += length;
    }
    return json < maxJsonLength && rows.length + skipped.length < atMost;
  });
  return "fault" in read ? read : { rows, skipped, next: read.next };
}

/** Merges the rows of each address into one contact: a later row overrides an earlier one. */
export function contactsOf({ rows }: CsvChunk): ReadRow[] {
  const contacts = new Map<string, ReadRow>();
  for (const { row: _, unheeded: __, ...read } of rows) {
    contacts.set(read.email, mergedRow(contacts.get(read.email), read));
  }
  return [...contacts.values()];
}

/** Merges a row into an earlier one with the same address. */
export function mergedRow(earlier: ReadRow | undefined, read: ReadRow): ReadRow {
  return { ...earlier, ...read, data: { ...earlier?.data, ...read.data } };
}

/** Returns the type of each key, from its first value. */
export function typesOf({ rows }: CsvChunk): Record<string, FieldType> {
  const types = new Map<string, FieldType>();
  for (const { data } of rows) {
    for (const [key, value] of Object.entries(data)) if (!types.has(key)) types.set(key, fieldType(value));
  }
  return Object.fromEntries(types);
}

/** Returns the number of rows before the first repeated address; the number of all rows when no address is repeated. */
export function rowsBeforeRepeat({ rows, skipped }: CsvChunk): number {
  const first = new Map(rows.toReversed().map((row) => [row.email, row]));
  const repeat = rows.find((row) => first.get(row.email) !== row);
  const before = (row: { row: number }) => repeat === undefined || row.row < repeat.row;
  return rows.filter(before).length + skipped.filter(before).length;
}

/** Returns the chunk in which the rows of these addresses are skipped, because their data is too large. */
export function withoutTooLarge(chunk: CsvChunk, emails: ReadonlySet<string>): CsvChunk {
  const tooLarge = chunk.rows.filter(({ email }) => emails.has(email));
  const skipped = tooLarge.map(({ row, email }) => ({ row, email, reason: "data_too_large" as const }));
  return {
    ...chunk,
    rows: chunk.rows.filter(({ email }) => !emails.has(email)),
    skipped: [...chunk.skipped, ...skipped].toSorted((one, other) => one.row - other.row),
  };
}
