import { type Csv, readRows } from "./csv";
import type { SkippedRow } from "./csv-chunk";
import type { CsvFault } from "./csv-columns";
import { type ReadRow, readRow, unheededIn } from "./csv-row";
import { maxDataBytes } from "./data";
import { type FieldType, fieldType } from "./field-type";
import { addUnheeded, noneUnheeded, type UnheededRows } from "./unheeded-rows";

/** The contents of a whole file, read without comparing it with existing contacts. */
export interface CsvScan {
  totalRows: number;
  first: (ReadRow & { row: number })[];
  /** The number of rows whose address is also in an earlier row. */
  duplicates: number;
  /** The number of rows that are skipped, and the first of them. */
  invalid: number;
  errors: SkippedRow[];
  /** The number of rows that contain an opt-out, whether or not the import uses it. */
  unsubscribedRows: number;
  unheeded: UnheededRows;
  /** The type of each key of data, from its first value. */
  types: Map<string, FieldType>;
}

export const mostRowsShown = 20;

const mostErrors = 100;

/** Reads all rows of a file without storing anything. */
export function scanCsv(csv: Csv): CsvScan | CsvFault {
  const scan: CsvScan = {
    ...{ totalRows: 0, first: [], duplicates: 0, invalid: 0, errors: [], unsubscribedRows: 0 },
    ...{ unheeded: noneUnheeded(), types: new Map() },
  };
  const addresses = new Set<string>();
  const read = readRows(csv, csv.firstRow, (cells, row) => {
    scan.totalRows++;
    takeRow(csv, scan, { cells, row, addresses });
    return true;
  });
  return "fault" in read ? read : scan;
}

function takeRow(
  csv: Csv,
  scan: CsvScan,
  { cells, row, addresses }: { cells: string[]; row: number; addresses: Set<string> },
): void {
  const found = readRow(csv, cells);
  if ("reason" in found || JSON.stringify(found.data).length > maxDataBytes) {
    const reason = "reason" in found ? found.reason : "data_too_large";
    skipRow(scan, { row, email: found.email, reason });
    return;
  }
  if (addresses.has(found.email)) scan.duplicates++;
  addresses.add(found.email);
  if (scan.first.length < mostRowsShown) scan.first.push({ row, ...found });
  for (const [key, value] of Object.entries(found.data)) {
    if (!scan.types.has(key)) scan.types.set(key, fieldType(value));
  }
  const unheeded = unheededIn(csv, cells, found);
  addUnheeded(scan.unheeded, unheeded);
  if (found.subscribed === false || unheeded.says === "no" || unheeded.optOuts.length > 0) scan.unsubscribedRows++;
}

const mostShownLength = 254;

function skipRow(scan: CsvScan, { email, ...skipped }: SkippedRow): void {
  scan.invalid++;
  if (scan.errors.length < mostErrors) {
    scan.errors.push({ ...skipped, email: email.slice(0, mostShownLength).toWellFormed() });
  }
}
