import { createHash } from "node:crypto";
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { fileURLToPath } from "node:url";
import { serialize } from "node:v8";
import { afterEach, describe, expect, it } from "vitest";
import { remoteFault, requireKnownTables, SCHEMA_QUERIES } from "../../scripts/lib/schema.mjs";
import { locateState } from "../../scripts/lib/state.mjs";
import { productVersion } from "../../src/core/product-version";
import { latestMigration } from "../../src/db/latest-migration";
import { shardMigrations } from "../../src/engine/workflows/shard/tables";
import { gateMigrations } from "../../src/platform/gate-tables";

const migrations = fileURLToPath(new URL("../../migrations/", import.meta.url).href);

/**
 * The migrations that are out, with what they were when they went out. Databases have had them, and never have them again,
 * so a change of one would reach new installations alone. A new migration is added here with the commit that makes it.
 */
const frozen: Record<string, string> = {
  "0000_tables.sql": "78b2cac981737704f3433b5bfd8b3336e2d3c59bafdfa7409390a26936dfe7b1",
  "0001_trash.sql": "4c4ffa4773063a534903b6b379a025e5372b61a61a9a943449cdc48bcba5db21",
  "0002_trash_order.sql": "fe2396c23639945f06ca40ccd459f03467f0578ab284575e82d29b910645a836",
};

it("a migration that is out never changes", () => {
  const names = readdirSync(migrations).filter((name) => name.endsWith(".sql"));
  const found = names.map((name) => [
    name,
    createHash("sha256")
      .update(readFileSync(join(migrations, name)))
      .digest("hex"),
  ]);
  expect(Object.fromEntries(found), "Leave it as it was, and write another: npm run db:generate").toEqual(frozen);
});

/** The same of the objects' tables, in order. A new migration comes to the end. */
const frozenOfObjects: [object: string, migrations: typeof gateMigrations, hashes: string[]][] = [
  ["gate", gateMigrations, ["6e19f7034773b96a222675e934d47d4ead104fe2cbb1e6e1470742209d95051d"]],
  ["shard", shardMigrations, ["63a705aa8167124124b96b0a42d1753adddef74c81ff046a50a600db206d3204"]],
];

it.each(frozenOfObjects)("a migration of a %s's tables that is out never changes", (_, migrations, hashes) => {
  const found = migrations.map((statements) => createHash("sha256").update(JSON.stringify(statements)).digest("hex"));
  expect(found, "Leave it as it was, and add another at the end, with a test on the state before it").toEqual(hashes);
});

const homes: string[] = [];
afterEach(() => {
  for (const home of homes.splice(0)) rmSync(home, { recursive: true });
});

/** A database as wrangler leaves it, after the given changes by hand. */
function databaseAt(path: string, ...changes: string[]): DatabaseSync {
  const database = new DatabaseSync(path);
  database.exec("CREATE TABLE d1_migrations (id INTEGER PRIMARY KEY, name TEXT UNIQUE)");
  for (const name of Object.keys(frozen)) {
    database.exec(readFileSync(join(migrations, name), "utf8"));
    database.prepare("INSERT INTO d1_migrations (name) VALUES (?)").run(name);
  }
  for (const change of changes) database.exec(change);
  return database;
}

const shapes: [what: string, changes: string[], fault: string][] = [
  ["a column that is missing", ["ALTER TABLE events DROP COLUMN announcements"], "events is of another shape"],
  ["an index that is missing", ["DROP INDEX ix_emails_due"], "ix_emails_due is missing"],
  ["a table of somebody else", ["CREATE TABLE mine (a)"], "mine is not one of ours"],
  [
    "a migration of another version",
    ["INSERT INTO d1_migrations (name) VALUES ('9999_later.sql')"],
    "it has had the migration 9999_later.sql, which this version does not have",
  ],
];

describe("a local state", () => {
  function stateWith(...changes: string[]) {
    const home = mkdtempSync(join(tmpdir(), "petrel-schema-"));
    homes.push(home);
    const folder = join(home, "v3", "d1", "miniflare-D1DatabaseObject");
    mkdirSync(folder, { recursive: true });
    databaseAt(join(folder, `${"a".repeat(64)}.sqlite`), ...changes).close();
    return locateState({ STATE_DIR: home });
  }

  /** With an object as workerd leaves it. */
  function stateWithObject(name: string, version: unknown) {
    const state = stateWith();
    const folder = join(state.folder, "v3", "do", `petrel-${name}`);
    mkdirSync(folder, { recursive: true });
    // What miniflare keeps of all objects of a class.
    new DatabaseSync(join(folder, "metadata.sqlite")).close();
    const database = new DatabaseSync(join(folder, `${"b".repeat(64)}.sqlite`));
    if (version !== undefined) {
      database.exec("CREATE TABLE _cf_KV (key TEXT PRIMARY KEY, value BLOB) WITHOUT ROWID");
      database.prepare("INSERT INTO _cf_KV VALUES ('tables', ?)").run(serialize(version));
    }
    database.close();
    return state;
  }

  it.each([
    ["ProjectGateObject", gateMigrations.length],
    ["WorkflowShardObject", shardMigrations.length],
  ])("with a %s of later code is refused, and the start names npm run reset", async (name, known) => {
    const refused = requireKnownTables(stateWithObject(name, known + 1));
    await expect(refused).rejects.toThrow(
      `the tables of a ${name} are at version ${known + 1}, and this one knows ${known}`,
    );
    await expect(refused).rejects.toThrow("npm run reset");
  });

  it.each([
    ["ProjectGateObject", gateMigrations.length],
    ["WorkflowShardObject", shardMigrations.length],
    ["WorkflowShardObject", undefined],
    ["PaceObject", 9],
  ])("with a %s at version %s is served", async (name, version) => {
    await expect(requireKnownTables(stateWithObject(name, version))).resolves.toBeUndefined();
  });

  it("is refused when the version of an object's tables cannot be read", async () => {
    const refused = requireKnownTables(stateWithObject("ProjectGateObject", "two"));
    await expect(refused).rejects.toThrow('the tables of a ProjectGateObject are at version "two"');
  });

  it("is served when its tables are those of its migrations", async () => {
    await expect(requireKnownTables(stateWith())).resolves.toBeUndefined();
  });

  it.each(shapes)("is refused with %s, and the start names npm run reset", async (_, changes, fault) => {
    const refused = requireKnownTables(stateWith(...changes));
    await expect(refused).rejects.toThrow(fault);
    await expect(refused).rejects.toThrow("npm run reset");
  });
});

describe("a deployed database", () => {
  function answersOf(...changes: string[]) {
    const database = databaseAt(":memory:", ...changes);
    const rows = database.prepare(SCHEMA_QUERIES.rows).all() as { name: string; sql: string }[];
    const applied = database.prepare(SCHEMA_QUERIES.applied).all() as { name: string }[];
    return { rows, applied: applied.map(({ name }) => name) };
  }

  it("is known when it is empty, and when its tables are those of its migrations", async () => {
    expect(await remoteFault({ rows: [], applied: [] })).toBeNull();
    expect(await remoteFault(answersOf())).toBeNull();
  });

  it.each(shapes)("is found out with %s", async (_, changes, fault) => {
    expect(await remoteFault(answersOf(...changes))).toBe(fault);
  });
});

it("the code names the last migration", () => {
  expect(latestMigration).toBe(Object.keys(frozen).toSorted().at(-1));
});

it("the code names the version of package.json", () => {
  const path = fileURLToPath(new URL("../../package.json", import.meta.url).href);
  const { version } = JSON.parse(readFileSync(path, "utf8"));
  expect(productVersion).toBe(version);
});
