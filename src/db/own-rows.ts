import { type SQL, sql } from "drizzle-orm";
import type { Id } from "../core/ids";
import { inProject, type Owner } from "./scope";

// Conditions by which a batch recognises that it committed although its answer was lost: see `Batch.recognise`.

/** Returns the SELECT that finds a row by its id, for `Statement.again` of an INSERT or UPDATE that returns the row. */
export function rowById(table: string, owner: Owner, id: Id): SQL {
  return sql`SELECT * FROM ${sql.raw(table)} WHERE ${inProject(owner)} AND id = ${id}`;
}

/**
 * Returns the condition that the row with this id exists. Only this batch can have inserted the row, because the batch
 * made the id.
 */
export function isInserted(table: string, owner: Owner, id: Id): SQL {
  return sql`EXISTS (${rowById(table, owner, id)})`;
}

/**
 * Returns the condition that a row no longer exists, although the call read it before its batch. Another call might
 * have deleted the row meanwhile, but the effect and the answer are the same.
 */
export function isDeleted(table: string, owner: Owner, id: Id): SQL {
  return sql`NOT EXISTS (${rowById(table, owner, id)})`;
}
