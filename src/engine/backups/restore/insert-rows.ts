import { sql } from "drizzle-orm";
import type { ProjectTable } from "../../../db/project-tables";
import { type Statement, statement } from "../../../db/statement";
import { BadBackup } from "./bad-backup";
import type { Row } from "./read-part";

const rowsPerStatement = 250;
/**
 * The maximum total length of the rows that one statement passes, in characters. D1 takes values of up to 2 MB. A
 * single row that is longer gets its own statement.
 */
const maxCharacters = 500_000;

/**
 * Returns the statements that insert rows of a table. Each statement passes its rows as one value. A column that the
 * backup does not have gets its default. Throws BadBackup if the rows do not all have the same columns.
 */
export function insertRows(project: number, table: ProjectTable, rows: readonly Row[]): Statement[] {
  const [first] = rows;
  if (first === undefined) return [];
  const columns = table.columns.filter((column) => first[column] !== undefined);
  if (
    rows.some((row) => columns.length !== Object.keys(row).length || columns.some((name) => row[name] === undefined))
  ) {
    throw new BadBackup(`The rows of ${table.name} do not all have the same columns.`);
  }
  const written = rows.map((row) => JSON.stringify(columns.map((column) => row[column])));
  const into = sql.join(
    columns.map((column) => sql.identifier(column)),
    sql`, `,
  );
  const values = sql.raw(columns.map((_, index) => `r.value->>${index}`).join(", "));
  return inStatements(written).map((some) =>
    statement(
      sql`INSERT INTO ${sql.identifier(table.name)} (project_id, ${into})
        SELECT ${project}, ${values} FROM json_each(${`[${some.join(",")}]`}) r`,
    ),
  );
}

function inStatements(written: string[]): string[][] {
  const groups: string[][] = [];
  let size = 0;
  for (const row of written) {
    const group = groups.at(-1);
    if (group === undefined || group.length === rowsPerStatement || size + row.length > maxCharacters) {
      groups.push([row]);
      size = row.length;
    } else {
      group.push(row);
      size += row.length;
    }
  }
  return groups;
}
