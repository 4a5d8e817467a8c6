import { describe, expect, it } from "vitest";
import { deleteField } from "../../src/features/contacts/fields/delete";
import { handleMessage } from "../../src/queue";
import { idSql } from "../support/counts";
import { type Death, wasKilled } from "../support/killable";
import { admin, newProject, type TestProject } from "../support/project";
import { isoTime, uuid } from "../support/refusal";
import { eventCounts } from "../support/rows";
import { World } from "../support/world";

/** The hourly tick, of which the queue then holds nothing but counts. */
async function queueCounts(world: World): Promise<void> {
  world.queue = [];
  await world.sweep("17 * * * *");
  world.queue = world.queue.filter(({ queued }) => queued.message.type === "contacts.count-fields");
}

/** Contacts from..to, straight into the table: all with `all`, every second one with `half`, the first with `first`. */
async function addContacts(project: TestProject, from: number, to: number): Promise<void> {
  const types = { all: "number", half: "string", first: "boolean" };
  await project.db.batch([
    project.db
      .prepare(
        `INSERT INTO contacts (id, project_id, email, subscribed, data, created_at, updated_at)
        WITH RECURSIVE n(i) AS (SELECT CAST(?2 AS INTEGER) UNION ALL SELECT i + 1 FROM n WHERE i < ?3)
        SELECT ${idSql("i")}, ?1, 'c' || i || '@example.com', true,
          CASE WHEN i = 1 THEN '{"all":1,"first":true}' WHEN i % 2 THEN '{"all":' || (i % 3) || '}'
            ELSE '{"all":' || (i % 3) || ',"half":"v' || (i % 5) || '"}' END, i, i FROM n`,
      )
      .bind(project.id, from, to),
    project.db
      .prepare(
        `INSERT INTO contact_fields (project_id, key, type, created_at)
        SELECT ?1, key, value, 0 FROM json_each(?2) WHERE true ON CONFLICT DO NOTHING`,
      )
      .bind(project.id, JSON.stringify(types)),
  ]);
}

/** The share of each custom field, and what the list says of itself. */
async function coverages(project: TestProject): Promise<Record<string, unknown>> {
  const { body } = await project.api.get("/contacts/fields");
  const custom = body.fields.filter((field: { isCustom: boolean }) => field.isCustom);
  const shares = custom.map(({ field, coverage }: { field: string; coverage: number }) => [field.slice(5), coverage]);
  return { ...Object.fromEntries(shares), approximate: body.approximate, countedAt: body.countedAt };
}

async function keptCounts(project: TestProject): Promise<Record<string, [contacts: number | null, at: number | null]>> {
  const { results } = await project.db
    .prepare("SELECT key, contacts, counted_at FROM contact_fields WHERE project_id = ?")
    .bind(project.id)
    .all<{ key: string; contacts: number | null; counted_at: number | null }>();
  return Object.fromEntries(results.map((row) => [row.key, [row.contacts, row.counted_at]]));
}

/** How many contacts have the key, and how many changes all of them have seen. */
async function havingKey(project: TestProject, key: string): Promise<{ contacts: number; changes: number }> {
  const row = await project.db
    .prepare(
      `SELECT count(*) FILTER (WHERE EXISTS (SELECT 1 FROM json_each(data) WHERE key = ?2)) AS contacts,
      sum(version - 1) AS changes FROM contacts WHERE project_id = ?1`,
    )
    .bind(project.id, key)
    .first<{ contacts: number; changes: number }>();
  return row ?? { contacts: 0, changes: 0 };
}

const asIso = (ms: number) => new Date(ms).toISOString();

