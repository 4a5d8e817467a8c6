import { evictDurableObject, runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { describe, expect, it } from "vitest";
import { migrateShard } from "../../src/engine/workflows/shard/store";
import { shardMigrations } from "../../src/engine/workflows/shard/tables";
import { gateMigrations, gateReadableFrom } from "../../src/platform/gate-tables";
import { migrateTables, type TableMigrations } from "../../src/platform/object-tables";
import type { ProjectGateObject } from "../../src/platform/project-gate-object";
import { keeperOfKey } from "../support/gate";
import { bearer, call, newProject, type TestProject } from "../support/project";
import { addressOf, newWorkflow, track } from "../support/workflow";
import { shardStub, World } from "../support/world";

const versionKey = "tables";

function gateOf(projectId: string): DurableObjectStub<ProjectGateObject> {
  const objects = env.GATE as unknown as DurableObjectNamespace<ProjectGateObject>;
  return objects.get(objects.idFromName(projectId));
}

const schemaOf = (state: DurableObjectState) =>
  state.storage.sql
    .exec("SELECT name, sql FROM sqlite_master WHERE sql IS NOT NULL AND name NOT GLOB '_cf_*' ORDER BY name")
    .toArray();

/** An execution in a delay of an hour, and the object that keeps it. */
async function waiting() {
  const [project, world] = [await newProject(), new World()];
  await newWorkflow(project, {
    steps: { wait: ["DELAY", { amount: 1, unit: "hours" }], end: ["EXIT", { reason: "waited" }] },
    ways: [
      ["TRIGGER", "wait"],
      ["wait", "end"],
    ],
  });
  const { contactId } = await track(world, project, "signup");
  await world.drain();
  const address = addressOf(project, contactId);
  const ended = async () => {
    world.now += 3_700_000;
    await world.ring(address);
    return runInDurableObject(shardStub(address), (_, state) =>
      state.storage.sql.exec("SELECT status, exit_reason FROM executions").toArray(),
    );
  };
  return { address, ended };
}

describe("the tables of an object", () => {
  it.each([
    ["a shard", shardMigrations],
    ["a gate", gateMigrations],
  ])("of %s are made by migrations that never change", async (name, migrations) => {
    const texts = migrations.map((statements, n) => `-- ${n + 1}\n${statements.join(";\n")};\n`).join("\n");
    // Objects have had them. Whatever is to change is another migration at the end, with a test on the state before.
    await expect(texts).toMatchFileSnapshot(`../golden/tables-of-${name.replace("a ", "")}.sql`);
  });

  it("have a version from the start", async () => {
    const { address } = await waiting();
    const version = await runInDurableObject(shardStub(address), (_, state) => state.storage.kv.get(versionKey));
    expect(version).toBe(shardMigrations.length);
  });
});

describe.each([
  ["a shard", shardMigrations, migrateShard, 1],
  ["a gate", gateMigrations, (storage: DurableObjectStorage) => migrateTables(storage, gateMigrations), 2],
] as const)("the tables of %s", (_, migrations, migrate, number) => {
  it.each(migrations.map((_statements, index) => index))(
    "of version %i become those of a new object, and keep their rows",
    async (version) => {
      const stub = shardStub({ project: 1_000_010 + number, shard: version });
      await runInDurableObject(stub, async (_object, state) => {
        const { storage } = state;
        await storage.deleteAll();
        migrate(storage);
        const fresh = schemaOf(state);
        await storage.deleteAll();
        if (version > 0) migrateTables(storage, migrations.slice(0, version));
        const before = fill(storage.sql);
        migrate(storage);
        expect(schemaOf(state)).toEqual(fresh);
        expect(storage.kv.get(versionKey)).toBe(migrations.length);
        expect(Object.keys(before).length > 0).toBe(version > 0);
        for (const [table, rows] of Object.entries(before)) {
          const columns = Object.keys(rows[0] ?? {}).join(", ");
          expect([table, storage.sql.exec(`SELECT ${columns} FROM ${table} ORDER BY 1`).toArray()]).toEqual([
            table,
            rows,
          ]);
        }
      });
    },
  );
});

/** Puts two rows into each table, with a value in each column, and returns them. A text is JSON: a migration may read it. */
function fill(sql: SqlStorage): Record<string, Record<string, SqlStorageValue>[]> {
  const tables = sql
    .exec<{ name: string }>(
      "SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT GLOB '_cf_*' ORDER BY name",
    )
    .toArray();
  return Object.fromEntries(
    tables.map(({ name }) => {
      const columns = sql.exec<{ name: string; type: string }>(`PRAGMA table_info(${name})`).toArray();
      for (const n of [1, 2]) {
        const values = columns.map(({ type }) => (type === "TEXT" ? `[${n}]` : n));
        sql.exec(`INSERT INTO ${name} VALUES (${values.map(() => "?").join(", ")})`, ...values);
      }
      return [name, sql.exec(`SELECT * FROM ${name} ORDER BY 1`).toArray()];
    }),
  );
}

it("a gate takes keys again after it was erased, and keeps nothing until then", async () => {
  const project = await newProject();
  const gate = gateOf(project.id);
  const claim = (key: string) =>
    gate.admit({ buckets: [], key: { key, owner: "me", request: "POST /v1/send", hash: "", ttlMs: 60_000 } });
  expect((await claim("before")).claim).toEqual({ kind: "claimed" });
  await gate.erase();
  expect(await runInDurableObject(gate, (_, state) => schemaOf(state))).toEqual([]);
  expect((await claim("before")).claim).toEqual({ kind: "claimed" });
});

describe("an object that later code has written", () => {
  /** A migration of a later version, and from which version on its tables are readable. */
  const migrateLater = async (stub: DurableObjectStub, known: TableMigrations, later: string, readableFrom: number) => {
    await runInDurableObject(stub, (_, { storage }) => migrateTables(storage, [...known, [later]], { readableFrom }));
    await evictDurableObject(stub);
  };
  const sendTo = (project: TestProject, headers = {}) =>
    call(
      "POST",
      "/v1/send",
      { to: "ada@example.com", from: `hello@${project.domain}`, subject: "Hello", body: "Hello" },
      { headers: { ...bearer(project.keys.secret).headers, ...headers } },
    );

  it("works on when its tables only have more, and keeps their version", async () => {
    const { address, ended } = await waiting();
    const stub = shardStub(address);
    const later = "ALTER TABLE executions ADD COLUMN later TEXT NOT NULL DEFAULT 'x'";
    await migrateLater(stub, shardMigrations, later, shardMigrations.length);
    expect(await ended()).toEqual([{ status: "EXITED", exit_reason: "waited" }]);
    const version = await runInDurableObject(stub, (_, { storage }) => storage.kv.get(versionKey));
    expect(version).toBe(shardMigrations.length + 1);
  });

  it("takes keys when its tables only have more", async () => {
    const project = await newProject();
    const keeper = keeperOfKey(project.id, "first");
    await migrateLater(keeper, gateMigrations, "ALTER TABLE idempotency_keys ADD COLUMN later TEXT", gateReadableFrom);
    const first = await sendTo(project, { "Idempotency-Key": "first" });
    expect(first.status).toBe(200);
    expect(await sendTo(project, { "Idempotency-Key": "first" })).toMatchObject({
      status: 409,
      body: { error: { details: { originalResponse: first.body } } },
    });
  });

  it("is refused when this version cannot work with them", async () => {
    const { address, ended } = await waiting();
    const stub = shardStub(address);
    const later = "ALTER TABLE executions RENAME COLUMN exit_reason TO left_by";
    await migrateLater(stub, shardMigrations, later, shardMigrations.length + 1);
    await expect(ended()).rejects.toThrow(`deploy the later version again`);
  });

  it("is out of reach for a request with a key, and no hindrance for one without", async () => {
    const project = await newProject();
    expect((await sendTo(project, { "Idempotency-Key": "first" })).status).toBe(200);
    const keeper = keeperOfKey(project.id, "second");
    const later = "ALTER TABLE idempotency_keys DROP COLUMN hash";
    await migrateLater(keeper, gateMigrations, later, gateMigrations.length + 1);
    expect(await sendTo(project, { "Idempotency-Key": "second" })).toMatchObject({
      status: 503,
      body: { error: { code: "EXTERNAL_SERVICE_ERROR" } },
    });
    expect((await sendTo(project)).status).toBe(200);
  });
});

it("runs each migration once, in order, and nothing of one that fails", async () => {
  const stub = shardStub({ project: 1_000_001, shard: 1 });
  await runInDurableObject(stub, (_, { storage }) => {
    const first = ["CREATE TABLE a (n INTEGER)", "INSERT INTO a VALUES (1)"];
    const second = ["ALTER TABLE a ADD COLUMN m INTEGER", "UPDATE a SET m = n + 1"];
    const broken = ["UPDATE a SET n = 7", "INSERT INTO nowhere VALUES (1)"];
    const migrate = (...migrations: string[][]) => migrateTables(storage, migrations);
    const rows = () => storage.sql.exec("SELECT * FROM a").toArray();
    migrate(first);
    migrate(first);
    expect(rows()).toEqual([{ n: 1 }]);
    migrate(first, second);
    migrate(first, second);
    expect(rows()).toEqual([{ n: 1, m: 2 }]);
    expect(() => migrate(first, second, broken)).toThrow("nowhere");
    migrate(first, second);
    expect(rows()).toEqual([{ n: 1, m: 2 }]);
    migrate(first, second, ["UPDATE a SET m = 9"]);
    expect(() => migrate(first, second)).toThrow("at version 3, and this code knows 2");
    expect(rows()).toEqual([{ n: 1, m: 9 }]);
  });
});
