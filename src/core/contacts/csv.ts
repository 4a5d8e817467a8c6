import Papa from "papaparse";
import { ContactData, readData } from "./data";

export const maxCsvBytes = 5 * 1024 * 1024;

/** A CSV file as it is read: its text, how its cells are parted, and what its columns are. */
export interface Csv {
  text: string;
  delimiter: string;
  newline: "\n" | "\r";
  /** The column that holds the addresses. */
  emailAt: number;
  /** The columns that become data. All others are dropped. */
  columns: { at: number; key: string }[];
  firstRow: Place;
}

/** Where a row begins: its place in the text, and its number as people count, the header being row 1. */
export interface Place {
  cursor: number;
  row: number;
}

/** Why a file is not imported at all, in a sentence. */
export interface CsvFault {
  fault: string;
}

/** Opens a file: UTF-8 with a header row that names an `email` column; parted by comma, semicolon or tab. */
export function openCsv(bytes: Uint8Array): Csv | CsvFault {
  const text = decodeUtf8(bytes);
  if (text === null) return { fault: "The file is not UTF-8 text. Save it as CSV in UTF-8 and upload it again." };
  const newline = newlineOf(text);
  const headers = [",", ";", "\t"].map((delimiter) => readHeader({ text, delimiter, newline }));
  const readable = headers.filter((header) => "names" in header);
  // The delimiter is the one by which there is an email column.
  const header = readable.find(({ names }) => names.some(isEmailColumn)) ?? readable[0] ?? headers[0];
  if (header === undefined || "fault" in header) return header ?? { fault: noEmailColumn };
  return layOut(header);
}

/** How many rows a file has below its header. Reads all of it, and so finds a row that cannot be read. */
export function countRows(csv: Csv): number | CsvFault {
  let count = 0;
  const read = readRows(csv, csv.firstRow, () => ++count > 0);
  return "fault" in read ? read : count;
}

/**
 * Hands out the cells of one row after the other, with the row's number, until `take` says that it is enough. Returns
 * where the next row begins; null at the end of the file. Blank lines and rows of empty cells only do not count.
 */
export function readRows(file: CsvText, place: Place, take: Take): { next: Place | null } | CsvFault {
  let isEnough = false;
  const taking: Take = (cells, row) => {
    isEnough = !take(cells, row);
    return !isEnough;
  };
  for (let next = place; ; ) {
    const read = readWindow(file, next, taking);
    if ("fault" in read) return read;
    if (read.cursor === file.text.length) return { next: null };
    if (isEnough) return { next: read };
    next = read;
  }
}

type CsvText = Pick<Csv, "text" | "delimiter" | "newline">;

type Take = (cells: string[], row: number) => boolean;

/** Text that is looked at in one go. Neither a file without line ends nor one full of quotes takes more memory than this. */
const windowLength = 512 * 1024;

function readWindow({ text, delimiter, newline }: CsvText, place: Place, take: Take): Place | CsvFault {
  const start = behindLineEnds(text, place.cursor);
  const window = text.slice(start, start + windowLength);
  const isLast = start + window.length === text.length;
  const next = { cursor: start, row: place.row };
  let isBroken = false;
  // Its fast mode would split the whole window, however few rows are asked for.
  const parser = new Papa.Parser({ delimiter, newline, fastMode: false, step: readStep });
  parser.parse(window, 0, !isLast);
  if (isBroken) {
    return { fault: `Row ${next.row} has faulty quotes: a quote is never closed, or text follows a closing quote.` };
  }
  if (next.cursor === start && !isLast) {
    return { fault: `Row ${next.row} is longer than ${windowLength} characters, or has a quote that is never closed.` };
  }
  return next;

  function readStep({ data: [cells = []], errors, meta }: Papa.ParseStepResult<string[][]>): void {
    isBroken = errors.length > 0;
    if (!isBroken) next.cursor = start + meta.cursor;
    const goesOn = !isBroken && (!isFilled(cells) || take(cells, next.row++));
    if (!goesOn) parser.abort();
  }
}

function isFilled(cells: string[]): boolean {
  return cells.some((cell) => cell.trim() !== "");
}

function behindLineEnds(text: string, cursor: number): number {
  const other = /[^\r\n]/g;
  other.lastIndex = cursor;
  return other.exec(text)?.index ?? text.length;
}

/** Null when it is not UTF-8. A byte order mark is left out. */
function decodeUtf8(bytes: Uint8Array): string | null {
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: false }).decode(bytes);
  } catch {
    return null;
  }
}

/** The carriage return of CR LF is left to the last cell of each row, where it is trimmed: so both may be in one file. */
function newlineOf(text: string): "\n" | "\r" {
  const unquoted = text.slice(0, windowLength).replaceAll(/"[^"]*"/g, "");
  return unquoted.includes("\r") && !unquoted.includes("\n") ? "\r" : "\n";
}

interface Header extends CsvText {
  names: string[];
  firstRow: Place;
}

const noEmailColumn =
  "The file has no column named email. Its first row must name the columns, and one of them must be email.";

function readHeader(file: CsvText): Header | CsvFault {
  const rows: string[][] = [];
  const read = readRows(file, { cursor: 0, row: 1 }, (cells) => rows.push(cells) < 1);
  if ("fault" in read) return read;
  const names = rows[0]?.map((cell) => cell.trim());
  if (!names)
    return { fault: "The file is empty. Its first row must name the columns, and one of them must be email." };
  return { ...file, names, firstRow: read.next ?? { cursor: file.text.length, row: 2 } };
}

function isEmailColumn(name: string): boolean {
  return name.toLowerCase() === "email";
}

/** Columns that are never data: these, those without a name, and what the rules of data reserve. */
const droppedColumns = new Set(["", "subscribed", "createdAt", "updatedAt"]);

function layOut({ names, ...file }: Header): Csv | CsvFault {
  const emailAt = names.findIndex(isEmailColumn);
  if (emailAt < 0) return { fault: noEmailColumn };
  if (names.findLastIndex(isEmailColumn) !== emailAt)
    return { fault: "Two columns are named email. Remove or rename one of them." };
  const named = names
    .map((key, at) => ({ key, at }))
    .filter(({ key, at }) => at !== emailAt && !droppedColumns.has(key));
  // A name may be what a key of data may be, and is dropped where that would be.
  const sample = Object.fromEntries(named.map(({ key }) => [key, "text"]));
  const issue = ContactData.safeParse(sample).error?.issues[0];
  if (issue) {
    const place = issue.path[0] === undefined ? "The header row" : `The column ${shorten(String(issue.path[0]))}`;
    return { fault: `${place} cannot be imported: ${issue.message}.` };
  }
  const { patch } = readData(sample);
  const columns = named.filter(({ key }) => Object.hasOwn(patch, key));
  const seen = new Set<string>();
  for (const { key } of columns) {
    if (seen.has(key)) return { fault: `Two columns are named ${shorten(key)}. Remove or rename one of them.` };
    seen.add(key);
  }
  return { ...file, emailAt, columns };
}

function shorten(name: string): string {
  return name.length > 60 ? `${name.slice(0, 60).toWellFormed()}…` : name;
}