describe("the fields of a large project", () => {
  it("are exact up to 25,000 contacts, and counted every hour above", async () => {
    const project = await newProject();
    const world = new World();
    await addContacts(project, 1, 25_000);
    expect(await coverages(project)).toEqual({ all: 1, half: 0.5, first: 1 / 25_000 });
    expect((await project.api.get("/contacts/fields/data.half/usage")).body).toMatchObject({ contactCount: 12_500 });
    const exact = (await project.api.get("/contacts/fields/data.first/values")).body;
    expect(exact).toEqual({ field: "data.first", values: [true], count: 1, limit: 100 });
    await queueCounts(world);
    expect(world.queue).toEqual([]);

    // One more: until the first count, the newest 25,000 stand for all.
    await addContacts(project, 25_001, 25_001);
    const isNow = expect.stringMatching(isoTime);
    const shareOfHalf = Math.round((12_500 / 25_000) * 25_001) / 25_001;
    expect(await coverages(project)).toEqual({
      all: 1,
      half: shareOfHalf,
      first: 0,
      approximate: true,
      countedAt: isNow,
    });
    const approximate = { approximate: true, countedAt: isNow };
    for (const [field, values] of Object.entries({ first: [], half: ["v0", "v1", "v2", "v3", "v4"] })) {
      const { body } = await project.api.get(`/contacts/fields/data.${field}/values`);
      expect(body).toEqual({ field: `data.${field}`, values, count: values.length, limit: 100, ...approximate });
    }

    // A second tick queues nothing, and a message that comes twice counts nothing twice.
    await queueCounts(world);
    const queued = world.queue;
    expect(queued).toHaveLength(1);
    await queueCounts(world);
    expect(world.queue).toEqual([]);
    world.queue = [...queued, ...queued];
    const countedAt = world.now;
    await world.drain();
    expect(await coverages(project)).toEqual({
      all: 1,
      half: 12_500 / 25_001,
      first: 1 / 25_001,
      approximate: true,
      countedAt: asIso(countedAt),
    });
    const usage = (await project.api.get("/contacts/fields/data.half/usage")).body;
    expect(usage).toMatchObject({ contactCount: 12_500, approximate: true, countedAt: asIso(countedAt) });
    const email = (await project.api.get("/contacts/fields/email/usage")).body;
    expect([email.contactCount, email.approximate]).toEqual([25_001, undefined]);

    // Killed at every step on the way, an hour later and with another field: the old counts stay until all are new.
    await project.api.post("/contacts", { email: "late@example.com", data: { late: 1, all: 1 } });
    world.now += 3_600_000;
    await queueCounts(world);
    const before = await keptCounts(project);
    expect(before).toEqual({
      all: [25_001, countedAt],
      half: [12_500, countedAt],
      first: [1, countedAt],
      late: [null, null],
    });
    expect((await coverages(project)).late).toBeGreaterThan(0);
    const recounted = {
      all: [25_002, world.now],
      half: [12_500, world.now],
      first: [1, world.now],
      late: [1, world.now],
    };
    const seen = new Set<string>();
    for (let attempt = 0; world.queue.length > 0 && attempt < 100; attempt++) {
      await world.runAndDie({ atStep: 1 + (attempt % 7), when: attempt % 2 ? "before" : "after" });
      seen.add(JSON.stringify(await keptCounts(project)));
    }
    expect([...seen].map((counts) => JSON.parse(counts))).toEqual([before, recounted]);
    expect(world.queue).toEqual([]);
    const { results: jobs } = await project.db
      .prepare("SELECT status, progress, result->>'contacts' AS contacts FROM jobs WHERE project_id = ?")
      .bind(project.id)
      .all();
    expect(jobs).toEqual([{ status: "completed", progress: 100, contacts: 25_002 }]);
  });
});

