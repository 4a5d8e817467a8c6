import { type SQL, sql } from "drizzle-orm";
import { isAtHome } from "../db/at-home";
import { beyond, type Key, list } from "../db/captured-page";
import type { Db } from "../db/client";
import { maxRowsPerStatement } from "../db/limits";
import { asFlag, asJson, columns, orNull } from "../db/rows";
import { selectOne } from "../db/statement";
import type { Platform } from "./context";
import { maxSweptRows, sweepDatabases } from "./sweep";

/** Rows of all projects that are due, in the order of an index. */
export interface DueRows {
  /** A FROM clause with the index and a condition. */
  rows: SQL;
  /** The columns of the index: the due time, then those that order rows with the same due time. */
  order: readonly string[];
  /** The columns of the table's key. */
  key: readonly string[];
  /**
   * The condition for rows that this sweep handles, and the column that the condition reads. Without `home`, the sweep
   * handles all projects that live here.
   */
  home?: { condition: SQL; column: string };
}

/**
 * Sweeps the due rows of projects that live in the database. Rows that a move has left behind its fence may stay due
 * for an hour, and there may be a million of them, so no statement skips more than 25,000. `take` gets a SELECT of the
 * keys of at most `limit` rows, and returns how many rows it took.
 */
export function sweepAtHome(
  platform: Platform,
  due: DueRows,
  take: (db: Db, rows: SQL) => Promise<number>,
  limit = maxSweptRows,
): Promise<void> {
  const firstKeys = new Map<Db, Key>();
  return sweepDatabases(platform, async (db) => {
    const { isFenced, first } = await findFirst(platform, db, due, firstKeys.get(db) ?? null);
    if (!isFenced)
      return take(db, sql`SELECT ${columnsOf(due.key)} ${due.rows} ORDER BY ${columnsOf(due.order)} LIMIT ${limit}`);
    if (first === null) return 0;
    firstKeys.set(db, first);
    const order = columnsOf(due.order);
    const window = sql`SELECT ${columnsOf(windowOf(due, due.key))} ${due.rows} AND (${order}) >= (${list(first.map((value) => sql`${value}`))})
      ORDER BY ${order} LIMIT ${maxRowsPerStatement}`;
    const taken = await take(
      db,
      sql`SELECT ${columnsOf(due.key)} FROM (${window}) WHERE ${homeOf(due)} LIMIT ${limit}`,
    );
    // Even if this statement took only a few rows, more due rows may follow the rows of a fenced project. The sweep
    // continues when the result is `maxSweptRows`.
    return taken > 0 && limit === maxSweptRows ? maxSweptRows : taken;
  });
}

const readFirst = columns({ isFenced: asFlag, first: orNull(asJson<Key>()), last: orNull(asJson<Key>()) });

/**
 * The maximum number of rows in a window. If no row in it belongs to a project that lives here, the window is read
 * twice, because its last row is needed too.
 */
const rowsInWindow = Math.floor(maxRowsPerStatement / 2);

/**
 * Finds the first due row, after the key `from`, of a project that lives here. If no project is fenced, there is
 * nothing to search, because every row qualifies.
 */
async function findFirst(
  { spent }: Platform,
  db: Db,
  due: DueRows,
  from: Key | null,
): Promise<{ isFenced: boolean; first: Key | null }> {
  const order = columnsOf(due.order);
  const all = columnsOf(windowOf(due, [...due.order, ...due.key]));
  for (let after = from; spent.hasLeft(); ) {
    const window = sql`SELECT ${all} ${due.rows} ${beyond(partsOf(due.order), after)} ORDER BY ${order} LIMIT ${rowsInWindow}`;
    const { isFenced, first, last } = await selectOne(
      db,
      sql`SELECT is_fenced, first, iif(is_fenced AND first IS NULL,
          (SELECT json_array(${order}) FROM (${window}) LIMIT 1 OFFSET ${rowsInWindow - 1}), NULL) AS last
        FROM (SELECT is_fenced, iif(is_fenced,
            (SELECT json_array(${order}) FROM (${window}) WHERE ${homeOf(due)} LIMIT 1), NULL) AS first
          FROM (SELECT EXISTS (SELECT 1 FROM moves WHERE stage = 'fenced') AS is_fenced))`,
      readFirst,
    );
    if (!isFenced || first !== null || last === null) return { isFenced, first };
    after = last;
  }
  return { isFenced: true, first: null };
}

function homeOf({ home }: DueRows): SQL {
  return home?.condition ?? isAtHome();
}

/** Returns these columns and the one that the condition of `home` reads. */
function windowOf({ home }: DueRows, names: readonly string[]): string[] {
  return [...new Set([...names, ...(home ? [home.column] : [])])];
}

function partsOf(names: readonly string[]): SQL[] {
  return names.map((name) => sql.raw(name));
}

function columnsOf(names: readonly string[]): SQL {
  return list(partsOf(names));
}
