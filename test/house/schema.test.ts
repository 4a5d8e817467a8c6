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
  "0000_tables.sql": "a34a310a6ac2257af80d6981be89fdb3747e730adae494c91474e3d02616d574",
  "0001_passkeys.sql": "a369b57484819b1419e107efcc936eb27462de970a4f46cae28d92409f7952e8",
  "0002_restores.sql": "54dc7bab55e5c4478384e805a606c650dc3e26aed1933106e9d093f23147e361",
  "0003_moves.sql": "bb30ebb3d1efb4d59c628d1532fe9afe1664b0612036340051651ea6e02325a1",
  "0004_fewer_rows.sql": "6cdab24f94d229d84cd9d0995caf725599c63576f916041faa3d9b9d0ac81db2",
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
  [
    "gate",
    gateMigrations,
    [
      "fabd0339b9e4b6ff62aaa6135936a8b2e61136f3565ac6879bd63dd961c8748d",
      "7c1ae6d179e08ae90a7ef5e20895b991789f97315d7d11e663f195a6292fdebb",
    ],
  ],
  [
    "shard",
    shardMigrations,
    [
      "292c4ab5fb61f743b7086a92d519b3483c6eeb70278944409d405f0eab21bd64",
      "b52ef892d369ff8027f360800acca18c80590b341e0b0448ee7e96f4e595dbbc",
    ],
  ],
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
    ["WorkflowShardObject", 1],
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
