import { runInDurableObject } from "cloudflare:test";
import { env, exports } from "cloudflare:workers";
import { describe, expect, it } from "vitest";
import { readId } from "../../src/core/ids";
import { startCampaign } from "../../src/features/campaigns/start";
import {
  backUp,
  folderOfBackup,
  linesBelow,
  type Row,
  rawDatabaseOf,
  rowsOfBackup,
  rowsOfProject,
  statusOfJob,
} from "../support/backup";
import { newCampaign } from "../support/campaign";
import { png } from "../support/images";
import { utf8 } from "../support/import";
import { type Death, wasKilled } from "../support/killable";
import { admin, newProject, type TestProject } from "../support/project";
import { randomOf } from "../support/random";
import { startRestore } from "../support/restore";
import { newSegment } from "../support/segment";
import { newTemplate } from "../support/template";
import { formOf, postFile, putFile } from "../support/upload";
import { newWebhook } from "../support/webhook";
import { addressOf, awaitingPurchase, newWorkflow, track } from "../support/workflow";
import { shardStub, World } from "../support/world";

const email = (number: number) => `p${number}@example.com`;
const hourMs = 3_600_000;
const dayMs = 24 * hourMs;

/** A project with mail that waits, a campaign on its way and one that is scheduled, and executions that wait. */
async function busyProject(world: World, contacts = 12): Promise<TestProject> {
  const project = await newProject();
  const { api } = project;
  const scheduledAt = new Date(world.now + dayMs).toISOString();
  await api.send({ to: Array.from({ length: contacts }, (_, n) => email(n)), scheduledAt });
  await newTemplate(project, { body: `<p>${"long ".repeat(20_000)}</p>` });
  const image = await postFile(project, formOf(png, "logo.png"));
  await newTemplate(project, { name: "Image", body: `<img src="${image.body.url}">` });
  await newWebhook(world, project, ["contact.unsubscribed"]);
  await api.post("/suppressions", { email: email(1), reason: "manual" });
  await newWorkflow(project, awaitingPurchase());
  await newSegment(project);
  const { body: sleepy } = await api.get(`/contacts?email=${email(7)}`);
  await api.post(`/contacts/${sleepy.data[0].id}/snooze`, { until: new Date(world.now + 9 * dayMs).toISOString() });
  for (const n of [2, 3, 4]) await track(world, project, "signup", { email: email(n) });
  await world.drain();
  await track(world, project, "purchase", { email: email(4) });
  await world.drain();
  const later = await newCampaign(project, { name: "Later", type: "TRANSACTIONAL" });
  await api.post(`/campaigns/${later.id}/send`, { scheduledFor: new Date(world.now + 2 * dayMs).toISOString() });
  const now = await newCampaign(project, { name: "Now", type: "TRANSACTIONAL" });
  await startCampaign((await world.context(project)).ctx, readId(now.id), "send");
  // Its run writes the ledger and releases it, and no mail is handed over.
  for (let messages = 0; messages < 3; messages++) {
    world.queue = world.queue.filter(({ queued }) => queued.message.type === "campaigns.run");
    if (world.queue.length > 0) await world.runAndDie({ atStep: 1_000, when: "before" });
  }
  world.queue = [];
  return project;
}

/** The columns that a restored project has other than its backup, by table: docs/backups.md names them. */
const changed: Record<string, readonly string[]> = {
  emails: ["status", "error", "next_attempt_at", "due_at", "look_up_at"],
  campaigns: ["status", "held_reason", "scheduled_for"],
  campaign_pages: ["recount_at", "open", "counts", "counts_before", "count_id", "hours"],
  campaign_counts: ["queued", "unknown"],
  webhooks: ["disabled_at", "disabled_reason"],
  domains: ["status", "verified_at", "created_with", "next_check_at", "failing_since"],
  // Both name the project: the key of a file, and the URL of an image in a body.
  template_versions: ["body_key", "body"],
  workflow_executions: ["updated_at", "wake_at", "version"],
};

async function folderBelow(prefix: string): Promise<string> {
  const [file] = (await env.BLOBS.list({ prefix, limit: 1 })).objects;
  return file?.key.split("/").slice(0, 3).join("/") ?? "";
}

