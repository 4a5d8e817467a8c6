import { afterEach, expect, it } from "vitest";
import { newId, publicId } from "../../src/core/ids";
import { newAccount } from "../../src/core/mail/account";
import { startImport } from "../../src/features/contacts/import/start";
import { newCampaign } from "../support/campaign";
import { utf8 } from "../support/import";
import { sendAs } from "../support/person";
import { newProject, type TestProject } from "../support/project";
import { emailRows } from "../support/rows";
import { World } from "../support/world";

const secondMs = 1_000;
const minuteMs = 60 * secondMs;

const invented: TestProject[] = [];

/** A project with rows that no other test's start is to go on with. */
async function newInvented(): Promise<TestProject> {
  const project = await newProject();
  invented.push(project);
  return project;
}

afterEach(async () => {
  const tables = ["events", "campaign_runs", "webhooks", "webhook_deliveries", "workflow_hosts", "workflow_calls"];
  for (const { db, number } of invented.splice(0)) {
    await db.batch(tables.map((table) => db.prepare(`DELETE FROM ${table} WHERE project_id = ?`).bind(number)));
  }
});

/** The messages of a project that are in the queue. */
function messagesOf(world: World, project: TestProject): string[] {
  const messages = world.queue.map(({ queued }) => queued.message);
  return messages.filter((one) => "projectId" in one && one.projectId === project.number).map(({ type }) => type);
}

it("a start goes on with an import that the last stop found half done, and the next minute does not", async () => {
  const [project, world] = [await newProject(), new World()];
  const { ctx } = await world.context(project);
  const rows = Array.from({ length: 3_000 }, (_, n) => `p${n}@example.com`);
  const jobId = await startImport(ctx, utf8(`email\n${rows.join("\n")}\n`));
  const job = async () => (await project.api.get(`/contacts/import/${publicId(jobId)}`)).body;
  // The stop comes after some steps, and takes the queue along.
  await world.runAndDie({ atStep: 12, when: "after" });
  world.queue = [];
  expect(await job()).toMatchObject({ status: "processing" });
  await world.sweep();
  await world.drain();
  expect(await job()).toMatchObject({ status: "processing" });
  await world.sweep("start");
  await world.drain();
  expect(await job()).toMatchObject({ status: "completed" });
  const { total } = (await project.api.get("/contacts?limit=1")).body;
  expect(total).toBe(rows.length);
});

it("a start announces an event whose message was lost", async () => {
  const [project, world] = [await newInvented(), new World()];
  await project.db
    .prepare(
      `INSERT INTO events (id, project_id, name, contact_id, data, next_announce_at) VALUES (?, ?, 'purchase', 'c', '{}', ?)`,
    )
    .bind(newId(), project.number, world.now + 30 * minuteMs)
    .run();
  await world.sweep();
  expect(messagesOf(world, project)).toEqual([]);
  await world.sweep("start");
  expect(messagesOf(world, project)).toEqual(["events.dispatch"]);
});

it("a start goes on with a campaign that was being sent, and leaves one its time that has not begun", async () => {
  const [project, world] = [await newInvented(), new World()];
  for (const status of ["SENDING", "SCHEDULED"]) {
    const { id } = await newCampaign(project);
    await project.db.batch([
      project.db
        .prepare("UPDATE campaigns SET status = ? WHERE project_id = ? AND id = ?")
        .bind(status, project.number, id),
      project.db
        .prepare("INSERT INTO campaign_runs (project_id, id, clock, due_at) VALUES (?, ?, 0, ?)")
        .bind(project.number, id, world.now + 50 * secondMs),
    ]);
  }
  await world.sweep("start");
  expect(messagesOf(world, project)).toEqual(["campaigns.run"]);
});

it("a start gives back the deliveries and calls that were taken, and leaves those that wait longer", async () => {
  const [project, world] = [await newInvented(), new World()];
  const [lease, hour] = [world.now + 2 * minuteMs, world.now + 60 * minuteMs];
  for (const at of [lease, hour]) {
    await project.db.batch([
      project.db
        .prepare(
          `INSERT INTO webhooks (project_id, id, url, events, secret, due_at, updated_at)
            VALUES (?1, 'w' || ?2, 'https://a.example', '[]', 's', ?2, 0)`,
        )
        .bind(project.number, at),
      project.db
        .prepare(
          `INSERT INTO webhook_deliveries (project_id, webhook_id, event_id, type, status, next_attempt_at, tries_until)
            VALUES (?1, 'w' || ?2, 'e', 'purchase', 'PENDING', ?2, ?2)`,
        )
        .bind(project.number, at),
      project.db
        .prepare("INSERT INTO workflow_hosts (project_id, host, due_at) VALUES (?1, 'h' || ?2, ?2)")
        .bind(project.number, at),
      project.db
        .prepare(
          `INSERT INTO workflow_calls (project_id, contact_id, effect_id, host, request, next_attempt_at, created_at)
            VALUES (?1, 'c', 'e' || ?2, 'h' || ?2, '{}', ?2, 0)`,
        )
        .bind(project.number, at),
    ]);
  }
  await world.sweep("start");
  for (const [table, column] of [
    ["webhooks", "due_at"],
    ["webhook_deliveries", "next_attempt_at"],
    ["workflow_hosts", "due_at"],
    ["workflow_calls", "next_attempt_at"],
  ]) {
    const rows = await project.db
      .prepare(`SELECT ${column} AS at FROM ${table} WHERE project_id = ? ORDER BY at`)
      .bind(project.number)
      .all();
    expect([table, rows.results]).toEqual([table, [{ at: world.now }, { at: hour }]]);
  }
});

/** A mail whose consumer dies once the provider has it, and takes the queue with it. Two were sent before. */
async function dieDuringCall(world: World): Promise<TestProject> {
  const project = await newProject();
  const mail = { to: "ada@example.com", from: `hi@${project.domain}`, subject: "Hi", body: "Hi" };
  await sendAs(world, project, mail);
  // It asks for the project, which later ones know.
  await world.runAndDie({ atStep: 1_000, when: "after" });
  await sendAs(world, project, mail);
  const steps = await world.runAndDie({ atStep: 1_000, when: "after" });
  await sendAs(world, project, mail);
  await world.runAndDie({ atStep: steps.indexOf("provider") + 1, when: "after" });
  world.queue = [];
  world.account = newAccount();
  return project;
}

const statusesIn = async (project: TestProject) => (await emailRows(project)).map(({ status }) => status).toSorted();

it("a start sends no mail again that was handed over, and says at once that nobody knows what became of it", async () => {
  const world = new World();
  const project = await dieDuringCall(world);
  expect(await statusesIn(project)).toEqual(["SENDING", "SENT", "SENT"]);
  await world.sweep();
  expect(await statusesIn(project)).toEqual(["SENDING", "SENT", "SENT"]);
  await world.sweep("start");
  await world.drain();
  expect(await statusesIn(project)).toEqual(["SENT", "SENT", "UNKNOWN"]);
  expect(world.taken.length).toBe(3);
});

it("a start hands mail over again at once to a provider that recognises it, with the same key", async () => {
  const world = new World();
  world.idempotencyWindowMs = 24 * 60 * minuteMs;
  const project = await dieDuringCall(world);
  await world.sweep("start");
  await world.drain();
  expect(await statusesIn(project)).toEqual(["SENT", "SENT", "SENT"]);
  const [, , first, again] = world.calls;
  expect(again).toEqual(first);
});
