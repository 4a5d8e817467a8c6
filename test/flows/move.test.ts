import { describe, expect, it, vi } from "vitest";
import { publicId } from "../../src/core/ids";
import { deleteProject } from "../../src/features/projects/delete";
import { takeMoveBack } from "../../src/features/projects/move/take-back";
import { databaseOf } from "../support/database";
import { type Death, wasKilled } from "../support/killable";
import { elsewhere, emptiesLeft, finishes, moves, rowsIn, shardOf, startsMove, tracesIn } from "../support/move";
import { admin, bearer, call, newProject, type TestProject } from "../support/project";
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

describe("a move", () => {
  it("takes all rows along, and what was left goes after an hour", { timeout: 60_000 }, async () => {
    const world = new World();
    const project = await fullProject(world, 130);
    const [from, to] = [await shardOf(project), await elsewhere(project)];
    const before = await rowsIn(from, project);
    const job = await moves(world, project);
    expect(job).toMatchObject({ status: "completed", result: { database: to } });
    expect(await shardOf(project)).toBe(to);
    expect(await rowsIn(to, project)).toEqual(before);
    expect(await tracesIn(to, project)).toEqual({ triggers: 0, keys: 0 });
    expect((await project.api.get(`/contacts?search=${email(7)}`)).body.data).toHaveLength(1);

    await emptiesLeft(world);
    expect(await rowsIn(from, project)).toEqual({});
    expect(await tracesIn(from, project)).toEqual({ triggers: 0, keys: 0 });
    expect((await admin.get(`/admin/projects/${project.id}`)).body.moving).toBeNull();
  });

  it("loses nothing that was answered, whatever is written meanwhile and wherever it dies", {
    timeout: 180_000,
  }, async () => {
    const world = new World();
    const project = await fullProject(world, 130);
    const [from, to] = [await shardOf(project), await elsewhere(project)];
    const random = randomOf(5);
    const people = new People(project, random);
    await people.meet();
    const jobId = await startsMove(world, project, to);
    let isBusy = false;
    let changes = 0;
    world.fault = {
      meet: async (_, make) => {
        if (isBusy || changes > 150 || !random.isIn(30) || (await shardOf(project)) === to) return make();
        isBusy = true;
        changes++;
        await people.act();
        isBusy = false;
        return make();
      },
    };
    let deaths = 0;
    for (let runs = 0; runs < 400 && (await statusOf(jobId)) !== "completed"; runs++) {
      if (world.queue.length === 0) {
        world.now += 60_000;
        await world.sweep();
      }
      const death: Death = { atStep: 3 + random.below(40), when: random.isIn(50) ? "before" : "after" };
      try {
        if (world.queue.length > 0) await world.runAndDie(death);
        deaths++;
      } catch (error) {
        if (!wasKilled(error)) throw error;
      }
      world.now += 5_000;
    }
    world.fault = null;
    expect(await statusOf(jobId)).toBe("completed");
    expect(deaths).toBeGreaterThan(10);
    expect(changes).toBeGreaterThan(60);
    expect(await shardOf(project)).toBe(to);
    // Behind the fence, the old rows stay as they were at the switch.
    expect(await rowsIn(to, project)).toEqual(await rowsIn(from, project));
    expect(await tracesIn(to, project)).toEqual({ triggers: 0, keys: 0 });
    await people.expectAll();
    await finishes(world);
    await emptiesLeft(world);
    expect(await rowsIn(from, project)).toEqual({});
  });

  it("refuses writes for a moment, and reads go on", async () => {
    const world = new World();
    const project = await fullProject(world, 5);
    const [from, to] = [await shardOf(project), await elsewhere(project)];
    const answers: Record<string, { status: number; retryAfter: string | null; message: string }>[] = [];
    const [failed, said] = [vi.spyOn(console, "error"), vi.spyOn(console, "log")];
    world.fault = {
      meet: async (trip, make) => {
        if (!trip.sql.some((text) => text.includes("UPDATE projects SET shard"))) return make();
        world.fault = null;
        const write = await project.api.post("/contacts", { email: "late@example.com" });
        const track = await call(
          "POST",
          "/v1/track",
          { email: "late@example.com", event: "signup" },
          bearer(project.keys.public),
        );
        const read = await project.api.get("/contacts");
        const seen = (each: typeof write) => ({
          status: each.status,
          retryAfter: each.headers.get("Retry-After"),
          message: each.body.error?.message ?? "",
        });
        answers.push({ write: seen(write), track: seen(track), read: seen(read) });
        return make();
      },
    };
    expect(await moves(world, project)).toMatchObject({ status: "completed" });
    const refused = {
      status: 503,
      retryAfter: "2",
      message: expect.stringContaining("is being moved to another database"),
    };
    expect(answers).toEqual([{ write: refused, track: refused, read: { status: 200, retryAfter: null, message: "" } }]);
    // One line each, and no stack: a move is no fault.
    const met = said.mock.calls.map(([line]) => JSON.parse(String(line)));
    expect(met.filter(({ message }) => message === "A write met the fence of a move")).toEqual(
      ["POST /contacts", "POST /v1/track"].map((route) => ({
        ...{ level: "info", message: "A write met the fence of a move" },
        ...{ requestId: expect.any(String), route },
      })),
    );
    expect(failed.mock.calls).toEqual([]);
    expect((await project.api.post("/contacts", { email: "late@example.com" })).status).toBe(201);
    expect(await shardOf(project)).toBe(to);
    // A consumer that still has the old place.
    const stale = databaseOf(from)
      .prepare("UPDATE contacts SET updated_at = 0 WHERE project_id = ?")
      .bind(project.number);
    await expect(stale.run()).rejects.toThrow("is being moved");
  });

  it("back brings what has come since, also while the old rows are there", { timeout: 60_000 }, async () => {
    const world = new World();
    const project = await fullProject(world, 20);
    const [from, to] = [await shardOf(project), await elsewhere(project)];
    await moves(world, project, to);
    const { body } = await project.api.post("/contacts", { email: "since@example.com" });
    const { body: first } = await project.api.get(`/contacts?search=${email(4)}`);
    await project.api.delete(`/contacts/${first.data[0].id}`);
    expect(await moves(world, project, from)).toMatchObject({ status: "completed", errors: [] });
    expect(await shardOf(project)).toBe(from);
    expect((await project.api.get(`/contacts/${body.id}`)).status).toBe(200);
    expect((await project.api.get(`/contacts?search=${email(4)}`)).body.data).toEqual([]);
    await emptiesLeft(world);
    expect(await rowsIn(to, project)).toEqual({});
    expect(await tracesIn(from, project)).toEqual({ triggers: 0, keys: 0 });
  });

  it("that is taken back leaves no trace", { timeout: 60_000 }, async () => {
    const world = new World();
    const project = await fullProject(world, 130);
    const [from, to] = [await shardOf(project), await elsewhere(project)];
    const before = await rowsIn(from, project);
    const jobId = await startsMove(world, project, to);
    expect((await admin.get(`/admin/projects/${project.id}`)).body).toMatchObject({
      database: from,
      moving: { to, jobId, turnsBack: false },
    });
    await world.drain();
    expect(Object.keys(await rowsIn(to, project))).toContain("contacts");
    expect(publicId((await takeMoveBack(world.process().platform, project.id)).jobId)).toBe(jobId);
    expect((await admin.get(`/admin/projects/${project.id}`)).body.moving.turnsBack).toBe(true);
    world.now += 60_000;
    await finishes(world);
    expect((await admin.get(`/admin/jobs/${jobId}`)).body).toMatchObject({
      status: "failed",
      errors: [{ reason: "The move was taken back." }],
    });
    expect(await rowsIn(to, project)).toEqual({});
    expect(await rowsIn(from, project)).toEqual(before);
    for (const shard of [from, to]) expect(await tracesIn(shard, project)).toEqual({ triggers: 0, keys: 0 });
    expect((await project.api.post("/contacts", { email: "after@example.com" })).status).toBe(201);
    expect((await admin.delete(`/admin/projects/${project.id}/move`)).status).toBe(409);
  });

  it("turns back when a row is not the same, and says which table", async () => {
    const world = new World();
    const project = await fullProject(world, 5);
    const [from, to] = [await shardOf(project), await elsewhere(project)];
    const broken = databaseOf(to).prepare("UPDATE topics SET name = 'x' WHERE project_id = ?").bind(project.number);
    await project.api.post("/topics", { name: "News" });
    world.fault = {
      meet: async (trip, make) => {
        const result = await make();
        if (trip.sql.some((text) => text.includes('INTO "topics"'))) {
          await databaseOf(to).batch(
            [stage(project, "passing"), broken, stage(project, "fenced")].map((each) =>
              typeof each === "string" ? databaseOf(to).prepare(each) : each,
            ),
          );
        }
        return result;
      },
    };
    const job = await moves(world, project, to);
    expect(job).toMatchObject({
      status: "failed",
      errors: [{ reason: expect.stringContaining("1 rows of topics were not the same") }],
    });
    expect(await shardOf(project)).toBe(from);
    expect(await rowsIn(to, project)).toEqual({});
    expect((await project.api.post("/contacts", { email: "after@example.com" })).status).toBe(201);
  });

  it("goes with its project when that is deleted, in both databases", async () => {
    const world = new World();
    const project = await fullProject(world, 5);
    const [from, to] = [await shardOf(project), await elsewhere(project)];
    await startsMove(world, project, to);
    await world.drain();
    expect((await deleteProject(world.process().platform, project.id)).jobId).toBeTruthy();
    world.now += 120_000;
    await finishes(world);
    for (const shard of [from, to]) {
      expect(await rowsIn(shard, project)).toEqual({});
      expect(await tracesIn(shard, project)).toEqual({ triggers: 0, keys: 0 });
    }
  });
});

