import { evictDurableObject, runInDurableObject } from "cloudflare:test";
import { expect, it } from "vitest";
import { migrateTables } from "../../src/platform/object-tables";
import { newProject } from "../support/project";
import { addressOf, executionsOf, newWorkflow, track } from "../support/workflow";
import { shardStub, World } from "../support/world";

/** The tables of a shard as they were before an execution had `earlier`: those that are different today. */
const before = [
  `CREATE TABLE executions (
    id TEXT PRIMARY KEY, workflow_id TEXT NOT NULL, contact_id TEXT NOT NULL, status TEXT NOT NULL, step_id TEXT,
    entered_at INTEGER NOT NULL, place INTEGER NOT NULL, pause TEXT, wake_at INTEGER, awaits TEXT, since TEXT,
    outcome TEXT, attempts INTEGER NOT NULL, exit_reason TEXT, error TEXT, completed_at INTEGER, event_id TEXT,
    hears_public INTEGER NOT NULL, context TEXT, causes TEXT NOT NULL, needs TEXT, request TEXT,
    version INTEGER NOT NULL, mirrored INTEGER NOT NULL DEFAULT 0, started_at INTEGER NOT NULL,
    updated_at INTEGER NOT NULL) WITHOUT ROWID`,
  `INSERT INTO executions SELECT id, workflow_id, contact_id, status, step_id, entered_at, place, pause, wake_at, awaits,
    since, outcome, attempts, exit_reason, error, completed_at, event_id, hears_public, context, causes, needs, request,
    version, mirrored, started_at, updated_at FROM new_executions`,
  "CREATE INDEX ix_executions_completed ON executions (completed_at) WHERE completed_at IS NOT NULL",
  "CREATE INDEX ix_executions_contact ON executions (contact_id, awaits)",
  `CREATE TABLE step_counts (step_id TEXT PRIMARY KEY, entered INTEGER NOT NULL DEFAULT 0,
    completed INTEGER NOT NULL DEFAULT 0, skipped INTEGER NOT NULL DEFAULT 0, failed INTEGER NOT NULL DEFAULT 0) WITHOUT ROWID`,
  "INSERT INTO step_counts SELECT step_id, entered, completed, skipped, failed FROM new_step_counts",
  `CREATE TABLE entries (workflow_id TEXT NOT NULL, contact_id TEXT NOT NULL, active TEXT,
    public_at INTEGER, segment_at INTEGER, tick INTEGER, PRIMARY KEY (workflow_id, contact_id)) WITHOUT ROWID`,
  `INSERT INTO entries SELECT workflow_id, contact_id, (SELECT id FROM new_executions
    WHERE id = execution_id AND completed_at IS NULL), public_at, segment_at, tick FROM new_entries`,
  "CREATE TRIGGER count_entered AFTER INSERT ON steps BEGIN SELECT raise(FAIL, 'an old trigger'); END",
  "DROP TABLE unshown",
];

function tablesOf(sql: SqlStorage): unknown[] {
  return sql
    .exec("SELECT type, name, tbl_name FROM sqlite_master WHERE name NOT LIKE '\\_cf%' ESCAPE '\\' ORDER BY name")
    .toArray();
}

/** Rows of every table of a shard, by its columns of today. */
function rowsOf(sql: SqlStorage): Record<string, unknown[]> {
  const names = ["executions", "steps", "events", "step_counts", "entries", "seen"];
  return Object.fromEntries(names.map((name) => [name, sql.exec(`SELECT * FROM ${name} ORDER BY 1`).toArray()]));
}

it("goes on with executions whose object has tables from before they had versions, and keeps every row", async () => {
  const [project, world] = [await newProject(), new World()];
  await newWorkflow(project, {
    steps: {
      delay: ["DELAY", { amount: 1, unit: "hours" }],
      wait: ["WAIT_FOR_EVENT", { eventName: "purchase", timeout: 86_400 }],
    },
    ways: [
      ["TRIGGER", "delay"],
      ["delay", "wait"],
    ],
  });
  await newWorkflow(project, { steps: {}, ways: [] });
  const { contactId } = await track(world, project, "signup");
  await world.drain();
  const stub = shardStub(addressOf(project, contactId));
  const [then, tables] = await runInDurableObject(stub, (_, { storage }) => {
    const { sql, kv } = storage;
    const found = [rowsOf(sql), tablesOf(sql)] as const;
    for (const { name } of sql
      .exec("SELECT name FROM sqlite_master WHERE type = 'index' AND sql IS NOT NULL")
      .toArray()) {
      sql.exec(`DROP INDEX ${name}`);
    }
    for (const table of ["executions", "step_counts", "entries"])
      sql.exec(`ALTER TABLE ${table} RENAME TO new_${table}`);
    for (const query of before) sql.exec(query);
    for (const table of ["executions", "step_counts", "entries"]) sql.exec(`DROP TABLE new_${table}`);
    kv.delete("tables");
    return found;
  });
  await evictDurableObject(stub);

  const [now, tablesNow] = await runInDurableObject(
    stub,
    (_, { storage: { sql } }) => [rowsOf(sql), tablesOf(sql)] as const,
  );
  expect(now).toEqual(then);
  expect(tablesNow).toEqual(tables);
  await world.pass(61);
  const executions = await executionsOf(world, project, contactId);
  expect(executions.map(({ status, steps }) => [status, steps.length]).sort()).toEqual([
    ["COMPLETED", 1],
    ["WAITING", 3],
  ]);
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
