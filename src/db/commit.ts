import { type SQL, sql } from "drizzle-orm";
import { Conflict } from "../core/errors";
import { type Db, dialect } from "./client";
import { failedGuard } from "./conflicts";

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
  try {
    const results = await db.$client.batch<Record<string, unknown>>(statements);
    return results.map((result) => result.results);
  } catch (error) {
    const guard = failedGuard(error);
    throw guard === null ? error : new GuardFailed(guard, { cause: error });
  }
}

/** A guard of a batch did not hold: nothing of the batch was written. */
export class GuardFailed extends Error {
  override readonly name = "GuardFailed";

  constructor(
    readonly guard: string,
    options: ErrorOptions,
  ) {
    super(`The batch was stopped by its guard: ${guard}`, options);
  }
}

/**
 * A statement that fails its whole batch unless the condition holds. A conditional write cannot do that: one that hits
 * no row lets the rows beside it through. SQLite can only raise errors of its own, so the guard's name travels as a bad
 * JSON path; it has lower-case letters only.
 */
export function guard(db: Db, name: string, condition: SQL): D1PreparedStatement {
  return statement(db, sql`SELECT json_extract('{}', CASE WHEN ${condition} THEN '$' ELSE ${name} END)`);
}

/** The guard that `untilFresh` reads again for. */
export const staleRow = "stale";

/** A guard for a row that was read before: its `version` has not moved since. */
export function unchanged(
  db: Db,
  table: string,
  row: { id: string; projectId: string; version: number },
): D1PreparedStatement {
  const isUnchanged = sql`EXISTS (SELECT 1 FROM ${sql.identifier(table)}
    WHERE project_id = ${row.projectId} AND id = ${row.id} AND version = ${row.version})`;
  return guard(db, staleRow, isUnchanged);
}

/** Of n calls at once each is overtaken n - 1 times at most: so many can never refuse one another. */
const mostTries = 20;
const firstWaitMs = 10;
const longestWaitMs = 200;

/**
 * Reads, decides and commits again for as long as somebody else was faster. It waits a little before, each call another
 * time: those that have just collided would else collide again.
 */
export async function untilFresh<T>(attempt: () => Promise<T>, random: () => number): Promise<T> {
  for (let tries = 1; ; tries++) {
    try {
      return await attempt();
    } catch (error) {
      if (!(error instanceof GuardFailed && error.guard === staleRow)) throw error;
      if (tries === mostTries) {
        throw new Conflict("This was changed by others at the same time, again and again. Nothing was written.", {
          suggestion: "Get it as it is now, and send the change again.",
          cause: error,
        });
      }
    }
    const waitMs = random() * Math.min(longestWaitMs, firstWaitMs * 2 ** tries);
    await new Promise((resolve) => setTimeout(resolve, waitMs));
  }
}

/** The rows of one `sql` statement outside of a batch. */
export async function query(db: Db, statementSql: SQL): Promise<Record<string, unknown>[]> {
  return (await statement(db, statementSql).all()).results;
}
