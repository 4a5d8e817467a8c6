import { asId, isUuid, publicId, readId, textOf } from "../../src/core/ids";
import { recountsAfter } from "./counts";

/** What the rows of each project call it, by the UUID by which all others know it. */
const numbers = new Map<string, number>();

/** `number` is what rows call the project `id`. */
export function knowProject(id: string, number: number): void {
  numbers.set(id, number);
}

/** The projects whose counts a test has made up. */
const madeUp = new Set<number>();

/** The projects whose counts must be right, of those that are known. */
export function countedProjects(): number[] {
  return [...numbers.values()].filter((number) => !madeUp.has(number));
}

/** The projects of a test file are of no concern to the next one. */
export function forgetProjects(): void {
  numbers.clear();
  madeUp.clear();
}

/** An id as rows hold it. A text that is no UUID becomes an id, too: `asSeen` gives it back as it was. */
export function storedId(id: string): string {
  return textOf(readId(id));
}

/**
 * A database as customers know it, for tests that look into it. A UUID that a test binds becomes the stored id, that of a
 * project its number; in the rows, ids are UUIDs again, wherever a column is named `id` or `…_id`. Contacts and events
 * that a test writes itself into the project with this number are counted as the product counts its own.
 */
export function asSeen(real: D1Database, number?: number): D1Database {
  const batch = async (statements: Seen[]): Promise<D1Result[]> => {
    if (number !== undefined && statements.some(({ sql }) => writesCounts.test(sql))) madeUp.add(number);
    const recounts = number === undefined ? [] : recountsAfter(statements.map(({ sql }) => sql));
    const results = await real.batch<Row>([
      ...statements.map((statement) => statement.real),
      ...recounts.map((sql) => real.prepare(sql).bind(number)),
    ]);
    return results
      .slice(0, statements.length)
      .map((result) => ({ ...result, results: result.results?.map(seenRow) ?? [] }));
  };
  const see = (sql: string, statement: D1PreparedStatement): Seen => {
    const run = async () => (await batch([seen]))[0];
    const seen = {
      sql,
      real: statement,
      bind: (...values: unknown[]) => see(sql, statement.bind(...values.map((value) => storedValue(sql, value)))),
      all: run,
      run,
      first: async (column?: string) => {
        const row = (await run())?.results[0] as Row | undefined;
        if (row === undefined) return null;
        return column === undefined ? row : row[column];
      },
    };
    return seen;
  };
  // Tests call nothing else.
  return { prepare: (sql: string) => see(sql, real.prepare(sql)), batch } as unknown as D1Database;
}

const writesCounts = /\b(INSERT INTO|UPDATE|DELETE FROM) (project_counts|event_names|event_days)\b/;

type Row = Record<string, unknown>;

interface Seen {
  sql: string;
  real: D1PreparedStatement;
}

function storedValue(sql: string, value: unknown): unknown {
  if (typeof value !== "string" || !isUuid(value)) return value;
  const number = numbers.get(value);
  if (number === undefined) return storedId(value);
  // There, a project has both.
  return /\b(FROM|UPDATE|JOIN) projects\b/.test(sql) ? value : number;
}

function seenRow(row: Row): Row {
  return Object.fromEntries(
    Object.entries(row).map(([column, value]) => [column, /(^|_)id$/.test(column) ? seenId(column, value) : value]),
  );
}

function seenId(column: string, value: unknown): unknown {
  if (column === "project_id" && typeof value === "number") {
    return [...numbers].findLast(([, number]) => number === value)?.[0] ?? value;
  }
  if (typeof value !== "string") return value;
  return /^([-0-9A-Z_a-z]{22}|!.*)$/s.test(value) ? publicId(asId(value)) : value;
}
