import { type SQL, sql } from "drizzle-orm";
import { chunksOf, chunksOfBytes } from "../core/chunks";
import { columnsPerArray, imageOf, keyColumns } from "./capture";
import { beyond, type Key, list, maxBytes, maxLargeRows, maxRows } from "./captured-page";
import type { Db } from "./client";
import { isTakenAlong } from "./move-fence";
import type { ProjectTable } from "./project-tables";
import { asFlag, asJson, asNumber, asText, columns, orNull } from "./rows";
import { inProject, type Owner } from "./scope";
import { type Statement, select, selectOne, statement } from "./statement";

/** The rows of a table as JSON strings, by their keys. */
export type Images = Map<string, string>;

const readImage = columns({ key: asText, image: asText, isFull: asFlag });

/** Consecutive rows of a table, as they are now. */
export interface Page {
  images: Images;
  /** The key after which the next page begins; null at the end of the table. */
  next: Key | null;
}

/**
 * Reads the next rows of a table in the order of their keys: at most a thousand, and not much more than a megabyte. If
 * `upTo` is given, it reads only rows up to that key.
 */
export async function readPage(
  { db, project }: Owner & { db: Db },
  table: ProjectTable,
  after: Key | null,
  upTo: Key | null = null,
): Promise<Page> {
  const limit = table.isLarge ? maxLargeRows : maxRows;
  const own = table.key.map((column) => sql.raw(`t."${column}"`));
  const until =
    upTo === null || own.length === 0
      ? sql``
      : sql`AND (${list(own)}) <= (${list(upTo.map((value) => sql`${value}`))})`;
  const order = own.length === 0 ? sql`` : sql`ORDER BY ${list(own)}`;
  const rows = await select(
    db,
    sql`WITH page AS (
        SELECT row_number() OVER (${order}) AS ordinal, ${keyText(table, "t")} AS key, ${sql.raw(imageOf(table, "t"))} AS image
        FROM ${sql.identifier(table.name)} t WHERE ${inProject({ project }, "t")}${sql.raw(isTakenAlong(table, "t"))}
          ${beyond(own, after)} ${until} ${order} LIMIT ${limit}),
      sized AS (SELECT *, sum(octet_length(image)) OVER (ORDER BY ordinal) AS bytes FROM page)
      SELECT key, image, bytes >= ${maxBytes} AS is_full FROM sized
      WHERE bytes - octet_length(image) < ${maxBytes} ORDER BY ordinal`,
    readImage,
  );
  const last = rows.at(-1);
  const isCut = last !== undefined && (rows.length === limit || last.isFull);
  return {
    images: new Map(rows.map(({ key, image }) => [key, image])),
    next: isCut ? (JSON.parse(last.key) as Key) : null,
  };
}

/** The columns of a row's key as a JSON array. */
function keyText(table: ProjectTable, row: string): SQL {
  return sql.raw(`json_array(${table.key.map((column) => `${row}."${column}"`).join(", ")})`);
}

/** A row that has changed since the move began. */
export interface Note {
  number: number;
  table: string;
  /** The columns of the row's key, as a JSON array. */
  key: string;
}

/** Returns the rows that have changed, in the order of their latest changes, oldest first. */
export async function readNotes(
  { db, project }: Owner & { db: Db },
  tables: readonly ProjectTable[],
  limit: number,
): Promise<Note[]> {
  const found = await select(
    db,
    sql`SELECT number, table_name, json_array(${sql.raw(keyColumns.join(", "))}) AS key FROM moved_keys
      INDEXED BY ix_moved_keys_order WHERE ${inProject({ project })} ORDER BY number LIMIT ${limit}`,
    columns({ number: asNumber, tableName: asText, key: asText }),
  );
  const lengthOf = new Map(tables.map(({ name, key }) => [name, key.length]));
  return found.map(({ number, tableName, key }) => ({
    number,
    table: tableName,
    key: JSON.stringify((JSON.parse(key) as Key).slice(0, lengthOf.get(tableName))),
  }));
}

/** Returns which of the keys belong to rows that have changed since the move began. */
export async function readNoted(
  { db, project }: Owner & { db: Db },
  table: ProjectTable,
  keys: readonly string[],
): Promise<Set<string>> {
  const parts = keyColumns.map(
    (column, index) => `c.${column} = ${index < table.key.length ? `r.value->>${index}` : "''"}`,
  );
  const found = await select(
    db,
    sql`SELECT r.value AS key FROM json_each(${`[${keys.join(",")}]`}) r WHERE EXISTS (SELECT 1 FROM moved_keys c
      WHERE ${inProject({ project }, "c")} AND c.table_name = ${table.name} AND ${sql.raw(parts.join(" AND "))})`,
    columns({ key: asText }),
  );
  return new Set(found.map(({ key }) => key));
}

