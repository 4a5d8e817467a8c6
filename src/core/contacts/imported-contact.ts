import type { JsonObject } from "../json";
import type { ReadRow } from "./csv-row";

/** The parts of a contact that an import may change. Times are milliseconds. */
export interface ImportedContact {
  subscribed: boolean;
  data: JsonObject;
  source: string;
  /** Null for a new contact whose row has no time of creation: the contact then gets the time of the import. */
  createdAt: number | null;
  optedOutAt: number | null;
  confirmedAt: number | null;
}

/** A stored contact, before the import. */
export interface BeforeRow extends ImportedContact {
  isSnoozed: boolean;
}

/**
 * Returns a contact as an import leaves it after a row. The statements of the import do the same in SQL;
 * `test/api/import-dry-run.test.ts` compares the two. If an earlier contact with this address opted out and was then
 * erased, `erasedAt` is the time of that opt-out; otherwise null.
 */
export function afterRow(
  before: BeforeRow | null,
  row: ReadRow,
  { now, erasedAt }: { now: number; erasedAt: number | null },
): ImportedContact {
  const saysNo = row.subscribed === false;
  if (before === null) {
    const optedOutAt = row.subscribed === true ? null : (erasedAt ?? (saysNo ? (row.optedOutAt ?? now) : null));
    return {
      subscribed: row.subscribed ?? erasedAt === null,
      data: row.data,
      source: row.source ?? "IMPORT",
      createdAt: row.createdAt ?? null,
      optedOutAt,
      confirmedAt: row.confirmedAt ?? null,
    };
  }
  const leavesNow = before.subscribed || before.isSnoozed || before.optedOutAt === null;
  const leftAt = leavesNow ? (row.optedOutAt ?? now) : before.optedOutAt;
  return {
    subscribed: row.subscribed ?? before.subscribed,
    data: { ...before.data, ...row.data },
    source: before.source === "PUBLIC" ? (row.source ?? "IMPORT") : before.source,
    createdAt: before.createdAt,
    optedOutAt: row.subscribed === undefined ? before.optedOutAt : saysNo ? leftAt : null,
    confirmedAt: before.confirmedAt ?? row.confirmedAt ?? null,
  };
}