describe("deleting a field of more than 10,000 contacts", () => {
  async function startDeletion(project: TestProject, world: World, field = "data.half"): Promise<string> {
    const { ctx } = await world.context(project);
    const started = await deleteField(ctx, field);
    return "jobId" in started ? started.jobId : "deleted at once";
  }

  it("is done while the caller waits for 10,000, and by a job for one more", async () => {
    const project = await newProject();
    await addContacts(project, 1, 10_000);
    const atOnce = await project.api.delete("/contacts/fields/data.half");
    expect([atOnce.status, atOnce.body]).toEqual([200, { deletedFrom: 5_000 }]);
    expect(await havingKey(project, "half")).toEqual({ contacts: 0, changes: 5_000 });
    await addContacts(project, 10_001, 10_001);
    const queued = await project.api.delete("/contacts/fields/data.all");
    expect([queued.status, queued.body]).toEqual([202, { jobId: expect.stringMatching(uuid) }]);
  });

  it("shows its progress, outlives a lost message, and ends with the number of contacts that had it", async () => {
    const project = await newProject();
    const world = new World();
    await addContacts(project, 1, 12_000);
    const jobId = await startDeletion(project, world);
    // The field is known to nobody from now on, and the next value registers it anew.
    expect(await coverages(project)).toEqual({ all: 1, first: 1 / 12_000 });
    expect((await project.api.delete("/contacts/fields/data.half")).status).toBe(404);
    const late = { email: "late@example.com", data: { half: 1 } };
    expect((await project.api.post("/contacts", late)).status).toBe(201);

    // Finds the project, takes the job, looks for the next contacts, changes them; and dies on its way to the next.
    await world.runAndDie({ atStep: 5, when: "before" });
    const { progress, status, result } = (await project.api.get(`/jobs/${jobId}`)).body;
    expect([status, progress, result]).toEqual(["processing", Math.floor(500_000 / 12_001), { deletedFrom: 2_500 }]);
    expect(await havingKey(project, "half")).toEqual({ contacts: 3_501, changes: 2_500 });
    world.queue = [];
    await world.pass(6);
    expect((await project.api.get(`/jobs/${jobId}`)).body).toMatchObject({
      type: "contacts.delete-field",
      status: "completed",
      progress: 100,
      result: { deletedFrom: 6_000 },
    });
    // What a contact of later has stays.
    expect(await havingKey(project, "half")).toEqual({ contacts: 1, changes: 6_000 });
    const values = (await project.api.get("/contacts/fields/data.half/values")).body;
    expect(values).toMatchObject({ values: [1], count: 1 });
    expect(await eventCounts(project)).toEqual({});
  });

  it("goes on where it was killed, and counts nothing twice", async () => {
    const project = await newProject();
    const world = new World();
    await addContacts(project, 1, 12_000);
    const jobId = await startDeletion(project, world);
    for (let attempt = 0; world.queue.length > 0 && attempt < 100; attempt++) {
      await world.runAndDie({ atStep: 1 + (attempt % 7), when: attempt % 2 ? "before" : "after" });
    }
    expect(world.queue).toEqual([]);
    expect((await project.api.get(`/jobs/${jobId}`)).body.result).toEqual({ deletedFrom: 6_000 });
    expect(await havingKey(project, "half")).toEqual({ contacts: 0, changes: 6_000 });
  });

  it("happens wholly or not at all when its call is killed", async () => {
    const project = await newProject();
    const world = new World();
    await addContacts(project, 1, 10_001);
    // Looks, commits, announces.
    const deaths: [field: string, death: Death, left: number][] = [
      ["all", { atStep: 2, when: "before" }, 10_001],
      ["first", { atStep: 2, when: "after" }, 0],
      ["half", { atStep: 3, when: "before" }, 0],
    ];
    for (const [key, death, left] of deaths) {
      const { ctx } = await world.context(project, death);
      await deleteField(ctx, `data.${key}`).catch((error: unknown) => {
        if (!wasKilled(error)) throw error;
      });
      await world.pass(6);
      expect((await havingKey(project, key)).contacts, key).toBe(left);
    }
    expect(await coverages(project)).toEqual({ all: 1 });
  });

  it("is done once by two runs at the same time, and by two calls", async () => {
    const project = await newProject();
    const world = new World();
    await addContacts(project, 1, 11_000);
    const calls = await Promise.allSettled([startDeletion(project, world), startDeletion(project, world)]);
    const jobIds = calls.flatMap((call) => (call.status === "fulfilled" ? [call.value] : []));
    expect(jobIds).toHaveLength(1);
    const [message] = world.queue.splice(0);
    if (!message) throw new Error("Nothing was queued");
    const run = () => handleMessage(world.process().platform, message.queued.message);
    await Promise.all([run(), run()]);
    await world.drain();
    expect((await project.api.get(`/jobs/${jobIds[0]}`)).body.result).toEqual({ deletedFrom: 5_500 });
    expect(await havingKey(project, "half")).toEqual({ contacts: 0, changes: 5_500 });
  });

  it("is called off with its project", async () => {
    const project = await newProject();
    const world = new World();
    await addContacts(project, 1, 10_001);
    const jobId = await startDeletion(project, world);
    await admin.delete(`/admin/projects/${project.id}`);
    await world.drain();
    expect(await project.db.prepare("SELECT 1 FROM jobs WHERE id = ?").bind(jobId).first()).toBeNull();
  });
});
