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
  "0000_tables.sql": "16c948eccf002a1203e56036af6acb3e532c8c7636799a6ef85b07b4a7f82162",
  "0001_workflow-documents.sql": "a4f876b21f6336b6c25bea17ec00fac5bfd3388b9a336ee0b18ebe5b3165b155",
  "0002_postal-address.sql": "e78b2b1c39b21b97cc70cc308a27562fac6489a2047ce0bbdeb37d964ad37dfa",
  "0003_mistakes.sql": "4bb8cc3376f3fa1aa7d299edec2e1de05dac1c410bba7f8cf529735a5be66daf",
  "0004_questions.sql": "8eed0964560ca7596ca63218941fb9db8f52f6ca0166ba4161cb37620f482fab",
  "0005_caps.sql": "9b52691d4290cd20dff70ef44a222346fa2e138a485992f44ff0b2201fe038af",
  "0006_mail-lookup.sql": "24ff210282a019fc845cb0839cd218290aed419f6fe7babad4a64ed38fb8d164",
  "0007_public-causes.sql": "334a46a8d7da90dc5286680894cb360638c70245ced38c60d3c10e34af58600c",
  "0008_moves-with-time.sql": "fe66884a25ee374a61e53a4a1ee7c2e4f4f23e9a1526d1f376c73f9766a073a7",
  "0009_people.sql": "ce4ea23bc4c293d27b69614ddfd2797bbdad2073cb218eb15bacb0e71e59d0d6",
  "0010_operating.sql": "8acb18109b4a6b4cf571468053fd3edab8c056676ecc50d0bbc46773b7ae85cb",
  "0011_people-of-projects.sql": "afdc7f5c09e8f3a0fd7244ce8e03308947959a50219e1274791a7e6f89c9fa1a",
  "0012_lists-and-hours.sql": "29d44275e55949a66604ec1acb48a6b5a3e350b23ac868b00c35ba71a0c3a65c",
  "0013_attention.sql": "9571e351b6d0ed1196857dacc13b81c097ddc1a4b9d13fc7a4e268d37d18ce24",
  "0017_files.sql": "f80f2dbf92a47140bb602f6fefca992ac74c95924a28cf3ab904e8934320f529",
  "0018_import-changes.sql": "a0bb198cc86e066e58d9f059c8ef091da13f3a1e4f92fb8aa4ef61155799af3a",
  "0019_backups.sql": "77bbe861b8e174bc1d669008049588046b9512553c0a40daa3f8c4aaf2931d90",
  "0020_audit.sql": "13e648cdf8f0fb634fb59ada0c4a227463724efc82540f87cf4ac212cba495b4",
  "0021_storage.sql": "e9a792ee1f55a5b96c58dc5f09527633c34bc86279a07ceb880d32c3cfc65c17",
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
      "67c14bb06854fa2f56e273c9cf705dbfdb6d0de0e61d4c226c18c36147cea6df",
      "a109afc9ae6e135f07f280ee163ec584dc37bffdf3839ebe05f24712f412a8b7",
      "52b5c67944b1deca816085d387aa7363e1918b2742ef45bbcaa60009b8078278",
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
