import { env } from "cloudflare:workers";
import { describe, expect, it } from "vitest";
import { noRows, type StorageCount } from "../../src/core/storage";
import { knownProjects } from "../../src/engine/projects/cache";
import { countStorage } from "../../src/features/projects/usage/count";
import { admin, newProject, type TestProject } from "../support/project";
import { World } from "../support/world";

const megabyte = 1024 * 1024;

/** Lets the project be counted now, as its time will come. */
async function count(world: World, project: TestProject): Promise<void> {
  await env.DB.prepare("UPDATE projects SET storage_due_at = 0 WHERE number = ?").bind(project.number).run();
  await countStorage(world.process().platform);
}

async function fill(project: TestProject, bytes: Partial<StorageCount["bytes"]>): Promise<void> {
  const storage: StorageCount = { rows: { ...noRows(), events: 9 }, bytes: { ...noRows(), ...bytes }, countedAt: 1 };
  await env.DB.prepare("UPDATE projects SET storage = ? WHERE number = ?")
    .bind(JSON.stringify(storage), project.number)
    .run();
  knownProjects.clear();
}

const usageOf = async (project: TestProject) => (await admin.get(`/admin/projects/${project.id}/usage`)).body;

/** The count that the sweep has kept. */
async function keptOf({ number }: TestProject): Promise<StorageCount> {
  const row = env.DB.prepare("SELECT storage FROM projects WHERE number = ?").bind(number);
  return JSON.parse((await row.first<string>("storage")) ?? "null");
}

describe("the count of what a project stores", () => {
  it("is of this moment while the project is small, and the limit counts from then on", async () => {
    const project = await newProject({ maxStorageMb: 1 });
    expect(await usageOf(project)).toMatchObject({ rows: { contacts: 0 }, limitBytes: megabyte });
    for (let index = 0; index < 20; index++) {
      await project.api.post("/contacts", { email: `c${index}@example.com`, data: { x: "y".repeat(60_000) } });
    }
    const usage = await usageOf(project);
    expect(usage.rows.contacts).toBe(20);
    expect(usage.totalBytes).toBeGreaterThan(megabyte);
    expect(Date.now() - Date.parse(usage.countedAt)).toBeLessThan(60_000);
    const refused = await project.api.post("/contacts", { email: "new@example.com" });
    expect([refused.status, refused.body.error.code]).toEqual([402, "STORAGE_LIMIT_EXCEEDED"]);
  });

  it("is kept, by kind, and a later one follows what was added and deleted", async () => {
    const [world, project, other] = [new World(), await newProject(), await newProject()];
    expect(await keptOf(project)).toBeNull();
    for (let index = 0; index < 3; index++) await project.api.post("/contacts", { email: `c${index}@example.com` });
    await project.api.post("/events/track", { email: "c0@example.com", event: "bought" });
    await other.api.post("/contacts", { email: "other@example.com" });
    await count(world, project);
    const usage = await keptOf(project);
    expect(usage).toMatchObject({ rows: { contacts: 3 } });
    expect(usage.rows.events).toBeGreaterThan(0);
    expect(usage.bytes.contacts).toBeGreaterThan(3 * 200);
    expect(usage.countedAt).toBe(world.now);
    const [contact] = (await project.api.get("/contacts")).body.data;
    await project.api.delete(`/contacts/${contact.id}`);
    await count(world, project);
    expect((await keptOf(project)).rows.contacts).toBe(2);
  });

  it("goes on where it stopped, window by window, and is near what the database says", async () => {
    const [world, project] = [new World(), await newProject({}, "DB")];
    const before = (await env.DB.prepare("SELECT 1").all()).meta.size_after;
    const many = 20_300;
    await env.DB.prepare(
      `INSERT INTO contacts (project_id, id, email, subscribed, clock, source, data, version, created_at, updated_at)
          WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ${many})
          SELECT ?, printf('01%020d', i), printf('person%06d@example.com', i), 1, 0, 'API',
            '{"firstName":"Ada","plan":"pro","city":"Berlin"}', 1, 1790000000000, 1790000000000 FROM n`,
    )
      .bind(project.number)
      .run();
    const grown = (await env.DB.prepare("SELECT 1").all()).meta.size_after - before;
    // The first of two ticks at once counts, and the other writes nothing.
    await Promise.all([count(world, project), countStorage(world.process().platform)]);
    const usage = await keptOf(project);
    expect(usage.rows.contacts).toBe(many);
    expect(usage.bytes.contacts / grown).toBeGreaterThan(0.75);
    expect(usage.bytes.contacts / grown).toBeLessThan(1.35);
    // The tests count every project anew.
    await env.DB.prepare("DELETE FROM contacts WHERE project_id = ?").bind(project.number).run();
  });

  it("goes on from where a tick has come that died, also when a table is gone since", async () => {
    const [world, project] = [new World(), await newProject()];
    await project.api.post("/contacts", { email: "ada@example.com" });
    const progress = { left: ["gone", "contacts"], after: null, rows: { ...noRows(), events: 7 }, bytes: noRows() };
    await env.DB.prepare("UPDATE projects SET storage_progress = ? WHERE number = ?")
      .bind(JSON.stringify(progress), project.number)
      .run();
    await count(world, project);
    expect((await keptOf(project)).rows).toMatchObject({ events: 7, contacts: 1, emails: 0 });
  });

  it("is due again sooner the nearer the limit is", async () => {
    const [world, project] = [new World(), await newProject()];
    await count(world, project);
    const due = () =>
      env.DB.prepare("SELECT storage_due_at FROM projects WHERE number = ?")
        .bind(project.number)
        .first("storage_due_at");
    expect(await due()).toBe(world.now + 24 * 3_600_000);
  });

  it("of a project that is not there is a 404", async () => {
    expect((await admin.get("/admin/projects/0199a0f2-0b7a-7c11-8e0f-3d2c1b0a9f8e/usage")).status).toBe(404);
  });
});

