import type { JsonObject } from "../json";
import { normalizeEmail } from "../mail/address";
import { isStorable } from "../storable";
import type { Csv } from "./csv";
import { type Moved, type MovedFault, readMoved } from "./csv-moved";
import { isOptOut } from "./csv-opt-out";

/**
 * One row: a contact's address and data. If the import uses their columns, the row also has the subscription and the
 * values that describe the contact itself.
 */
export interface ReadRow extends Moved {
  email: string;
  /** Whether the contact is subscribed. Absent when the row does not say. */
  subscribed?: boolean;
  data: JsonObject;
}

/** A row as it was read. For a skipped row, `email` is the address as written. */
export type CsvRow =
  | ReadRow
  | { email: string; reason: "missing_email" | "invalid_email" | "invalid_subscribed" | "invalid_string" | MovedFault };

/** Reads the cells of a row. Missing cells count as empty, and cells beyond the header are dropped. */
export function readRow({ emailAt, subscribedAt, moved, columns }: Csv, cells: string[]): CsvRow {
  const written = cells[emailAt]?.trim() ?? "";
  const email = normalizeEmail(written);
  if (email === null) return { email: written, reason: written === "" ? "missing_email" : "invalid_email" };
  const said = subscribedAt === null ? null : yesOrNo.get(cells[subscribedAt]?.trim().toLowerCase() ?? "");
  // A row is skipped if its cell in the column `subscribed` is empty, or says neither yes nor no: a contact without an
  // answer must not be mailed.
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

/** The opt-outs that a row suggests in columns that the caller did not ask to use. */
export interface Unheeded {
  /** The value in the column `subscribed`. Null for a yes and for an empty cell. */
  says: "no" | "unclear" | null;
  /** The data columns that suggest an opt-out. */
  optOuts: string[];
}

/** Returns the opt-outs that a row suggests; none when the row's subscription is used. */
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

/** The values of a yes-or-no column, which may also be written as 1 and 0. In any other column, 1 and 0 are numbers. */
const yesOrNo = new Map([...booleans, ["1", true], ["0", false]]);

const plainNumber = /^-?(0|[1-9]\d*)(\.\d+)?$/;

/**
 * Reads the value of a cell. `007`, `+5`, `1e5`, `.5`, `1.` and numbers beyond the safe range stay text, exactly as
 * written.
 */
function cellValue(text: string): string | number | boolean {
  if (plainNumber.test(text)) {
    const number = Number(text);
    return Math.abs(number) <= Number.MAX_SAFE_INTEGER ? number : text;
  }
  return booleans.get(text.toLowerCase()) ?? text;
}
