import { getTableName, type InferSelectModel, type SQL, sql } from "drizzle-orm";
import { NotFound } from "../core/errors";
import type { Id } from "../core/ids";
import type { Identified } from "../core/resource";
import type { Db } from "./client";
import { rowById } from "./own-rows";
import { wholeRow } from "./rows";
import type { Owner } from "./scope";
import { selectFirst } from "./statement";
import type { TenantTable } from "./write-row";

/** Returns a row of the project by its id; null when there is none, or when `onlyIf` does not hold for it. */
export function findRow<Table extends TenantTable>(
  ctx: Owner & { db: Db },
  table: Table,
  id: Id,
  onlyIf?: SQL,
): Promise<InferSelectModel<Table> | null> {
  const row = rowById(getTableName(table), ctx, id);
  return selectFirst(ctx.db, onlyIf ? sql`${row} AND ${onlyIf}` : row, wholeRow(table));
}

/** Returns a row like `findRow`, but throws NotFound when there is none. */
export async function getRow<Table extends TenantTable>(
  ctx: Owner & { db: Db },
  table: Table,
  resource: Identified,
  id: Id,
  onlyIf?: SQL,
): Promise<InferSelectModel<Table>> {
  const row = await findRow(ctx, table, id, onlyIf);
  if (row === null) throw new NotFound(resource, id);
  return row;
}