describe("a project above its maxStorageMb", () => {
  async function full(): Promise<TestProject> {
    const project = await newProject();
    await project.api.post("/contacts", { email: "known@example.com" });
    await admin.patch(`/admin/projects/${project.id}`, { maxStorageMb: 10 });
    await fill(project, { events: 8 * megabyte, contacts: 2 * megabyte, emails: 3 * megabyte, files: 1 });
    return project;
  }
  const sent = (project: TestProject, to: string) => ({ to, from: `hi@${project.domain}`, subject: "Hi", body: "Hi" });

  it("is told what takes the room, and how to make some", async () => {
    const project = await full();
    const { status, body } = await project.api.post("/contacts", { email: "new@example.com" });
    expect(status).toBe(402);
    expect(body.error).toMatchObject({
      code: "STORAGE_LIMIT_EXCEEDED",
      details: { maxStorageMb: 10, largest: [{ kind: "events" }, { kind: "emails" }, { kind: "contacts" }] },
    });
    expect(body.error.message ?? body.message).toContain("events (8 MB), emails (3 MB), contacts (2 MB)");
    expect(body.error.suggestion).toContain("delete events with DELETE /events/{eventName}");
    expect((await project.api.get("/contacts")).body.total).toBe(1);
  });

  it("adds nothing: no template, event, segment or marketing mail, and no mail to strangers", async () => {
    const project = await full();
    const template = { name: "T", subject: "S", body: "B", from: `hi@${project.domain}` };
    const [contact] = (await project.api.get("/contacts")).body.data;
    const change = (data: unknown) => project.api.patch(`/contacts/${contact.id}`, { data });
    expect((await change({ plan: "pro" })).status).toBe(402);
    expect((await change({ plan: null })).status).toBe(200);
    const calls: [path: string, body: unknown][] = [
      ["/templates", template],
      ["/events/track", { email: "known@example.com", event: "bought" }],
      ["/segments", { name: "All", type: "STATIC" }],
      ["/v1/send", sent(project, "stranger@example.com")],
    ];
    for (const [path, body] of calls) expect((await project.api.post(path, body)).status, path).toBe(402);
  });

  it("still mails known contacts, and takes opt-outs, suppressions and deletions", async () => {
    const project = await full();
    expect((await project.api.post("/v1/send", sent(project, "known@example.com"))).status).toBe(200);
    const optOut = { email: "known@example.com", event: "left", subscribed: false };
    expect((await project.api.post("/events/track", optOut)).status).toBe(200);
    expect((await project.api.post("/suppressions", { email: "gone@example.com" })).status).toBe(201);
    const [contact] = (await project.api.get("/contacts")).body.data;
    expect(contact.subscribed).toBe(false);
    expect((await project.api.delete(`/contacts/${contact.id}`)).status).toBeLessThan(300);
  });

  it("goes on once the operator raises the limit, or there is none", async () => {
    const project = await full();
    const attention = async () => (await project.api.get("/attention")).body.items;
    const [item] = await attention();
    expect(item).toMatchObject({
      code: "storage_limit_reached",
      severity: "act",
      action: { body: { maxStorageMb: 20 } },
    });
    await admin.patch(`/admin/projects/${project.id}`, { maxStorageMb: 16 });
    expect((await attention())[0]).toMatchObject({ code: "storage_limit_near", severity: "warn" });
    await admin.patch(`/admin/projects/${project.id}`, { maxStorageMb: 0 });
    expect((await project.api.post("/contacts", { email: "new@example.com" })).status).toBe(201);
    expect(await usageOf(project)).toMatchObject({ limitBytes: null });
  });
});
