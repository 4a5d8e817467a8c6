import { type SQL, sql } from "drizzle-orm";
import type { Id } from "../core/ids";

// How a batch finds out that it has committed while its answer was lost: see `Batch.recognise`.

interface Owner {
  project: { number: number };
}

/** The SELECT that finds a row by its id: `Statement.again` of an INSERT or UPDATE that returns it. */
export function rowById(table: string, { project }: Owner, id: Id): SQL {
  return sql`SELECT * FROM ${sql.identifier(table)} WHERE project_id = ${project.number} AND id = ${id}`;
}

/** Whether a row is there that only this batch inserts, because the batch has made its id. */
export function isInserted(table: string, owner: Owner, id: Id): SQL {
  return sql`EXISTS (${rowById(table, owner, id)})`;
}

/**
 * Whether a row is gone that the call has read before its batch. Another call may have deleted it meanwhile: that does the
 * same, so the answer is the same.
 */
export function isDeleted(table: string, owner: Owner, id: Id): SQL {
  return sql`NOT EXISTS (${rowById(table, owner, id)})`;
}
