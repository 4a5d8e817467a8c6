import { env } from "cloudflare:workers";
import { describe, expect, it } from "vitest";
import { projectTables } from "../../src/db/project-tables";
import { Manifest } from "../../src/engine/backups/manifest";
import { startBackup } from "../../src/features/projects/backups/start";
import {
  backUp,
  folderOfBackup,
  linesBelow,
  type Row,
  rawDatabaseOf,
  rowsOfBackup,
  rowsOfProject,
  statusOfJob,
  textOfFile,
} from "../support/backup";
import { databases } from "../support/database";
import { type Death, type Trip, wasKilled } from "../support/killable";
import { admin, newProject, type TestProject } from "../support/project";
import { type Random, randomOf } from "../support/random";
import { newTemplate } from "../support/template";
import { newWebhook } from "../support/webhook";
import { awaitingPurchase, newWorkflow, track } from "../support/workflow";
import { World } from "../support/world";

const email = (number: number) => `p${number}@example.com`;

/** A project with rows in many tables, more contacts than a page has, and two executions that wait. */
async function fullProject(world: World, contacts: number): Promise<TestProject> {
  const project = await newProject();
  const scheduledAt = new Date(Date.now() + 86_400_000).toISOString();
  for (let first = 0; first < contacts; first += 50) {
    const to = Array.from({ length: Math.min(50, contacts - first) }, (_, index) => email(first + index));
    await project.api.send({ to, scheduledAt });
  }
  await newTemplate(project, { body: `<p>${"long ".repeat(20_000)}</p>` });
  await newWebhook(world, project, ["contact.unsubscribed"]);
  await project.api.post("/suppressions", { email: email(1), reason: "manual" });
  await newWorkflow(project, awaitingPurchase());
  await track(world, project, "signup", { email: email(2) });
  await track(world, project, "signup", { email: email(3) });
  await world.drain();
  return project;
}

/** What people do meanwhile, anywhere among the contacts. */
async function disturb({ api }: TestProject, random: Random, ids: string[]): Promise<void> {
  const id = random.of(ids);
  switch (random.below(6)) {
    case 0:
      await api.delete(`/contacts/${id}`);
      break;
    case 1:
      ids.push((await api.post("/contacts", { email: `new${random.below(1e9)}@example.com` })).body.id);
      break;
    case 2:
      await api.post("/v1/track", { email: email(random.below(130)), event: `event-${random.below(5)}` });
      break;
    case 3:
      await api.post("/suppressions", { email: email(random.below(130)), reason: "manual" });
      break;
    case 4:
      await api.delete(`/suppressions/${email(random.below(130))}`);
      break;
    default:
      await api.patch(`/contacts/${id}`, { data: { plan: `pro-${random.below(1e9)}` } });
  }
}

const isMoment = ({ sql }: Trip) => sql.some((text) => text.startsWith("CREATE TRIGGER"));

async function triggersOf(project: TestProject): Promise<number> {
  const count = `SELECT count(*) AS n FROM sqlite_master WHERE type = 'trigger' AND name LIKE 'capture_${project.number}_%'`;
  return (await (await rawDatabaseOf(project)).prepare(count).first<number>("n")) ?? 0;
}

async function manifestOf(project: TestProject): Promise<Manifest> {
  const file = await env.BLOBS.get(`${await folderOfBackup(project)}/manifest.json`);
  return Manifest.parse(await file?.json());
}

describe("the tables of a project", () => {
  it("are listed with all their columns, and with the key by which the database has them", async () => {
    const found = await Promise.all(
      projectTables.map(async ({ name }) => {
        const { results } = await env.DB.prepare(`SELECT name, pk FROM pragma_table_info('${name}') ORDER BY cid`).all<{
          name: string;
          pk: number;
        }>();
        const key = results.filter(({ pk }) => pk > 0).toSorted((a, b) => a.pk - b.pk);
        const columns = results.map((each) => each.name).toSorted();
        // A number of that table is of no other project either.
        const project = name === "moved_keys" ? ["project_id"] : [];
        return { name, columns, key: [...project, ...key.map((each) => each.name)] };
      }),
    );
    const listed = projectTables.map(({ name, columns, key }) => {
      return { name, columns: ["project_id", ...columns].toSorted(), key: ["project_id", ...key] };
    });
    expect(found).toEqual(listed);
  });
});