/** The files of a backup, each with a hash. */
async function filesBelow(folder: string): Promise<Map<string, string>> {
  const { objects } = await env.BLOBS.list({ prefix: `${folder}/` });
  return new Map(objects.map(({ key, etag }) => [key.slice(folder.length + 1), etag]));
}

/** The names of all files of a backup, page by page. */
async function namesOfFiles(backup: string): Promise<string[]> {
  const names: string[] = [];
  for (let after = ""; ; ) {
    const { body } = await admin.get(`/admin/backups/${backup}/files?limit=3${after}`);
    names.push(...body.data.map(({ name }: { name: string }) => name));
    if (!body.hasMore) return names;
    after = `&cursor=${body.cursor}`;
  }
}

async function download(backup: string, name: string): Promise<Uint8Array<ArrayBuffer>> {
  const url = `https://petrel.example/admin/backups/${backup}/file?name=${name}`;
  const response = await exports.default.fetch(url, { headers: { Authorization: `Bearer ${env.ADMIN_TOKEN}` } });
  expect(response.status).toBe(200);
  return new Uint8Array(await response.arrayBuffer());
}

function comparable(rows: Record<string, Row[]>): Record<string, Row[]> {
  const entries = Object.entries(rows).map(([table, all]): [string, Row[]] => {
    const left = changed[table] ?? [];
    // The run of a scheduled campaign has not begun.
    const kept = table === "campaign_runs" ? all.filter(({ progress }) => progress !== "{}") : all;
    return [table, kept.map((row) => Object.fromEntries(Object.entries(row).filter(([name]) => !left.includes(name))))];
  });
  return Object.fromEntries(entries);
}

async function settingsOf({ number }: TestProject) {
  return env.DB.prepare("SELECT name, disabled, restoring, disabled_reason FROM projects WHERE number = ?")
    .bind(number)
    .first<Row>();
}

async function executionsOf({ api }: TestProject) {
  const { body } = await api.get("/workflows");
  const id = body.data[0].id;
  const list = await api.get(`/workflows/${id}/executions`);
  return list.body.data as { id: string; status: string; exitReason: string | null }[];
}

