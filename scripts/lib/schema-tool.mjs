import { readFileSync } from "node:fs";
import { DatabaseSync } from "node:sqlite";
import { deserialize } from "node:v8";

// Runs on the lockfile's Node, which has SQLite; see schema.mjs. Reads a question from stdin, and writes the answer to
// stdout.

/**
 * Selects our tables and indexes, by name. SQLite keeps the text of each as it was written. Triggers of a backup are
 * left out, because they come and go.
 */
const SCHEMA = `SELECT type, name, sql FROM sqlite_master
  WHERE sql IS NOT NULL AND name NOT LIKE 'sqlite\\_%' ESCAPE '\\' AND name NOT LIKE '\\_cf\\_%' ESCAPE '\\' AND name <> 'd1_migrations'
    AND substr(name, 1, 8) <> 'capture_'`;

const { migrations, databases } = JSON.parse(readFileSync(0, "utf8"));
const KNOWN = databases.some(({ object }) => object !== undefined) ? await versionsOfObjects() : {};
process.stdout.write(
  JSON.stringify(databases.map((one) => (one.object === undefined ? faultOf(one) : faultOfObject(one)))),
);

/** Returns the classes of objects with tables, and the version that this code knows. A deploy sees no objects. */
async function versionsOfObjects() {
  const { gateMigrations } = await import("../../src/platform/gate-tables.ts");
  const { shardMigrations } = await import("../../src/engine/workflows/shard/tables.ts");
  return { ProjectGateObject: gateMigrations.length, WorkflowShardObject: shardMigrations.length };
}

/**
 * Returns a sentence about a database whose tables differ from those that its migrations build; null when they do not.
 */
function faultOf({ file, rows, applied }) {
  const found = file === undefined ? { rows, applied } : read(file);
  const stranger = found.applied.find((name) => !migrations.some((known) => known.name === name));
  if (stranger !== undefined) return `it has had the migration ${stranger}, which this version does not have`;
  const expected = built(found.applied);
  const actual = new Map(found.rows.map(({ name, sql }) => [name, normal(sql)]));
  for (const [name, sql] of expected) {
    if (!actual.has(name)) return `${name} is missing`;
    if (actual.get(name) !== sql) return `${name} is of another shape`;
  }
  const more = [...actual.keys()].find((name) => !expected.has(name));
  return more === undefined ? null : `${more} is not one of ours`;
}

/**
 * Returns a sentence about an object with tables of a later version. See src/platform/object-tables.ts, which stores
 * that version.
 */
function faultOfObject({ file, object }) {
  const known = KNOWN[object];
  if (known === undefined) return null;
  const version = versionIn(file);
  if (Number.isInteger(version) && version <= known) return null;
  return `the tables of a ${object} are at version ${JSON.stringify(version)}, and this one knows ${known}`;
}

/** Zero for tables from before there were versions, and for an object without tables. */
function versionIn(file) {
  const database = new DatabaseSync(file, { readOnly: true });
  try {
    if (database.prepare("SELECT 1 FROM sqlite_master WHERE name = '_cf_KV'").get() === undefined) return 0;
    const row = database.prepare("SELECT value FROM _cf_KV WHERE key = 'tables'").get();
    return row === undefined ? 0 : deserialize(row.value);
  } finally {
    database.close();
  }
}

function read(file) {
  const database = new DatabaseSync(file);
  try {
    const isNoted = database.prepare("SELECT 1 FROM sqlite_master WHERE name = 'd1_migrations'").get() !== undefined;
    const applied = isNoted ? database.prepare("SELECT name FROM d1_migrations ORDER BY id").all() : [];
    return { rows: database.prepare(SCHEMA).all(), applied: applied.map(({ name }) => name) };
  } finally {
    database.close();
  }
}

function built(applied) {
  const database = new DatabaseSync(":memory:");
  for (const { name, sql } of migrations) if (applied.includes(name)) database.exec(sql);
  const rows = database.prepare(SCHEMA).all();
  database.close();
  return new Map(rows.map(({ name, sql }) => [name, normal(sql)]));
}

/** Normalizes a statement, because tools write the same table with different blanks and quotes. */
function normal(sql) {
  return sql
    .replace(/--[^\n]*/g, "")
    .replace(/["`]/g, "")
    .replace(/\s+/g, " ")
    .replace(/ ?([(),]) ?/g, "$1")
    .trim();
}
