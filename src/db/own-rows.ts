import { type SQL, sql } from "drizzle-orm";
import type { Id } from "../core/ids";
import { inProject, type Owner } from "./scope";

// Conditions by which a batch recognises that it committed although its answer was lost: see `Batch.recognise`.

/** Returns the SELECT that finds a row by its id: `Statement.again` of an INSERT or UPDATE that returns the row. */
export function rowById(table: string, owner: Owner, id: Id): SQL {
  return sql`SELECT * FROM ${sql.raw(table)} WHERE ${inProject(owner)} AND id = ${id}`;
}

/** Returns the condition that a row exists which only this batch inserts, because the batch made its id. */
export function isInserted(table: string, owner: Owner, id: Id): SQL {
  return sql`EXISTS (${rowById(table, owner, id)})`;
}

/**
 * Returns the condition that a row which the call read before its batch no longer exists. Another call may have deleted
 * the row meanwhile, but the effect and the answer are the same.
 */
export function isDeleted(table: string, owner: Owner, id: Id): SQL {
  return sql`NOT EXISTS (${rowById(table, owner, id)})`;
}