describe("a restore", () => {
  it("has the rows, executions and files of the backup, beside the original", { timeout: 60_000 }, async () => {
    const world = new World();
    const original = await busyProject(world);
    const backup = await backUp(world, original);
    const folder = await folderOfBackup(original);
    const before = await rowsOfProject(original);
    const copy = await startRestore(world, backup);
    await world.drain();

    const job = await admin.get(`/admin/jobs/${copy.jobId}`);
    expect(job.body).toMatchObject({
      status: "completed",
      type: "project.restore",
      result: {
        projectId: copy.id,
        backup,
        changed: { pausedCampaigns: 1, unscheduledCampaigns: 1, webhooks: 1, domains: 1, jobs: 0 },
      },
    });
    expect(comparable(await rowsOfProject(copy))).toEqual(comparable(await rowsOfBackup(folder)));
    expect(await rowsOfProject(original)).toEqual(before);
    expect(await settingsOf(copy)).toMatchObject({ name: "Test (restored)", disabled: 1, restoring: 0 });
    const { objects } = await env.BLOBS.list({ prefix: `template/${copy.id}/` });
    expect(objects).toHaveLength(1);
    const keys = await (await rawDatabaseOf(copy))
      .prepare("SELECT body_key FROM template_versions WHERE project_id = ? AND body_key IS NOT NULL")
      .bind(copy.number)
      .all<{ body_key: string }>();
    expect(keys.results.map(({ body_key }) => body_key)).toEqual(objects.map(({ key }) => key));

    const { body: templates } = await copy.api.get("/templates?search=Image");
    const { body: template } = await copy.api.get(`/templates/${templates.data[0].id}`);
    const [, path = ""] = /src="https:\/\/petrel.example([^"]+)"/.exec(template.body) ?? [];
    expect((await exports.default.fetch(`https://petrel.example${path}`)).status).toBe(200);
    expect((await copy.api.get("/files")).body.data[0].url).toContain(path);

    // A backup of the copy is a backup like the first.
    await backUp(world, copy);
    expect(comparable(await rowsOfBackup(await folderOfBackup(copy)))).toEqual(comparable(await rowsOfBackup(folder)));
    const executions = async (of: string) =>
      (await linesBelow(`${of}/executions/`)).map(({ table, row }) => {
        const { change: _, ...rest } = row as Row;
        return JSON.stringify({ table, row: rest });
      });
    expect((await executions(await folderOfBackup(copy))).toSorted()).toEqual((await executions(folder)).toSorted());
  });

  it("is the same after it was downloaded and uploaded, and the upload is deleted as backups are", async () => {
    const world = new World();
    const project = await newProject();
    const image = await postFile(project, formOf(png, "logo.png"));
    await newTemplate(project, { body: `<p>${"long ".repeat(20_000)}</p><img src="${image.body.url}">` });
    await newWorkflow(project, awaitingPurchase());
    await track(world, project, "signup", { email: email(1) });
    await world.drain();
    const backup = await backUp(world, project);
    const folder = await folderOfBackup(project);
    // A late run of the backup may leave such a part.
    const [part = ""] = [...(await filesBelow(folder)).keys()].filter((name) => name.startsWith("executions/"));
    await env.BLOBS.put(`${folder}/${part.replace(/-\w+/, "-00000000")}`, "late");
    const upload = (await admin.post("/admin/backups", {})).body.id;
    const isLate = (name: string) => name.includes("-00000000");
    const names = await namesOfFiles(backup);
    for (const name of names.filter((each) => each !== "manifest.json")) {
      expect((await putFile(upload, name, await download(backup, name))).status).toBe(204);
    }
    expect((await admin.post("/admin/restore", { backup: upload })).status).toBe(409);
    const manifest = await download(backup, "manifest.json");
    // Its answer may be lost.
    for (const _ of [1, 2]) expect((await putFile(upload, "manifest.json", manifest)).status).toBe(204);
    for (const name of ["manifest.json", "rows/contacts/000001.ndjson"]) {
      expect((await putFile(upload, name, utf8("more"))).status).toBe(409);
    }
    const uploadFolder = await folderBelow(`backups/${upload}/`);
    const [made, sent] = [await filesBelow(folder), await filesBelow(uploadFolder)];
    expect(sent).toEqual(new Map([...made].filter(([name]) => !isLate(name))));

    const copy = await startRestore(world, upload);
    await world.drain();
    expect((await admin.get(`/admin/jobs/${copy.jobId}`)).body).toMatchObject({ status: "completed", errors: [] });
    expect(comparable(await rowsOfProject(copy))).toEqual(comparable(await rowsOfBackup(folder)));
    const isThere = async () => (await filesBelow(uploadFolder)).size > 0;
    expect(await isThere()).toBe(true);
    world.now += 31 * dayMs;
    await world.sweep("47 * * * *");
    expect(await isThere()).toBe(false);
    expect((await putFile(upload, "manifest.json", manifest)).status).toBe(404);
  });

  it("sends nothing, neither while the project is disabled nor of what the original may have sent", async () => {
    const world = new World();
    const original = await busyProject(world);
    const backup = await backUp(world, original);
    const copy = await startRestore(world, backup);
    await world.drain();
    const { body: emails } = await copy.api.get("/emails?limit=100");
    expect(new Set(emails.data.map(({ status }: Row) => status))).toEqual(new Set(["UNKNOWN", "SUPPRESSED"]));
    await admin.delete(`/admin/projects/${original.id}`);
    world.queue = [];
    // Other projects of these tests send on.
    const mail = () => world.taken.filter(({ projectId }) => projectId === copy.id);
    await world.pass(5);
    expect(mail()).toEqual([]);
    const enabled = await admin.patch(`/admin/projects/${copy.id}`, { disabled: false });
    expect(enabled.body).toMatchObject({ disabled: false, disabledReason: null });
    await world.pass(3 * 24 * 60, 6 * 60);
    expect(mail()).toEqual([]);
    const { body: campaigns } = await copy.api.get("/campaigns");
    expect(campaigns.data.map(({ name, status, heldReason }: Row) => ({ name, status, heldReason }))).toEqual([
      { name: "Now", status: "SENDING", heldReason: "paused" },
      { name: "Later", status: "DRAFT", heldReason: null },
    ]);

    // A person lets go what was not sent: each email goes once.
    const unknown = await copy.api.post("/emails/retry", { status: "UNKNOWN" });
    expect(unknown.status).toBe(202);
    await copy.api.post(`/campaigns/${campaigns.data[0].id}/resume`);
    await world.pass(10);
    const sent = mail().map(({ emailId }) => emailId);
    // One address is suppressed.
    const sendable = emails.data.filter(({ status, to }: Row) => status === "UNKNOWN" && to !== email(1));
    expect(sent).toHaveLength(sendable.length);
    expect(new Set(sent).size).toBe(sent.length);
    expect((await copy.api.get(`/campaigns/${campaigns.data[0].id}`)).body.status).toBe("SENT");
  });

  it("keeps executions that wait, and ends those whose time came before it was enabled", async () => {
    const world = new World();
    const original = await busyProject(world);
    const backup = await backUp(world, original);
    const [early, late] = [await startRestore(world, backup), await startRestore(world, backup)];
    await world.drain();
    expect((await executionsOf(early)).map(({ status }) => status).toSorted()).toEqual([
      ...["EXITED", "WAITING", "WAITING"],
    ]);
    const enable = (project: TestProject) => admin.patch(`/admin/projects/${project.id}`, { disabled: false });
    await enable(early);
    await track(world, early, "purchase", { email: email(2) });
    await world.drain();
    expect((await executionsOf(early)).map(({ status, exitReason }) => ({ status, exitReason }))).toContainEqual({
      ...{ status: "EXITED", exitReason: "bought" },
    });
    world.now += 2 * hourMs;
    await world.pass(2);
    await enable(late);
    await world.pass(2);
    const ended = (await executionsOf(late)).filter(({ status }) => status === "CANCELLED");
    expect(ended).toHaveLength(2);
    expect(ended[0]?.exitReason).toBe("Restored from a backup: the original may have taken this step");
    // Who entered a workflow may not enter again: the copy knows them.
    await track(world, late, "signup", { email: email(2) });
    await world.drain();
    expect(await executionsOf(late)).toHaveLength(3);
  });

  it("goes on after a death at any step, and is the same", { timeout: 120_000 }, async () => {
    const world = new World();
    const original = await busyProject(world);
    const backup = await backUp(world, original);
    const folder = await folderOfBackup(original);
    const copy = await startRestore(world, backup);
    const random = randomOf(5);
    let deaths = 0;
    for (let runs = 0; world.queue.length > 0 && runs < 2_000; runs++) {
      // Each message comes twice.
      const [next] = world.queue;
      if (next && runs % 3 === 0) world.queue.push(next);
      const death: Death = { atStep: 3 + random.below(9), when: random.isIn(50) ? "before" : "after" };
      try {
        await world.runAndDie(death);
        deaths++;
      } catch (error) {
        if (!wasKilled(error)) throw error;
      }
    }
    expect(deaths).toBeGreaterThan(10);
    expect(await statusOfJob(copy, copy.jobId)).toBe("completed");
    expect(comparable(await rowsOfProject(copy))).toEqual(comparable(await rowsOfBackup(folder)));
    expect((await executionsOf(copy)).map(({ status }) => status).toSorted()).toEqual([
      ...["EXITED", "WAITING", "WAITING"],
    ]);
  });

  it("of a project with a test clock follows a clock of its own", async () => {
    const world = new World();
    const original = await newProject({ testClock: true });
    await original.api.post("/contacts", { email: email(1) });
    await backUp(world, original);
    // As if the files came from another installation, which has the only row of the backup.
    const folder = await folderOfBackup(original);
    await env.DB.prepare("DELETE FROM backups WHERE project = ?").bind(original.id).run();
    const copy = await startRestore(world, folder, { as: "Copy" });
    await world.drain();
    const { results } = await (await rawDatabaseOf(copy))
      .prepare("SELECT DISTINCT clock FROM contacts WHERE project_id = ?")
      .bind(copy.number)
      .all();
    expect(results).toEqual([{ clock: copy.number }]);
    expect((await admin.get(`/admin/projects/${copy.id}`)).body).toMatchObject({ name: "Copy", testClock: true });
    const { results: clocks } = await env.DB.prepare(
      "SELECT coalesce(clock_at, created_at) AS at FROM projects WHERE number IN (?, ?)",
    )
      .bind(original.number, copy.number)
      .all();
    expect(clocks[0]).toEqual(clocks[1]);
  });
});