describe("a backup", () => {
  it("has each row once, as of one moment, whatever is written meanwhile", { timeout: 180_000 }, async () => {
    const world = new World();
    const project = await fullProject(world, 130);
    const random = randomOf(7);
    const { body } = await project.api.get("/contacts?limit=100");
    const ids: string[] = body.data.map(({ id }: { id: string }) => id);
    let atMoment: Record<string, Row[]> = {};
    let disturbances = 0;
    world.fault = {
      meet: async (trip, make) => {
        if (isMoment(trip)) {
          atMoment = await rowsOfProject(project);
          return make();
        }
        if (Object.keys(atMoment).length > 0 && disturbances++ < 40) await disturb(project, random, ids);
        return make();
      },
    };
    const id = await backUp(world, project);
    world.fault = null;

    expect(disturbances).toBeGreaterThan(30);
    expect(await rowsOfBackup(await folderOfBackup(project))).toEqual(atMoment);
    expect(await rowsOfProject(project)).not.toEqual(atMoment);
    expect(await triggersOf(project)).toBe(0);
    expect(await capturedRows(project)).toBe(0);
    const { tables } = await manifestOf(project);
    expect(Object.fromEntries(Object.entries(tables).map(([name, { rows }]) => [name, rows]))).toEqual(
      Object.fromEntries(Object.entries(atMoment).map(([name, rows]) => [name, rows.length])),
    );
    expect((await admin.get(`/admin/jobs/${id}`)).body).toMatchObject({ status: "completed", type: "project.backup" });
  });

  it("has the executions of workflows, the stored files, and no secrets", async () => {
    const world = new World();
    const project = await fullProject(world, 10);
    await backUp(world, project);

    const folder = await folderOfBackup(project);
    const executions = (await linesBelow(`${folder}/executions/`)) as { table: string; row: Row }[];
    expect(executions.filter(({ table }) => table === "executions").map(({ row }) => row.awaits)).toEqual([
      "purchase",
      "purchase",
    ]);
    expect(new Set(executions.map(({ table }) => table))).toEqual(
      new Set(["executions", "events", "entries", "seen", "step_counts"]),
    );
    const { objects } = await env.BLOBS.list({ prefix: `${folder}/files/template/` });
    expect(objects).toHaveLength(1);
    const { objects: all } = await env.BLOBS.list({ prefix: folder });
    const texts = await Promise.all(all.map(({ key }) => textOfFile(key)));
    const { results } = await env.DB.prepare("SELECT hash FROM api_keys WHERE project_id = ?")
      .bind(project.number)
      .all();
    const secret = await (await rawDatabaseOf(project))
      .prepare("SELECT secret FROM webhooks WHERE project_id = ?")
      .bind(project.number)
      .first<string>("secret");
    for (const hidden of [secret, ...results.map(({ hash }) => String(hash))])
      expect(texts.filter((text) => text.includes(hidden ?? ""))).toEqual([]);
  });

  it("goes on after a death at any step, and is the same", { timeout: 180_000 }, async () => {
    const world = new World();
    const project = await fullProject(world, 105);
    const { jobId } = await startBackup(world.process().platform, project.id);
    const expected = await rowsOfProject(project);
    const random = randomOf(11);
    let deaths = 0;
    // Each run gets some steps farther: a page takes three of them.
    for (let runs = 0; world.queue.length > 0 && runs < 2_000; runs++) {
      const death: Death = { atStep: 4 + random.below(12), when: random.isIn(50) ? "before" : "after" };
      try {
        await world.runAndDie(death);
        deaths++;
      } catch (error) {
        if (!wasKilled(error)) throw error;
      }
    }
    expect(deaths).toBeGreaterThan(10);
    expect(await statusOfJob(project, String(jobId))).toBe("completed");
    expect(await rowsOfBackup(await folderOfBackup(project))).toEqual(expected);
    expect(await triggersOf(project)).toBe(0);
  });

  it("is listed, newest first, and one is made at a time", async () => {
    const world = new World();
    const project = await newProject();
    const path = `/admin/projects/${project.id}`;
    expect((await admin.get(`${path}/backups`)).body).toEqual({ data: [] });
    const first = await backUp(world, project);
    const { platform } = world.process();
    await startBackup(platform, project.id);
    await expect(startBackup(platform, project.id)).rejects.toThrow("is already in progress");
    expect((await admin.post(`${path}/backup`, {})).status).toBe(409);
    const { body } = await admin.get(`${path}/backups`);
    expect(body.data).toMatchObject([
      { status: "running", rows: 0, completedAt: null },
      { id: first, status: "completed" },
    ]);
    expect(body.data[1].rows).toBeGreaterThan(0);
    await world.drain();
    expect((await admin.get(`${path}/backups`)).body.data[0]).toMatchObject({ status: "completed" });
  });

  it("is refused of a project that is not there", async () => {
    const path = `/admin/projects/${crypto.randomUUID()}`;
    expect((await admin.post(`${path}/backup`, {})).status).toBe(404);
    expect((await admin.get(`${path}/backups`)).status).toBe(404);
  });
});

