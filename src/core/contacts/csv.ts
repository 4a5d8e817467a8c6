import Papa from "papaparse";
import { type CsvColumns, type CsvFault, layOut, namesEmail, noEmailColumn, type Taken } from "./csv-columns";

export const maxCsvBytes = 5 * 1024 * 1024;

/** An opened CSV file: its text, its delimiter and its columns. */
export interface Csv extends CsvColumns {
  text: string;
  /** Whether the text ends where the file ends. False for a window of a larger file: see `csv-windows.ts`. */
  endsFile: boolean;
  delimiter: string;
  newline: "\n" | "\r";
  firstRow: RowStart;
}

/** The start of a row in the text, and its number as spreadsheets count: the header is row 1. */
export interface RowStart {
  cursor: number;
  row: number;
}

const notUtf8: CsvFault = { fault: "The file is not UTF-8 text. Save it as CSV in UTF-8 and upload it again." };

/**
 * Opens a file, which must be UTF-8, have a header row with an `email` column, and be delimited by commas, semicolons
 * or tabs. The bytes may be only the first ones of a large file.
 */
export function openCsv(bytes: Uint8Array, taken: Taken = {}, endsFile = true): Csv | CsvFault {
  const text = decodeUtf8(bytes, { isStart: true, endsFile });
  if (text === null) return notUtf8;
  const newline = newlineOf(text);
  const headers = [",", ";", "\t"].map((delimiter) => readHeader({ text, endsFile, delimiter, newline }));
  const readable = headers.filter((header) => "names" in header);
  // The right delimiter is the one with which the header has an email column.
  const header = readable.find(({ names }) => namesEmail(names, taken)) ?? readable[0] ?? headers[0];
  if (header === undefined || "fault" in header) return header ?? { fault: noEmailColumn };
  const { names, ...file } = header;
  const columns = layOut(names, taken);
  return "fault" in columns ? columns : { ...file, ...columns };
}

/** Counts rows up to the end of the text. Returns a fault when a row cannot be read. */
export function countRows(csv: Csv, from: RowStart = csv.firstRow): { rows: number; next: RowStart | null } | CsvFault {
  let rows = 0;
  const read = readRows(csv, from, () => ++rows > 0);
  return "fault" in read ? read : { rows, next: read.next };
}

/** Returns the same file with the text of other bytes, which begin with a row. */
export function withBytes(csv: Csv, bytes: Uint8Array, endsFile: boolean): Csv | CsvFault {
  const text = decodeUtf8(bytes, { isStart: false, endsFile });
  return text === null ? notUtf8 : { ...csv, text, endsFile };
}

/**
 * Passes the cells of each row, with the row's number, to `take` until it returns false. Returns the start of the next
 * row; null at the end of the file. Blank lines and rows of empty cells are skipped, and have no number. In a text that
 * does not end the file, the last row may continue beyond the text: it is not read, and its start is returned.
 */
export function readRows(file: CsvText, from: RowStart, take: Take): { next: RowStart | null } | CsvFault {
  let isEnough = false;
  const taking: Take = (cells, row) => {
    isEnough = !take(cells, row);
    return !isEnough;
  };
  for (let next = from; ; ) {
    const read = readWindow(file, next, taking);
    if ("fault" in read) return read;
    const isAtEnd = read.cursor === file.text.length;
    if (isAtEnd && file.endsFile) return { next: null };
    if (isEnough || isAtEnd || read.cursor === next.cursor) return { next: read };
    next = read;
  }
}

type CsvText = Pick<Csv, "text" | "endsFile" | "delimiter" | "newline">;

type Take = (cells: string[], row: number) => boolean;

/**
 * The maximum number of characters that are parsed at once. The limit bounds memory for a file without line ends, or
 * one full of quotes.
 */
const windowLength = 512 * 1024;

/**
 * The maximum size of a window, in bytes. Its length is counted in UTF-16 code units, each of which takes at most three
 * bytes in UTF-8.
 */
export const maxBytesOfWindow = 3 * windowLength;

function readWindow({ text, endsFile, delimiter, newline }: CsvText, from: RowStart, take: Take): RowStart | CsvFault {
  const start = skipLineEnds(text, from.cursor);
  const window = text.slice(start, start + windowLength);
  const isLast = endsFile && start + window.length === text.length;
  const next = { cursor: start, row: from.row };
  let isBroken = false;
  // The parser's fast mode would split the whole window even when only a few rows are needed.
  const parser = new Papa.Parser({ delimiter, newline, fastMode: false, step: readStep });
  parser.parse(window, 0, !isLast);
  if (isBroken) {
    return { fault: `Row ${next.row} has faulty quotes: a quote is never closed, or text follows a closing quote.` };
  }
  if (next.cursor === start && !isLast && window.length === windowLength) {
    return { fault: `Row ${next.row} is longer than ${windowLength} characters, or has a quote that is never closed.` };
  }
  return next;

  function readStep({ data: [cells = []], errors, meta }: Papa.ParseStepResult<string[][]>): void {
    isBroken = errors.length > 0;
    if (!isBroken) next.cursor = start + meta.cursor;
    const continues = !isBroken && (!isFilled(cells) || take(cells, next.row++));
    if (!continues) parser.abort();
  }
}

function isFilled(cells: string[]): boolean {
  return cells.some((cell) => cell.trim() !== "");
}

function skipLineEnds(text: string, cursor: number): number {
  const other = /[^\r\n]/g;
  other.lastIndex = cursor;
  return other.exec(text)?.index ?? text.length;
}

/**
 * Decodes UTF-8. Removes a byte order mark at the start of the file, and drops an incomplete character at the end of
 * bytes that do not end the file. Null when the bytes are not UTF-8.
 */
function decodeUtf8(bytes: Uint8Array, { isStart, endsFile }: { isStart: boolean; endsFile: boolean }): string | null {
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: !isStart }).decode(bytes, { stream: !endsFile });
  } catch {
    return null;
  }
}

/**
 * Detects the line ends. When they are CR LF, the carriage return stays in the last cell of each row, where it is
 * trimmed, so a file may mix CR LF and LF.
 */
function newlineOf(text: string): "\n" | "\r" {
  const unquoted = text.slice(0, windowLength).replaceAll(/"[^"]*"/g, "");
  return unquoted.includes("\r") && !unquoted.includes("\n") ? "\r" : "\n";
}

interface Header extends CsvText {
  names: string[];
  firstRow: RowStart;
}

function readHeader(file: CsvText): Header | CsvFault {
  const rows: string[][] = [];
  const read = readRows(file, { cursor: 0, row: 1 }, (cells) => rows.push(cells) < 1);
  if ("fault" in read) return read;
  const names = rows[0]?.map((cell) => cell.trim());
  if (!names)
    return { fault: "The file is empty. Its first row must name the columns, and one of them must be email." };
  return { ...file, names, firstRow: read.next ?? { cursor: file.text.length, row: 2 } };
}
