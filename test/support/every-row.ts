import { databaseOf, shards } from "./database";
import type { TestProject } from "./project";

/** Tables of which everything counts, not only what is the project's. */
const ofInstallation = [
  "projects",
  "api_keys",
  "people",
  "sessions",
  "sign_in_links",
  "passkeys",
  "used_challenges",
  "monitor_keys",
  "dead_letters",
];

/** The note that a key was used, or a session. */
const noted = "last_used_at";

/** A table, and its columns in the order in which the statement has their values. */
interface Read {
  table: string;
  columns: string[];
}

/** One statement for all tables of a database: local D1 takes ten times as long for one each. */
interface Reading {
  sql: string;
  reads: Read[];
}

/**
 * Every row of a project and of the control tables, by table, but for the note that a key was used. `without` has tables that
 * grow with every project and that the test does not compare.
 */
export async function everyRow({ number }: TestProject, without: string[] = []): Promise<Record<string, string[]>> {
  const found: Record<string, string[]> = {};
  for (const shard of shards) {
    const { sql, reads } = await readingOf(shard, without);
    const [values = []] = await databaseOf(shard).prepare(sql).bind(number).raw<string[]>();
    reads.forEach(({ table, columns }, index) => {
      const rows: unknown[][][] = JSON.parse(values[index] ?? "[]");
      if (rows.length > 0) found[`${shard}.${table}`] = rows.map((row) => textOf(columns, row.flat()));
    });
  }
  return found;
}

function textOf(columns: string[], values: unknown[]): string {
  return JSON.stringify(Object.fromEntries(columns.map((column, index) => [column, values[index]])));
}

const readings = new Map<string, Promise<Reading>>();

function readingOf(shard: string, without: string[]): Promise<Reading> {
  const name = [shard, ...without].join(" ");
  const known = readings.get(name) ?? newReading(shard, without);
  readings.set(name, known);
  return known;
}

async function newReading(shard: string, without: string[]): Promise<Reading> {
  const whole = shard === "DB" ? ofInstallation : [];
  const { results } = await databaseOf(shard)
    .prepare(
      // The columns of the database's own tables may not be asked.
      `SELECT t.name AS "table", json_group_array(c.name) AS columns FROM sqlite_master t, pragma_table_info(t.name) c
        WHERE t.type = 'table' AND (t.sql LIKE '%project_id%' OR t.name IN (SELECT value FROM json_each(?1)))
          AND t.name NOT IN (SELECT value FROM json_each(?2)) AND c.name <> ?3
        GROUP BY t.name ORDER BY t.name`,
    )
    .bind(JSON.stringify(whole), JSON.stringify(without), noted)
    .all<{ table: string; columns: string }>();
  const reads = results.map(({ table, columns }): Read => ({ table, columns: JSON.parse(columns) }));
  const parts = reads.map(({ table, columns }) => {
    // The log of the installation is that of project 0.
    const projects = table === "audit_entries" ? "IN (?1, 0)" : "= ?1";
    const where = whole.includes(table) ? "" : ` WHERE project_id ${projects}`;
    return `(SELECT json_group_array(${valuesOf(columns)}) FROM ${table}${where})`;
  });
  return { sql: `SELECT ${parts.join(", ")}`, reads };
}

/** An array of arrays: a function of SQLite takes no more than 32 values. */
function valuesOf(columns: string[]): string {
  const groups = [];
  for (let from = 0; from < columns.length; from += 30) {
    groups.push(`json_array(${columns.slice(from, from + 30).map((column) => `"${column}"`)})`);
  }
  return `json_array(${groups})`;
}