/** A project with a workflow that starts each hour, and one contact whom it starts. */
async function hourlyProject(): Promise<TestProject> {
  const project = await newProject();
  await project.api.post("/contacts", { email: email(1), data: { plan: "pro" } });
  const { id: segmentId } = await newSegment(project);
  const given = { triggerType: "SCHEDULE", triggerConfig: { cron: "@hourly", segmentId }, allowReentry: true };
  const { body, status } = await project.api.post("/workflows", { name: "Hourly", ...given });
  expect(status).toBe(201);
  expect((await project.api.patch(`/workflows/${body.id}`, { enabled: true })).status).toBe(200);
  return project;
}

describe("a restored project that is enabled at once", () => {
  it("starts no tick that passed since the backup, and its links lead here", async () => {
    const world = new World();
    const backup = await backUp(world, await hourlyProject());
    world.now += 2 * hourMs;
    const copy = await startRestore(world, backup, { origin: "https://other.example" });
    await world.drain();
    await admin.patch(`/admin/projects/${copy.id}`, { disabled: false });
    const { results } = await (await rawDatabaseOf(copy))
      .prepare("SELECT clock, next_tick_at, link_base FROM workflows WHERE project_id = ?")
      .bind(copy.number)
      .all<Row>();
    const next = (Math.floor(world.now / hourMs) + 1) * hourMs;
    expect(results).toEqual([{ clock: 0, next_tick_at: next, link_base: "https://other.example" }]);
    await world.sweep();
    await world.drain();
    expect(await executionsOf(copy)).toEqual([]);
    world.now = next;
    await world.sweep();
    await world.drain();
    expect(await executionsOf(copy)).toHaveLength(1);
  });

  it("wakes a shard that has just found it disabled", async () => {
    const world = new World();
    const project = await newProject();
    await newWorkflow(project, awaitingPurchase());
    const { contactId } = await track(world, project, "signup", { email: email(1) });
    await world.drain();
    const copy = await startRestore(world, await backUp(world, project));
    await world.drain();
    const address = addressOf(copy, contactId);
    const poke = () => runInDurableObject(shardStub(address), (object) => object.poke(address));
    let second: Promise<void> | null = null;
    world.fault = {
      meet: async (trip, make) => {
        const answer = await make();
        if (second === null && trip.sql.some((text) => /from "projects"/i.test(text))) {
          await env.DB.prepare("UPDATE projects SET disabled = 0 WHERE number = ?").bind(copy.number).run();
          second = poke();
          await runInDurableObject(shardStub(address), () => {});
        }
        return answer;
      },
    };
    await runInDurableObject(shardStub(address), (object) => {
      object.openPlatform = () => world.shardPlatform();
    });
    await poke();
    const sleep = () =>
      runInDurableObject(shardStub(address), async (object, { storage }) => {
        await object.rest();
        return storage.kv.get("sleep");
      });
    await sleep();
    expect(second).not.toBeNull();
    await second;
    expect(await sleep()).toBe("awake");
  });

  it("is cleared from a shard that is filled after its deletion", async () => {
    const world = new World();
    const project = await newProject();
    await newWorkflow(project, awaitingPurchase());
    const { contactId } = await track(world, project, "signup", { email: email(1) });
    await env.DB.prepare("UPDATE projects SET deleted_at = 1 WHERE number = ?").bind(project.number).run();
    const address = addressOf(project, contactId);
    const contents = () =>
      runInDurableObject(shardStub(address), async (_, { storage }) => [...storage.kv.list()].map(([key]) => key));
    await runInDurableObject(shardStub(address), async (object) => {
      object.openPlatform = () => world.shardPlatform();
      await object.importRows(address, [], false);
    });
    expect(await contents()).toContain("sleep");
    world.now += dayMs;
    expect(await world.ring(address)).toBe(true);
    expect(await contents()).toEqual([]);
  });
});
