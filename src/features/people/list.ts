import { sql } from "drizzle-orm";
import { textOf } from "../../core/ids";
import { ById, cursorPage, readCursor } from "../../core/page";
import { asNumber, columns, wholeRow } from "../../db/rows";
import { select, selectFirst } from "../../db/statement";
import { people } from "../../db/tables";
import type { Platform } from "../../platform/context";
import { personJson } from "./person";

/** Lists people, newest first. Only the first page has a `total`. */
export async function listPeople({ control }: Platform, { cursor, limit }: { cursor?: string; limit: number }) {
  const [after = null] = readCursor(cursor, ById) ?? [];
  const isOlder = after === null ? sql`true` : sql`id < ${after}`;
  const total = sql`SELECT count(*) AS total FROM people`;
  const [rows, counted] = await Promise.all([
    select(control, sql`SELECT * FROM people WHERE ${isOlder} ORDER BY id DESC LIMIT ${limit + 1}`, wholeRow(people)),
    after === null ? selectFirst(control, total, columns({ total: asNumber })) : null,
  ]);
  const shown = rows.slice(0, limit);
  const last = rows.length > limit ? shown.at(-1) : undefined;
  return cursorPage(shown.map(personJson), { next: last ? [textOf(last.id)] : null, total: counted?.total ?? 0 });
}
