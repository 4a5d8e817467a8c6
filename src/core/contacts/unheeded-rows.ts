import { z } from "zod";
import type { Warning } from "../warning";
import type { Unheeded } from "./csv-row";

/**
 * The numbers of imported rows that suggest an opt-out in a column that the import did not use. Jobs that were stored
 * before this check existed lack these numbers.
 */
export const UnheededRows = z.object({
  /** The number of rows with a "no" in the column `subscribed`. */
  rowsSayingNo: z.number().default(0),
  /** The number of rows whose value in the column `subscribed` is neither yes nor no. */
  rowsUnclear: z.number().default(0),
  /** The number of rows with an opt-out in a column that became data, by column name. */
  rowsOptedOut: z.record(z.string(), z.number()).default({}),
});
export type UnheededRows = z.infer<typeof UnheededRows>;

export function noneUnheeded(): UnheededRows {
  return { rowsSayingNo: 0, rowsUnclear: 0, rowsOptedOut: {} };
}

/** Adds a row to the counts. */
export function addUnheeded(rows: UnheededRows, { says, optOuts }: Unheeded): void {
  if (says === "no") rows.rowsSayingNo++;
  if (says === "unclear") rows.rowsUnclear++;
  for (const column of optOuts) rows.rowsOptedOut[column] = (rows.rowsOptedOut[column] ?? 0) + 1;
}

export function warningsOf({ rowsSayingNo, rowsUnclear, rowsOptedOut }: UnheededRows): Warning[] {
  return [
    ...(rowsSayingNo > 0 ? [saidNo(rowsSayingNo)] : []),
    ...(rowsUnclear > 0 ? [unclear(rowsUnclear)] : []),
    ...Object.entries(rowsOptedOut).map(([column, rows]) => optedOut(column, rows)),
  ];
}

function saidNo(rows: number): Warning {
  return {
    field: "subscribed",
    message:
      `${rowsDo(rows, "says", "say")} no in the column subscribed, which was not used: new contacts among them are subscribed. Import the file again ` +
      "with the form field subscribed=column, which unsubscribes them, or unsubscribe them with POST /contacts/bulk-unsubscribe.",
  };
}

function unclear(rows: number): Warning {
  return {
    field: "subscribed",
    message:
      `${rowsDo(rows, "has", "have")} a value that is neither yes nor no in the column subscribed, which was not used: new contacts among ` +
      "them are subscribed. Write yes or no into the column, and import the file again with the form field subscribed=column.",
  };
}

function optedOut(column: string, rows: number): Warning {
  return {
    field: column,
    message:
      `${rowsDo(rows, "seems", "seem")} to be opted out according to the column ${column}, which was imported as data: new contacts among them are ` +
      "subscribed. Import the file again: either rename the column to subscribed, write yes or no into it, and send subscribed=column; " +
      "or rename a column of times to optedOutAt, and send columns=all.",
  };
}

function rowsDo(rows: number, one: string, more: string): string {
  return rows === 1 ? `1 row ${one}` : `${rows} rows ${more}`;
}
