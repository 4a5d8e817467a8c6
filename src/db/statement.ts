import { type SQL, sql } from "drizzle-orm";
import type { Id } from "../core/ids";
import type { Queued } from "../core/messages";
import { type Db, dialect } from "./client";
import type { RawRow, RowReader } from "./rows";
import { DatabaseAway, troubleOf } from "./trouble";

/**
 * A piece of a batch, as a value: it does nothing until its batch is committed. Its name is the name of its SQL
 * (`insertEmails`). `Row` is the type of its rows; without a reader, a statement returns none.
 */
export interface Statement<Row = unknown> {
  readonly sql: SQL;
  readonly read: RowReader<Row>;
  /** The caller's error when SQLite refuses the statement. */
  readonly refusals: readonly StatementRefusal[];
  /** Statements that the batch runs right before this one, such as the counts of its rows. */
  readonly before?: readonly Statement[];
  /** The rows are events. Those with a listener are announced after the commit. */
  readonly announces?: RowReader<InsertedEvent>;
  /** A SELECT that finds the rows of an INSERT after its commit. A SELECT needs none: it is asked again. */
  readonly again?: SQL;
  /** Messages about its rows. The batch sends them after the commit; a sweep does without them. */
  readonly messages?: (raw: RawRow[]) => Queued[];
}

type Rest = Partial<Pick<Statement, "refusals" | "before" | "announces" | "again" | "messages">>;

/** The meaning of a failed constraint or guard. The error may read the database to say more. */
export interface StatementRefusal {
  on: "guard" | { unique: string } | { check: string };
  refuse: () => Error | Promise<Error>;
}

/** An event row as its insert returns it. */
export interface InsertedEvent {
  projectId: number;
  id: Id;
  /** The event has a listener. */
  isHeard: boolean;
}

export const noRows: RowReader<never> = () => {
  throw new Error("A statement returned rows that nobody reads");
};

/** Makes a statement of `sql`. With `read`, the batch returns its rows. */
export function statement(sql: SQL): Statement<never>;
export function statement<Row>(sql: SQL, read: RowReader<Row>, more?: Rest): Statement<Row>;
export function statement(
  sql: SQL,
  read: RowReader<unknown> = noRows,
  { refusals = [], ...rest }: Rest = {},
): Statement {
  return { sql, read, refusals, ...rest };
}

/** A statement without rows, with its meaning when SQLite refuses it. */
export function refusable(sql: SQL, ...refusals: StatementRefusal[]): Statement<never> {
  return { sql, read: noRows, refusals };
}

/**
 * A statement that fails its whole batch unless the condition holds. A conditional write cannot do that: if it matches
 * no row, the other statements still run. SQLite can only raise its own errors, so the guard's name travels as an
 * invalid JSON path, which the batch fills in; see `guardName`.
 */
export function guard(condition: SQL, refuse: StatementRefusal["refuse"]): Statement<never> {
  return { sql: condition, read: noRows, refusals: [{ on: "guard", refuse }] };
}

export function isGuard(one: Statement): boolean {
  return one.refusals[0]?.on === "guard";
}

/** A guard's name in its batch: lower-case letters only, because the JSON path that it becomes takes no digits. */
export function guardName(place: number): string {
  return [...String(place)].map((digit) => String.fromCharCode(97 + Number(digit))).join("");
}

/** Prepares the statement for D1. `place` is its place in the batch. */
export function prepare(db: Db, one: Statement, place = 0): D1PreparedStatement {
  const whole = isGuard(one)
    ? sql`SELECT json_extract('{}', CASE WHEN ${one.sql} THEN '$' ELSE ${guardName(place)} END)`
    : one.sql;
  const { sql: text, params } = dialect.sqlToQuery(whole);
  return db.$client.prepare(text).bind(...params);
}

/** The rows of one SELECT, outside of a batch. */
export async function select<Row>(db: Db, query: SQL, read: RowReader<Row>): Promise<Row[]> {
  db.spent?.spend(1);
  const { results } = await prepare(db, statement(query, read)).all<RawRow>().catch(failRead);
  return results.map(read);
}

/** D1 itself has tried to read again by now. */
function failRead(error: unknown): never {
  throw troubleOf(error) === null ? error : new DatabaseAway("none", error);
}

/** The row of a SELECT that always returns one, outside of a batch. */
export async function selectOne<Row>(db: Db, query: SQL, read: RowReader<Row>): Promise<Row> {
  const [row] = await select(db, query, read);
  if (row === undefined) throw new Error("A SELECT that always returns a row returned none");
  return row;
}

/** The first row of one SELECT, outside of a batch; null when there is none. */
export async function selectFirst<Row>(db: Db, query: SQL, read: RowReader<Row>): Promise<Row | null> {
  const [row] = await select(db, query, read);
  return row ?? null;
}
