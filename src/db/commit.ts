import type { SQL } from "drizzle-orm";
import { type Db, dialect } from "./client";

/** Turns an `sql` template, or any drizzle query, into a statement for a batch. */
export function statement(db: Db, query: SQL | { getSQL(): SQL }): D1PreparedStatement {
  const { sql, params } = dialect.sqlToQuery("getSQL" in query ? query.getSQL() : query);
  return db.$client.prepare(sql).bind(...params);
}

/**
 * Runs several statements as one D1 batch, which is our transaction: in order, all or nothing, one round trip.
 * Each statement sees the changes of those before it. Returns the rows of each.
 */
export async function commit(db: Db, statements: D1PreparedStatement[]): Promise<Record<string, unknown>[][]> {
  const results = await db.$client.batch<Record<string, unknown>>(statements);
  return results.map((result) => result.results);
}

/** The rows of one `sql` statement outside of a batch. */
export async function query(db: Db, statementSql: SQL): Promise<Record<string, unknown>[]> {
  return (await statement(db, statementSql).all()).results;
}
