import { sql } from "drizzle-orm";
import type { Db } from "./client";
import type { ProjectTable } from "./project-tables";
import { asText, columns } from "./rows";
import { inProject, type Owner } from "./scope";
import { type Statement, select, statement } from "./statement";

/**
 * Captures the rows of a project at one moment, while writes continue. At that moment, one batch creates triggers on
 * all its tables. Before the first change of a row, they store its image, or null for a row that did not exist. A later
 * reader takes the image when there is one. Otherwise it takes the row itself, which has not changed since.
 *
 * The triggers exist only while the project is being copied, so at other times writes cost nothing more. Their text
 * contains the project's number, because a trigger cannot have parameters.
 */

/** SQLite allows 127 arguments of a function, and D1 documents 32. */
export const columnsPerArray = 30;

/** Writes a row as an array of arrays of its columns, for `readImage`. `row` is the row's name in the statement. */
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

/** Returns the four columns of a captured key. A shorter key is padded with empty texts. */
export function keyOf({ key }: ProjectTable, row: string): string[] {
  return keyColumns.map((_, index) => (key[index] === undefined ? "''" : `${row}."${key[index]}"`));
}

/** The prefix of all trigger names. Tools that compare the tables with the migrations leave such triggers out. */
const prefixOf = (project: number) => `capture_${project}_`;

/** Creates the triggers of a project's tables. The commit of their batch is the captured moment. */
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
      // The second row is for a change of the key itself.
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

/** Deletes some captured rows of a project, and returns a row for each. */
export function deleteCaptured(owner: Owner, rows: number): Statement<unknown> {
  return statement(
    sql`DELETE FROM captured_rows WHERE rowid IN (SELECT rowid FROM captured_rows WHERE ${inProject(owner)} LIMIT ${rows})
      AND ${inProject(owner)} RETURNING 1`,
    columns({}),
  );
}
