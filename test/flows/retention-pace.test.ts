import { expect, it } from "vitest";
import { newProject } from "../support/project";
import { World } from "../support/world";

const dayMs = 86_400_000;

/** Old rows of each table, all in one statement: `?` is the project, `n` the number of the row. */
const old = {
  idempotency_effects: `(project_id, kind, key, request, hash, response, created_at, expires_at)
    SELECT ?, 'secret', n, 'r', 'h', '{}', 1, 1`,
  webhook_deliveries: `(project_id, webhook_id, event_id, type, status, tries_until)
    SELECT ?, 'w', printf('-%021d', n), 'purchase', 'FAILED', 1`,
  workflow_calls: `(project_id, contact_id, effect_id, host, created_at, ended_at) SELECT ?, 'c', n, 'a.test', 0, 1`,
};

/** A million a day, as of one hour. */
const perHour = 42_000;

it("forgets what a million events or calls a day leave behind, hour by hour", async () => {
  const [world, project] = [new World(), await newProject()];
  const count = async (table: string) =>
    project.db.prepare(`SELECT count(*) AS n FROM ${table} WHERE project_id = ?`).bind(project.number).first("n");
  for (const [table, rows] of Object.entries(old)) {
    const numbers = `WITH RECURSIVE numbers (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM numbers WHERE n < ${perHour})`;
    await project.db
      .prepare(`INSERT INTO ${table} ${rows.replace("SELECT", `${numbers} SELECT`)} FROM numbers`)
      .bind(project.number)
      .run();
    expect(await count(table)).toBe(perHour);
  }
  world.now += 100 * dayMs;
  for (let minute = 0; minute < 60; minute += 5) {
    world.now += 5 * 60_000;
    await world.sweep("*/5 * * * *");
  }
  await world.sweep("17 * * * *");
  await world.sweep("47 * * * *");
  for (const table of Object.keys(old)) expect([table, await count(table)]).toEqual([table, 0]);
});

it("forgets ended jobs by the hour", async () => {
  const [world, project] = [new World(), await newProject()];
  const jobs = 2_000;
  await project.db
    .prepare(
      `INSERT INTO jobs (id, project_id, type, status, errors, created_at, completed_at)
        WITH RECURSIVE numbers (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM numbers WHERE n < ${jobs})
        SELECT printf('%022d', n), ?, 'workflows.start', 'completed', '[]', 1, 1 FROM numbers`,
    )
    .bind(project.number)
    .run();
  world.now += 100 * dayMs;
  await world.sweep("47 * * * *");
  const left = project.db.prepare("SELECT count(*) AS n FROM jobs WHERE project_id = ?").bind(project.number);
  expect(await left.first("n")).toBe(0);
});