const readRow = columns({ key: asText, image: orNull(asText) });

/**
 * Selects rows by their keys, up to about a megabyte, so the result can have fewer rows than there are keys. `image` is
 * null for a row that does not exist.
 */
export function selectImages(
  owner: Owner,
  table: ProjectTable,
  keys: readonly string[],
): Statement<{ key: string; image: string | null }> {
  const isIt = table.key.map((column, index) => `AND t."${column}" = r.value->>${index}`).join(" ");
  return statement(
    sql`WITH found AS (
        SELECT r.key AS ordinal, r.value AS key, iif(t.project_id IS NULL, NULL, ${sql.raw(imageOf(table, "t"))}) AS image
        FROM json_each(${`[${keys.join(",")}]`}) r
        LEFT JOIN ${sql.identifier(table.name)} t ON ${inProject(owner, "t")} ${sql.raw(isIt)}${sql.raw(isTakenAlong(table, "t"))}),
      sized AS (SELECT *, sum(coalesce(octet_length(image), 0)) OVER (ORDER BY ordinal) AS bytes FROM found)
      SELECT key, image FROM sized WHERE bytes - coalesce(octet_length(image), 0) < ${maxBytes} ORDER BY ordinal`,
    readRow,
  );
}

/**
 * The maximum total size of the rows that one statement writes, in bytes. The rows are one bound value, and D1 accepts
 * values of up to 2 MB.
 */
const bytesPerStatement = 500_000;

/**
 * Writes rows unchanged. Each replaces the row with the same key, and any other row with the same value in a unique
 * column. The move writes such another row again, because it has also changed in the source database, so its key is
 * noted.
 */
export function replaceRows({ project }: Owner, table: ProjectTable, images: readonly string[]): Statement[] {
  const into = list(table.columns.map((column) => sql`${sql.identifier(column)}`));
  const values = sql.raw(table.columns.map((_, index) => `r.value->>${pathTo(index)}`).join(", "));
  return chunksOfBytes(images, bytesPerStatement, (image) => image).map((some) =>
    statement(
      sql`INSERT OR REPLACE INTO ${sql.identifier(table.name)} (project_id, ${into})
        SELECT ${project.number}, ${values} FROM json_each(${`[${some.join(",")}]`}) r`,
    ),
  );
}

/** Returns the JSON path of a column in an image, which is an array of arrays: see `imageOf`. */
function pathTo(index: number): string {
  return `'$[${Math.floor(index / columnsPerArray)}][${index % columnsPerArray}]'`;
}

/** Deletes rows by their keys. */
export function deleteRows(owner: Owner, table: ProjectTable, keys: readonly string[]): Statement {
  const asked = table.key.map((_, index) => `r.value->>${index}`).join(", ");
  const isAsked =
    table.key.length === 0
      ? sql``
      : sql`AND (${list(table.key.map((column) => sql`${sql.identifier(column)}`))}) IN (SELECT ${sql.raw(asked)}
        FROM json_each(${`[${keys.join(",")}]`}) r)`;
  return statement(
    sql`DELETE FROM ${sql.identifier(table.name)} WHERE ${inProject(owner)}${sql.raw(isTakenAlong(table, table.name))} ${isAsked}`,
  );
}

/** Deletes up to `rows` rows of a table. Returns a row for each. */
export function deleteSome(owner: Owner, table: ProjectTable, rows: number): Statement<unknown> {
  const key = list(["project_id", ...table.key].map((column) => sql`${sql.identifier(column)}`));
  return statement(
    sql`DELETE FROM ${sql.identifier(table.name)} WHERE (${key}) IN (SELECT ${key} FROM ${sql.identifier(table.name)}
      WHERE ${inProject(owner)}${sql.raw(isTakenAlong(table, table.name))} LIMIT ${rows}) RETURNING 1`,
    columns({}),
  );
}

/** Returns the tables in which the project has rows that a move takes along. */
export async function findFilled(
  { db, project }: Owner & { db: Db },
  tables: readonly ProjectTable[],
): Promise<ProjectTable[]> {
  const each = tables.map(
    (table) =>
      sql`EXISTS (SELECT 1 FROM ${sql.identifier(table.name)} WHERE ${inProject({ project })}${sql.raw(isTakenAlong(table, table.name))})`,
  );
  const arrays = chunksOf(each, columnsPerArray).map((some) => sql`json_array(${list(some)})`);
  const { filled } = await selectOne(
    db,
    sql`SELECT json_array(${list(arrays)}) AS filled`,
    columns({ filled: asJson<number[][]>() }),
  );
  const isFilled = filled.flat();
  return tables.filter((_, index) => isFilled[index] === 1);
}
