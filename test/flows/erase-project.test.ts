import { env } from "cloudflare:workers";
import { describe, expect, it } from "vitest";
import { controlTables, projectTables } from "../../src/db/project-tables";
import { control, databases } from "../support/database";
import { admin, newProject, type TestProject } from "../support/project";
import { addMembers, newSegment } from "../support/segment";
import { emailIn } from "../support/send-and-wait";
import { newTemplate } from "../support/template";
import { World } from "../support/world";

async function tenantTables(): Promise<string[]> {
  const { results } = await env.DB.prepare("SELECT name, sql FROM sqlite_master WHERE type = 'table'").all<{
    name: string;
    sql: string;
  }>();
  return results
    .filter(({ sql }) => /\bproject_id\b/.test(sql))
    .map(({ name }) => name)
    .sort();
}

const namesOf = (of: typeof projectTables) => of.map(({ name }) => name);
const tables = [...new Set([...namesOf(projectTables), ...namesOf(controlTables)])].sort();

/** The rows of each table, in all databases together. */
async function rowsOf(project: TestProject): Promise<Record<string, number>> {
  const counts = await Promise.all(
    tables.map(async (table): Promise<[string, number]> => {
      const count = `SELECT count(*) AS n FROM ${table} WHERE project_id = ?`;
      const each = databases.map((db) => db.prepare(count).bind(project.id).first<number>("n"));
      return [table, (await Promise.all(each)).reduce<number>((sum, n) => sum + (n ?? 0), 0)];
    }),
  );
  return Object.fromEntries(counts.filter(([, count]) => count > 0));
}

async function filesOf(project: TestProject): Promise<string[]> {
  const { objects } = await env.BLOBS.list();
  return objects.map(({ key }) => key).filter((key) => key.includes(project.id));
}

async function projectWithEverything(): Promise<TestProject> {
  const project = await newProject();
  const sent = await project.api.send({ body: `<p>${"long ".repeat(20_000)}</p>`, data: { plan: "pro" } });
  await emailIn(project, sent.body.data.emails[0].email, "DELIVERED");
  const bounced = await project.api.send({ to: "bounce@simulator.test" });
  await emailIn(project, bounced.body.data.emails[0].email, "BOUNCED");
  await newTemplate(project, { body: `<p>${"long ".repeat(20_000)}</p>` });
  const effect =
    "INSERT INTO idempotency_effects (project_id, kind, key, request, hash, response, created_at, expires_at) VALUES (?, 'secret', 'k', 'r', 'h', '{}', 0, 1e15)";
  await project.db.prepare(effect).bind(project.id).run();
  const stepEffect =
    "INSERT INTO workflow_effects (project_id, effect_id, token, result, created_at) VALUES (?, 'e', 't', '{}', 1e15)";
  await project.db.prepare(stepEffect).bind(project.id).run();
  await project.db.prepare("INSERT INTO event_listeners VALUES (?, '*', 'nobody')").bind(project.id).run();
  await project.db
    .prepare("INSERT INTO erased_addresses (project_id, hash, created_at) VALUES (?, 'h', 0)")
    .bind(project.id)
    .run();
  await newSegment(project);
  const { id } = await newSegment(project, { type: "STATIC" });
  await addMembers(project, id, { emails: ["ada@example.com"] });
  await project.db
    .prepare(
      "INSERT INTO jobs (id, project_id, type, status, errors, created_at) VALUES ('job', ?1, 'contacts.import', 'completed', '[]', 0)",
    )
    .bind(project.id)
    .run();
  // Nothing is due of a campaign that is no real one.
  await project.db
    .prepare("INSERT INTO campaign_runs (project_id, id, due_at) VALUES (?, 'r', 1e15)")
    .bind(project.id)
    .run();
  for (const table of tables) await fillEmpty(project, table);
  return project;
}

/** One row of the project in a table that nothing has filled: those of features to come are of them. */
async function fillEmpty(project: TestProject, table: string): Promise<void> {
  const db = namesOf(controlTables).includes(table) ? control : project.db;
  const has = db.prepare(`SELECT 1 FROM ${table} WHERE project_id = ? LIMIT 1`).bind(project.id);
  if ((await has.first()) !== null) return;
  const { results } = await db
    .prepare(`SELECT name, type FROM pragma_table_info('${table}') WHERE "notnull" AND dflt_value IS NULL`)
    .all<{ name: string; type: string }>();
  const values = results.map(({ name, type }) => valueFor(name, type, project));
  const columns = results.map(({ name }) => name).join(", ");
  await db
    .prepare(`INSERT INTO ${table} (${columns}) VALUES (${values.map(() => "?").join(", ")})`)
    .bind(...values)
    .run();
}

/** A value for a column. What is in the trash stays there, whenever a sweep looks. */
function valueFor(name: string, type: string, { number }: TestProject): string | number {
  if (name === "project_id" || name === "number") return number;
  if (name === "purge_at") return Number.MAX_SAFE_INTEGER;
  return type === "text" ? "[]" : 1;
}

/** The job at work outlives the project it is about. */
const onlyItsJob = { jobs: 1 };

describe("deleting a project", () => {
  it("covers every table that holds a project's rows", async () => {
    expect(await tenantTables()).toEqual(tables);
  });

  it("ends its keys at once, and removes every row and file of its own", async () => {
    const project = await projectWithEverything();
    const neighbour = await projectWithEverything();
    const before = await rowsOf(neighbour);
    expect(Object.keys(await rowsOf(project)).sort()).toEqual(tables);
    expect(await filesOf(project)).not.toHaveLength(0);

    const { status, body } = await admin.delete(`/admin/projects/${project.id}`);
    expect(status).toBe(202);
    expect((await project.api.get(`/domains/project/${project.id}`)).status).toBe(401);
    expect((await admin.get(`/admin/projects/${project.id}`)).status).toBe(404);
    expect((await admin.delete(`/admin/projects/${project.id}`)).status).toBe(404);
    expect((await admin.get(`/admin/jobs/${body.jobId}`)).body.status).toBe("queued");

    const world = new World();
    await world.pass(6);
    expect((await admin.get(`/admin/jobs/${body.jobId}`)).body).toMatchObject({ status: "completed", progress: 100 });
    expect(await rowsOf(project)).toEqual(onlyItsJob);
    expect(await filesOf(project)).toEqual([]);
    expect(await rowsOf(neighbour)).toEqual(before);
    expect(await filesOf(neighbour)).not.toHaveLength(0);
    // Its domain is free again.
    const other = await newProject();
    expect((await other.api.post("/domains", { domain: project.domain })).status).toBe(201);
  });

  it("goes on where it was killed", async () => {
    const project = await projectWithEverything();
    await admin.delete(`/admin/projects/${project.id}`);
    const world = new World();
    world.now += 6 * 60_000;
    await world.sweep();
    for (let atStep = 1; world.queue.length > 0 && atStep < 60; atStep++) {
      await world.runAndDie({ atStep, when: atStep % 2 ? "before" : "after" });
    }
    await world.pass(6);
    expect(await rowsOf(project)).toEqual(onlyItsJob);
    expect(await filesOf(project)).toEqual([]);
  });
});