const stage = ({ number }: TestProject, name: string) =>
  `UPDATE moves SET stage = '${name}' WHERE project_id = ${number}`;

async function statusOf(jobId: string): Promise<string> {
  return (await admin.get(`/admin/jobs/${jobId}`)).body.status;
}

/** What people do while a project moves, and what they were told. */
class People {
  private contacts = new Map<string, Record<string, unknown> | null>();

  constructor(
    private project: TestProject,
    private random: Random,
  ) {}

  async meet(): Promise<void> {
    const { body } = await this.project.api.get("/contacts?limit=100");
    for (const { id, data } of body.data) this.contacts.set(id, data);
  }

  /** Does something. An answer of 503 promises nothing. */
  async act(): Promise<void> {
    const { project, random } = this;
    const id = random.of([...this.contacts.keys()]);
    const number = random.below(1e9);
    switch (random.below(6)) {
      case 0: {
        const { status } = await project.api.delete(`/contacts/${id}`);
        if (status < 300) this.contacts.set(id, null);
        return;
      }
      case 1: {
        const { status, body } = await project.api.post("/contacts", {
          email: `new${number}@example.com`,
          data: { number },
        });
        if (status < 300) this.contacts.set(body.id, { number });
        return;
      }
      case 2:
        await call(
          "POST",
          "/v1/track",
          { email: email(random.below(130)), event: `event-${random.below(5)}` },
          bearer(project.keys.public),
        );
        return;
      case 3:
        await project.api.send({
          to: email(random.below(130)),
          scheduledAt: new Date(Date.now() + 86_400_000).toISOString(),
        });
        return;
      case 4: {
        // An address wanders from one contact to the next.
        const address = "wanders@example.com";
        const { body } = await project.api.get(`/contacts?search=${address}`);
        const [holder] = body.data ?? [];
        if (holder) await project.api.patch(`/contacts/${holder.id}`, { email: `was${number}@example.com` });
        await project.api.patch(`/contacts/${id}`, { email: address });
        return;
      }
      default: {
        const { status, body } = await project.api.patch(`/contacts/${id}`, { data: { number } });
        if (status < 300) this.contacts.set(id, body.data);
      }
    }
  }

  async expectAll(): Promise<void> {
    for (const [id, data] of this.contacts) {
      const { status, body } = await this.project.api.get(`/contacts/${id}`);
      expect([id, status === 200 ? body.data : null]).toEqual([id, data]);
    }
  }
}
