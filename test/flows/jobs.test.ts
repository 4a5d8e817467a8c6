import { env } from "cloudflare:workers";
import { expect, it } from "vitest";
import { startImport } from "../../src/features/contacts/import/start";
import { utf8 } from "../support/import";
import { admin, newProject } from "../support/project";
import { World } from "../support/world";

const minuteMs = 60_000;
const dayMs = 24 * 60 * minuteMs;
const hourly = "47 * * * *";

it("a job that always fails comes more and more seldom, for a day", async () => {
  const [project, world] = [await newProject(), new World()];
  await project.db
    .prepare(
      `INSERT INTO jobs (id, project_id, type, status, input, state, errors, created_at, next_announce_at)
      VALUES (?1, ?1, 'segments.count', 'queued', '{"not":"an input"}', '{}', '[]', ?2, ?2)`,
    )
    .bind(project.id, world.now)
    .run();
  /** How often it is announced in so many minutes, when the sweep comes each `every` of them. */
  async function announcedIn(minutes: number, every = 60): Promise<number> {
    let announced = 0;
    for (let minute = 0; minute < minutes; minute += every) {
      world.now += every * minuteMs;
      await world.sweep();
      const mine = world.queue.filter(
        ({ queued }) => "projectId" in queued.message && queued.message.projectId === project.number,
      );
      announced += mine.length;
      if (mine.length > 0) await expect(world.drain()).rejects.toThrow("Invalid input");
      world.queue = [];
    }
    return announced;
  }
  expect(await announcedIn(30, 5)).toBe(6);
  const aDay = await announcedIn(23 * 60);
  expect(aDay).toBeGreaterThanOrEqual(8);
  expect(aDay).toBeLessThanOrEqual(20);
  // The next run is the last one.
  world.now += 6 * 60 * minuteMs;
  await world.sweep();
  await world.drain();
  expect(await announcedIn(3 * 24 * 60, 24 * 60)).toBe(0);
});

it("a job is forgotten 30 days after its end, and no other", async () => {
  const [project, world] = [await newProject(), new World()];
  const ended = { completed: 30 * dayMs, failed: 31 * dayMs, young: 30 * dayMs - minuteMs };
  const insert = project.db.prepare(
    `INSERT INTO jobs (project_id, id, type, status, errors, created_at, completed_at)
      SELECT ?1, ?2 || value, 'contacts.bulk', ?3, '[]', 0, ?4 FROM json_each(?5)`,
  );
  // More of the oldest than one statement takes.
  const numbers = JSON.stringify(Array.from({ length: 1_200 }, (_, n) => n));
  await project.db.batch([
    insert.bind(project.id, "failed-", "failed", world.now - ended.failed, numbers),
    insert.bind(project.id, "completed-", "completed", world.now - ended.completed, "[1]"),
    insert.bind(project.id, "young-", "completed", world.now - ended.young, "[1]"),
    insert.bind(project.id, "open-", "processing", null, "[1]"),
  ]);
  await world.sweep(hourly);
  const { results } = await project.db.prepare("SELECT id FROM jobs WHERE project_id = ?").bind(project.id).all();
  expect(results.map(({ id }) => id).sort()).toEqual(["open-1", "young-1"]);
  const deletes = world.statements.filter(({ sql }) => /DELETE FROM jobs/.test(sql));
  expect(deletes.length).toBeGreaterThanOrEqual(3);
  expect(deletes.every(({ sql }) => sql.endsWith("RETURNING 1"))).toBe(true);
});

it("the operator's job that removed a project is forgotten, too", async () => {
  const [project, world] = [await newProject(), new World()];
  const { jobId } = (await admin.delete(`/admin/projects/${project.id}`)).body;
  await world.pass(6);
  expect((await admin.get(`/admin/jobs/${jobId}`)).body.status).toBe("completed");
  world.now += 31 * dayMs;
  await world.sweep(hourly);
  expect((await admin.get(`/admin/jobs/${jobId}`)).status).toBe(404);
});

it("the file of an import that was given up goes with the hourly sweep, when it is a day old", async () => {
  const [project, world] = [await newProject(), new World()];
  const files = async () => (await env.BLOBS.list({ prefix: `import/${project.id}/` })).objects.length;
  await startImport((await world.context(project)).ctx, utf8("email\nada@example.com\n"));
  world.queue = [];
  world.now += 2 * dayMs;
  await world.sweep("17 * * * *");
  expect(await files()).toBe(1);
  const end = "UPDATE jobs SET status = 'failed', completed_at = ? WHERE project_id = ?";
  await project.db.prepare(end).bind(world.now, project.id).run();
  await world.sweep("17 * * * *");
  expect(await files()).toBe(0);
});
