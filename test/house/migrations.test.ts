import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { breaksOf } from "../../scripts/lib/additive.mjs";
import { lastRelease } from "../../scripts/lib/last-release.mjs";
import { shardMigrations, shardReadableFrom } from "../../src/engine/workflows/shard/tables";
import { gateMigrations, gateReadableFrom } from "../../src/platform/gate-tables";
import type { TableMigrations } from "../../src/platform/object-tables";

const folder = fileURLToPath(new URL("../../migrations/", import.meta.url).href);

describe("for the Worker of the last release, which runs while this one is deployed and after a rollback,", () => {
  it("migrations of the databases only add", () => {
    const names = readdirSync(folder).filter((name) => name.endsWith(".sql"));
    const files = names.toSorted().map((name) => ({ name, sql: readFileSync(join(folder, name), "utf8") }));
    expect(names).toContain(lastRelease.migration);
    const released = files.filter(({ name }) => name <= lastRelease.migration).map(({ sql }) => sql);
    const later = files.filter(({ name }) => name > lastRelease.migration);
    expect(breaksOf(released, later, lastRelease.unused)).toEqual([]);
  });

  it.each<[object: "gate" | "shard", migrations: TableMigrations, readableFrom: number]>([
    ["gate", gateMigrations, gateReadableFrom],
    ["shard", shardMigrations, shardReadableFrom],
  ])(
    "migrations of the tables of a %s only add, from the version on that they are readable from",
    (object, migrations, readableFrom) => {
      expect(readableFrom, "Code of the last release would refuse its objects").toBeLessThanOrEqual(
        Math.min(lastRelease.objectTables[object], migrations.length),
      );
      const later = migrations.slice(readableFrom).map((statements, index) => ({
        name: `Migration ${readableFrom + index + 1} of a ${object}`,
        sql: statements.join(";"),
      }));
      expect(breaksOf(migrations.slice(0, readableFrom).flat(), later, lastRelease.unused)).toEqual([]);
    },
  );
});

const tables = [
  "CREATE TABLE mails (id TEXT PRIMARY KEY, status TEXT NOT NULL, note TEXT, more TEXT, CHECK (status <> ''))",
  "CREATE INDEX ix_mails_status ON mails (status)",
  "CREATE UNIQUE INDEX ux_mails_note ON mails (note)",
];

it.each<[what: string, sql: string]>([
  [
    "a table with its unique index",
    "CREATE TABLE notes (id TEXT NOT NULL); CREATE UNIQUE INDEX ux_notes ON notes (id)",
  ],
  ["a column that may be NULL", "ALTER TABLE mails ADD COLUMN opened_at INTEGER"],
  [
    "two columns with a default",
    "ALTER TABLE mails ADD COLUMN a TEXT NOT NULL DEFAULT ''; ALTER TABLE mails ADD COLUMN b INTEGER NOT NULL DEFAULT 0",
  ],
  ["an index", "CREATE INDEX ix_mails_note ON mails (note) WHERE note IS NOT NULL"],
  ["rows of a new table", "CREATE TABLE notes (id TEXT); INSERT INTO notes SELECT note FROM mails; DELETE FROM notes"],
  ["values in a new column", "ALTER TABLE mails ADD COLUMN a TEXT; UPDATE mails SET a = note"],
])("%s only adds", (_, sql) => {
  expect(breaksOf(tables, [{ name: "0001.sql", sql }])).toEqual([]);
});

it("what one new migration adds may be filled, changed and taken away by the next ones", () => {
  const files = [
    "ALTER TABLE mails ADD COLUMN a TEXT; CREATE INDEX ix_mails_a ON mails (a); CREATE TABLE notes (id TEXT)",
    "UPDATE mails SET a = note; INSERT INTO notes SELECT id FROM mails; DROP INDEX ix_mails_a",
    "CREATE INDEX ix_mails_a ON mails (a, id); DROP TABLE notes",
    "DROP INDEX ix_mails_a; ALTER TABLE mails DROP COLUMN a",
  ];
  expect(
    breaksOf(
      tables,
      files.map((sql, n) => ({ name: `000${n + 1}.sql`, sql })),
    ),
  ).toEqual([]);
});

