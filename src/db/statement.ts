import { type SQL, sql } from "drizzle-orm";
import type { Id } from "../core/ids";
import type { Queued } from "../core/messages";
import { type Db, dialect } from "./client";
import type { RawRow, RowReader } from "./rows";
import { DatabaseAway, troubleOf } from "./trouble";

/**
 * One statement of a batch, as a value: it does nothing until its batch is committed. The function that makes it is
 * named after the SQL (`insertEmails`). `Row` is the type of its rows; without a reader, a statement returns none.
 */
export interface Statement<Row = unknown> {
  readonly sql: SQL;
  readonly read: RowReader<Row>;
  /** Errors for the caller when SQLite refuses the statement. */
  readonly refusals: readonly StatementRefusal[];
  /** Statements that the batch runs right before this one, such as those that update counters. */
  readonly before?: readonly Statement[];
  /** Reads the rows as events. Events with a listener are announced after the commit. */
  readonly announces?: RowReader<InsertedEvent>;
  /**
   * A SELECT that finds the rows of an INSERT or UPDATE after its commit. A statement that is itself a SELECT needs
   * none, because it can run again.
   */
  readonly again?: SQL;
  /**
   * Messages about the rows. The batch sends them after the commit. A lost message does no harm, because a sweep finds
   * the rows.
   */
  readonly messages?: (raw: RawRow[]) => Queued[];
}

type StatementOptions = Partial<Pick<Statement, "refusals" | "before" | "announces" | "again" | "messages">>;

/** The error for a failed constraint or guard. `refuse` can read the database for details. */
export interface StatementRefusal {
  on: "guard" | { unique: string } | { check: string };
  refuse: () => Error | Promise<Error>;
}

/** An event row as its insert returns it. */
export interface InsertedEvent {
  projectId: number;
  id: Id;
  hasListener: boolean;
}

export const noRows: RowReader<never> = () => {
  throw new Error("A statement returned rows, but has no reader for them");
};

/** Makes a statement from `sql`. The batch returns its rows if `read` is given. */
export function statement(sql: SQL): Statement<never>;
export function statement<Row>(sql: SQL, read: RowReader<Row>, more?: StatementOptions): Statement<Row>;
export function statement(
  sql: SQL,
  read: RowReader<unknown> = noRows,
  { refusals = [], ...rest }: StatementOptions = {},
): Statement {
  return { sql, read, refusals, ...rest };
}

/** Makes a statement without rows. `refusals` are the errors to throw when SQLite refuses it. */
export function refusable(sql: SQL, ...refusals: StatementRefusal[]): Statement<never> {
  return { sql, read: noRows, refusals };
}

/**
 * Makes a statement that fails its whole batch unless the condition holds. A conditional write cannot do that: if it
 * matches no row, the other statements still run. SQLite can only raise its own errors. A failed guard therefore uses
 * its name as a JSON path that is invalid, and SQLite's error contains the path. The batch fills in the name; see
 * `guardName`.
 */
export function guard(condition: SQL, refuse: StatementRefusal["refuse"]): Statement<never> {
  return { sql: condition, read: noRows, refusals: [{ on: "guard", refuse }] };
}

export function isGuard(one: Statement): boolean {
  return one.refusals[0]?.on === "guard";
}

/**
 * Returns the name of a guard in its batch. It consists of lower-case letters only, because the JSON path that it
 * becomes cannot contain digits.
 */
export function guardName(position: number): string {
  return [...String(position)].map((digit) => String.fromCharCode(97 + Number(digit))).join("");
}

/** Prepares the statement for D1. `position` is its index in the batch. */
export function prepare(db: Db, one: Statement, position = 0): D1PreparedStatement {
  const whole = isGuard(one)
    ? sql`SELECT json_extract('{}', CASE WHEN ${one.sql} THEN '$' ELSE ${guardName(position)} END)`
    : one.sql;
  const { sql: text, params } = dialect.sqlToQuery(whole);
  return db.$client.prepare(text).bind(...params);
}

/** Returns the rows of one SELECT, outside of a batch. */
export async function select<Row>(db: Db, query: SQL, read: RowReader<Row>): Promise<Row[]> {
  db.spent?.spend(1);
  const { results } = await prepare(db, statement(query, read)).all<RawRow>().catch(failRead);
  return results.map(read);
}

/** Throws the error of a failed read. D1 itself has already repeated the read. */
function failRead(error: unknown): never {
  throw troubleOf(error) === null ? error : new DatabaseAway("none", error);
}

/** Returns the row of a SELECT that always returns one, outside of a batch. */
export async function selectOne<Row>(db: Db, query: SQL, read: RowReader<Row>): Promise<Row> {
  const [row] = await select(db, query, read);
  if (row === undefined) throw new Error("A SELECT that always returns a row returned none");
  return row;
}

/** Returns the first row of one SELECT, outside of a batch; null when there is none. */
export async function selectFirst<Row>(db: Db, query: SQL, read: RowReader<Row>): Promise<Row | null> {
  const [row] = await select(db, query, read);
  return row ?? null;
}