describe("backups by themselves", () => {
  const dayMs = 86_400_000;
  const backupsOf = async ({ id }: TestProject) => (await admin.get(`/admin/projects/${id}/backups`)).body.data;
  const atNight = (world: World, days: number) => {
    world.now = Math.ceil(world.now / dayMs) * dayMs + days * dayMs + 2 * 3_600_000;
  };

  it("are made once a night, if the setting says so", async () => {
    const world = new World();
    const project = await newProject();
    atNight(world, 0);
    await world.sweep("*/5 * * * *");
    await world.drain();
    expect(await backupsOf(project)).toEqual([]);

    world.settings = { NIGHTLY_BACKUPS: "true" };
    // Projects of other tests come first.
    for (let tick = 0; tick < 6; tick++) await world.sweep("*/5 * * * *");
    await world.drain();
    expect(await backupsOf(project)).toMatchObject([{ status: "completed" }]);
    world.now += 3_600_000;
    for (let tick = 0; tick < 6; tick++) await world.sweep("*/5 * * * *");
    await world.drain();
    expect(await backupsOf(project)).toHaveLength(1);
  });

  it("go after BACKUP_RETENTION_DAYS, with their files, also those of a deleted project", async () => {
    const world = new World();
    const project = await newProject();
    await backUp(world, project);
    await admin.delete(`/admin/projects/${project.id}`);
    expect(await backupsOf(project)).toMatchObject([{ status: "completed" }]);
    const files = async () => (await env.BLOBS.list({ prefix: `backups/${project.id}/` })).objects.length;
    world.now += 29 * dayMs;
    await world.sweep("47 * * * *");
    expect(await files()).toBeGreaterThan(0);
    world.now += 2 * dayMs;
    await world.sweep("47 * * * *");
    expect(await files()).toBe(0);
    expect(await env.DB.prepare("SELECT 1 FROM backups WHERE project = ?").bind(project.id).first()).toBeNull();
  });
});

async function capturedRows({ number }: TestProject): Promise<number> {
  const count = "SELECT count(*) AS n FROM captured_rows WHERE project_id = ?";
  const counts = await Promise.all(databases.map((db) => db.prepare(count).bind(number).first<number>("n")));
  return counts.reduce<number>((sum, n) => sum + (n ?? 0), 0);
}