it("a fault is told of the file that has it, and of no later one", () => {
  const files = ["CREATE UNIQUE INDEX ux ON mails (status)", "CREATE TABLE notes (id TEXT)"];
  const found = breaksOf(
    tables,
    files.map((sql, n) => ({ name: `000${n + 1}.sql`, sql })),
  );
  expect(found).toEqual([expect.stringMatching(/^0001\.sql makes ux unique over mails/)]);
});

const anew = (columns: string, others = "") =>
  `CREATE TABLE new_mails (${columns}); INSERT INTO new_mails SELECT id, status, note, more${others} FROM mails;
   DROP TABLE mails; ALTER TABLE new_mails RENAME TO mails`;

it.each<[what: string, sql: string, fault: string]>([
  [
    "a dropped table",
    "DROP TABLE mails",
    "drops the table mails, which the last release uses. Stop using it in one release",
  ],
  ["a renamed table", "ALTER TABLE mails RENAME TO letters", "takes away the table mails"],
  ["a dropped column", "ALTER TABLE mails DROP COLUMN more", "takes away the column mails.more"],
  ["a renamed column", "ALTER TABLE mails RENAME COLUMN note TO remark", "takes away the column mails.note"],
  ["a dropped index", "DROP INDEX ix_mails_status", "drops the index ix_mails_status of mails"],
  [
    "an index made anew",
    "DROP INDEX ix_mails_status; CREATE INDEX ix_mails_status ON mails (note)",
    "makes another index of ix_mails_status",
  ],
  ["a unique index", "CREATE UNIQUE INDEX ux ON mails (status)", "makes ux unique over mails"],
  ["a trigger", "CREATE TRIGGER t BEFORE INSERT ON mails BEGIN SELECT raise(FAIL, 'no'); END", "makes the trigger t"],
  ["deleted rows", "DELETE FROM mails WHERE note IS NULL", "deletes rows of mails"],
  ["changed values", "UPDATE mails SET status = upper(status)", "changes values of mails.status"],
  [
    "changed values beside new ones",
    "ALTER TABLE mails ADD COLUMN a TEXT; UPDATE mails SET a = note, note = NULL",
    "changes values of mails.note, which the last release reads. Write into a new column,",
  ],
  ["added rows", "INSERT INTO mails SELECT id || '2', status, NULL, more FROM mails", "adds rows to mails"],
  ["replaced rows", "INSERT OR REPLACE INTO mails SELECT id, status, NULL, more FROM mails", "adds rows to mails"],
  [
    "a table made anew",
    anew("id TEXT PRIMARY KEY, status TEXT NOT NULL, note TEXT, more TEXT"),
    "drops the table mails",
  ],
  [
    "a column that must be set",
    anew("id TEXT PRIMARY KEY, status TEXT NOT NULL, note TEXT NOT NULL, more TEXT"),
    "from TEXT to TEXT NOT NULL",
  ],
  [
    "a new column that must be set",
    anew("id TEXT PRIMARY KEY, status TEXT NOT NULL, note TEXT, more TEXT, other TEXT NOT NULL", ", ''"),
    "adds the column mails.other as NOT NULL without a DEFAULT",
  ],
  [
    "another constraint",
    anew("id TEXT PRIMARY KEY, status TEXT NOT NULL, note TEXT, more TEXT, CHECK (status <> ''), CHECK (note <> '')"),
    "changes the constraints of mails",
  ],
])("%s is refused, with what to do instead", (_, sql, fault) => {
  const found = breaksOf(tables, [
    { name: "0001.sql", sql: "CREATE TABLE notes (id TEXT)" },
    { name: "0002.sql", sql },
  ]);
  expect(found.every((one) => one.startsWith("0002.sql "))).toBe(true);
  expect(found.join("\n")).toContain(fault);
});

it.each<[what: string, sql: string, unused: string[]]>([
  ["a column", "ALTER TABLE mails DROP COLUMN more", ["mails.more"]],
  ["an index", "DROP INDEX ix_mails_status", ["ix_mails_status"]],
  ["the values of a column", "UPDATE mails SET more = NULL", ["mails.more"]],
  ["a table with its indexes", "DROP TABLE mails", ["mails"]],
])("%s may go when the last release no longer names it", (_, sql, unused) => {
  expect(breaksOf(tables, [{ name: "0001.sql", sql }])).not.toEqual([]);
  expect(breaksOf(tables, [{ name: "0001.sql", sql }], unused)).toEqual([]);
});
