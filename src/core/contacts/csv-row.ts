import type { JsonObject } from "../json";
import { normalizeEmail } from "../mail/address";
import { isStorable } from "../storable";
import type { Csv } from "./csv";
import { type Moved, type MovedFault, readMoved } from "./csv-moved";
import { isOptOut } from "./csv-opt-out";

/** One row: a contact and its data and, where the import takes such columns, its subscription and moved values. */
export interface ReadRow extends Moved {
  email: string;
  /** Absent when the row does not say. */
  subscribed?: boolean;
  data: JsonObject;
}

/** A skipped row has its address as it was written. */
export type CsvRow =
  | ReadRow
  | { email: string; reason: "missing_email" | "invalid_email" | "invalid_subscribed" | "invalid_string" | MovedFault };

/** Reads the cells of a row. Missing cells count as empty, and cells beyond the header are dropped. */
export function readRow({ emailAt, subscribedAt, moved, columns }: Csv, cells: string[]): CsvRow {
  const written = cells[emailAt]?.trim() ?? "";
  const email = normalizeEmail(written);
  if (email === null) return { email: written, reason: written === "" ? "missing_email" : "invalid_email" };
  const said = subscribedAt === null ? null : yesOrNo.get(cells[subscribedAt]?.trim().toLowerCase() ?? "");
  // An empty cell counts as no: without an answer, nobody is mailed.
  if (said === undefined) return { email, reason: "invalid_subscribed" };
  const brought = moved === null ? {} : readMoved(moved.at, cells, moved.by);
  if (typeof brought === "string") return { email, reason: brought };
  const subscribed = brought.optedOutAt === undefined ? said : false;
  const fields: [key: string, value: string | number | boolean][] = [];
  for (const { at, key } of columns) {
    const text = cells[at]?.trim() ?? "";
    if (text === "") continue;
    if (!isStorable(text)) return { email, reason: "invalid_string" };
    fields.push([key, key === "locale" ? text : cellValue(text)]);
  }
  const data = Object.fromEntries(fields);
  return subscribed === null ? { email, ...brought, data } : { email, subscribed, ...brought, data };
}

/** An opt-out in a row that the caller did not ask to take. */
export interface Unheeded {
  /** The value in the column subscribed. An empty cell says nothing. */
  says: "no" | "unclear" | null;
  /** The data columns that say that the person has left. */
  optOuts: string[];
}

/** Returns what a row says about an opt-out; nothing for a row whose subscription is taken. */
export function unheededIn({ unheededAt, optOuts }: Csv, cells: string[], { subscribed }: ReadRow): Unheeded {
  if (subscribed !== undefined) return { says: null, optOuts: [] };
  const cell = unheededAt === null ? "" : (cells[unheededAt]?.trim().toLowerCase() ?? "");
  const said = cell === "" ? true : yesOrNo.get(cell);
  return {
    says: said === undefined ? "unclear" : said ? null : "no",
    optOuts: optOuts.filter((column) => isOptOut(column, cells[column.at] ?? "")).map(({ key }) => key),
  };
}

const booleans = new Map([
  ["true", true],
  ["yes", true],
  ["false", false],
  ["no", false],
]);

/** A column of yes and no may be written in numbers. In any other column, numbers are numbers. */
const yesOrNo = new Map([...booleans, ["1", true], ["0", false]]);

const plainNumber = /^-?(0|[1-9]\d*)(\.\d+)?$/;

/** `007`, `+5`, `1e5`, `.5`, `1.` and numbers beyond the safe range stay text, as they are written. */
function cellValue(text: string): string | number | boolean {
  if (plainNumber.test(text)) {
    const number = Number(text);
    return Math.abs(number) <= Number.MAX_SAFE_INTEGER ? number : text;
  }
  return booleans.get(text.toLowerCase()) ?? text;
}
