import { publicId } from "../../src/core/ids";
import { type ProjectTable, projectTables } from "../../src/db/project-tables";
import { startMove } from "../../src/features/projects/move/start";
import { type Row, sorted } from "./backup";
import { databaseOf, shards } from "./database";
import { admin, type TestProject } from "./project";
import type { World } from "./world";

/** The tables of the copying itself. */
const ownTables = ["captured_rows", "moves", "moved_keys"];

export async function shardOf({ id }: TestProject): Promise<string> {
  return (await admin.get(`/admin/projects/${id}`)).body.database;
}

/** The database in which a project does not live. */
export async function elsewhere(project: TestProject): Promise<string> {
  const shard = await shardOf(project);
  return shards.find((each) => each !== shard) ?? "";
}

/** All rows of a project in a database that a move takes along. The audit log is in the control database as well. */
export async function rowsIn(shard: string, { number }: TestProject): Promise<Record<string, Row[]>> {
  const db = databaseOf(shard);
  const tables = projectTables.filter(({ name }) => !ownTables.includes(name) && name !== "audit_entries");
  const results = await db.batch<Row>(
    tables.map(({ name, columns }) =>
      db
        .prepare(`SELECT ${columns.map((column) => `"${column}"`).join(", ")} FROM ${name} WHERE project_id = ?`)
        .bind(number),
    ),
  );
  const found = tables.map((table: ProjectTable, index) => {
    const rows = (results[index]?.results ?? []).filter(
      ({ type }) => !["project.move", "project.erase"].includes(String(type)),
    );
    return [table.name, sorted(table, rows)] as const;
  });
  return Object.fromEntries(found.filter(([, rows]) => rows.length > 0));
}

/** What a move may leave in a database beside rows: triggers, and keys of changed rows. */
export async function tracesIn(shard: string, { number }: TestProject): Promise<{ triggers: number; keys: number }> {
  const db = databaseOf(shard);
  const triggers = `SELECT count(*) AS n FROM sqlite_master WHERE type = 'trigger' AND name LIKE 'capture_move_${number}_%'`;
  const keys = `SELECT count(*) AS n FROM moved_keys WHERE project_id = ${number}`;
  return {
    triggers: (await db.prepare(triggers).first<number>("n")) ?? 0,
    keys: (await db.prepare(keys).first<number>("n")) ?? 0,
  };
}

/** Starts a move, whose work waits in the queue of the world. Returns the id of its job. */
export async function startsMove(world: World, { id }: TestProject, database: string): Promise<string> {
  return publicId((await startMove(world.process().platform, id, { database })).jobId);
}

/** Works until nothing is left to do, while time passes as a move waits for it. */
export async function finishes(world: World): Promise<void> {
  for (let turn = 0; turn < 20 && world.queue.length > 0; turn++) {
    await world.drain();
    world.now += 20_000;
  }
}

/** Moves a project to its other database, to the end. Returns the job. */
export async function moves(world: World, project: TestProject, database?: string) {
  const jobId = await startsMove(world, project, database ?? (await elsewhere(project)));
  await finishes(world);
  return (await admin.get(`/admin/jobs/${jobId}`)).body;
}

/** Lets the time pass after which the old rows are deleted, and deletes them. */
export async function emptiesLeft(world: World): Promise<void> {
  world.now += 61 * 60_000;
  for (let tick = 0; tick < 5; tick++) await world.sweep("*/5 * * * *");
}
