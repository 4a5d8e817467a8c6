import { sql } from "drizzle-orm";
import type { Db } from "./client";
import type { ProjectTable } from "./project-tables";
import { asText, columns } from "./rows";
import { inProject, type Owner } from "./scope";
import { type Statement, select, statement } from "./statement";

/**
 * Captures the rows of a project at one moment, while writes continue. One batch creates triggers on all tables of the
 * project, and its commit is that moment. When a row is changed for the first time afterwards, the triggers store its
 * image: the row as it was at that moment, or null if it did not exist. A later reader takes the image of a row if
 * there is one. Otherwise it takes the row itself, which has not changed since.
 *
 * The triggers exist only while the project is being copied, so they do not slow down writes at other times. Their text
 * contains the project's number, because a trigger cannot have parameters.
 */

/** The maximum number of columns in one JSON array. SQLite allows 127 arguments for a function, but D1 documents 32. */
export const columnsPerArray = 30;

/**
 * Returns the SQL that makes the image of a row: an array of arrays with its columns, which `readImage` reads. `row` is
 * the alias of the row in the statement, or `OLD` or `NEW` in a trigger.
 */
export function imageOf({ columns }: ProjectTable, row: string): string {
  const groups = Array.from({ length: Math.ceil(columns.length / columnsPerArray) }, (_, index) =>
    columns.slice(index * columnsPerArray, (index + 1) * columnsPerArray),
  );
  const arrays = groups.map((group) => `json_array(${group.map((name) => `${row}."${name}"`).join(", ")})`);
  return `json_array(${arrays.join(", ")})`;
}

/** Reads an image as values by column name. */
export function readImage({ columns }: ProjectTable, image: string): Record<string, unknown> {
  const values = (JSON.parse(image) as unknown[][]).flat();
  return Object.fromEntries(columns.map((name, index) => [name, values[index]]));
}

export const keyColumns = ["k1", "k2", "k3", "k4"] as const;

/**
 * Returns the values of the four key columns of `captured_rows`, in SQL. A shorter key is padded with empty strings.
 */
export function keyOf({ key }: ProjectTable, row: string): string[] {
  return keyColumns.map((_, index) => (key[index] === undefined ? "''" : `${row}."${key[index]}"`));
}

/**
 * The prefix of the names of a project's triggers. Tools that compare the tables with the migrations ignore triggers
 * with such names.
 */
const prefixOf = (project: number) => `capture_${project}_`;

/**
 * Creates the capture triggers on a project's tables. The captured moment is the commit of the batch with these
 * statements.
 */
export function createCaptures(project: number, tables: readonly ProjectTable[]): Statement[] {
  return tables.flatMap((table) => {
    const note = (row: "OLD" | "NEW", image: string) => {
      const key = keyOf(table, row);
      const isNoted = keyColumns.map((column, index) => `c.${column} = ${key[index]}`).join(" AND ");
      return `INSERT INTO captured_rows (project_id, table_name, k1, k2, k3, k4, image)
        SELECT ${project}, '${table.name}', ${key.join(", ")}, ${image} WHERE NOT EXISTS (SELECT 1 FROM captured_rows c
          WHERE c.project_id = ${project} AND c.table_name = '${table.name}' AND ${isNoted});`;
    };
    const before = note("OLD", imageOf(table, "OLD"));
    const isNew = note("NEW", "NULL");
    const triggers = {
      INSERT: ["NEW", isNew],
      // `isNew` is for an update that changes the key: no row had the new key before.
      UPDATE: ["OLD", `${before} ${isNew}`],
      DELETE: ["OLD", before],
    } as const;
    return Object.entries(triggers).map(([event, [row, body]]) =>
      statement(
        sql.raw(`CREATE TRIGGER ${prefixOf(project)}${table.name}_${event.toLowerCase()} AFTER ${event} ON ${table.name}
          WHEN ${row}.project_id = ${project} BEGIN ${body} END`),
      ),
    );
  });
}

/** Drops the triggers of a project. Looks for them first, because usually there are none. */
export async function dropCaptures(db: Db, project: number): Promise<Statement[]> {
  return dropTriggers(db, prefixOf(project));
}

/** Drops the triggers whose names begin with a prefix. */
export async function dropTriggers(db: Db, prefix: string): Promise<Statement[]> {
  const found = await select(
    db,
    sql`SELECT name FROM sqlite_master WHERE type = 'trigger' AND substr(name, 1, ${prefix.length}) = ${prefix}`,
    columns({ name: asText }),
  );
  return found.map(({ name }) => dropTrigger(name));
}

/** Drops the triggers of a project on these tables without looking for them, for callers that cannot read first. */
export function dropAllCaptures(project: number, tables: readonly ProjectTable[]): Statement[] {
  return tables.flatMap(({ name }) =>
    ["insert", "update", "delete"].map((event) => dropTrigger(`${prefixOf(project)}${name}_${event}`)),
  );
}

function dropTrigger(name: string): Statement {
  return statement(sql.raw(`DROP TRIGGER IF EXISTS ${name}`));
}

/** Deletes up to `rows` captured rows of a project, and returns a row for each. */
export function deleteCaptured(owner: Owner, rows: number): Statement<unknown> {
  return statement(
    sql`DELETE FROM captured_rows WHERE rowid IN (SELECT rowid FROM captured_rows WHERE ${inProject(owner)} LIMIT ${rows})
      AND ${inProject(owner)} RETURNING 1`,
    columns({}),
  );
}
