import { evictDurableObject, runInDurableObject } from "cloudflare:test";
import { describe, expect, it } from "vitest";
import { type Id, newId, publicId, textOf } from "../../src/core/ids";
import { deleteContact } from "../../src/features/contacts/delete";
import { deleteWorkflow } from "../../src/features/workflows/delete";
import type { ShardAddress } from "../../src/platform/workflow-shards";
import { handleMessage } from "../../src/queue";
import { intrude } from "../support/intrude";
import { admin, newProject, type TestProject } from "../support/project";
import { emptyTrash } from "../support/trash";
import { addressOf, executionsOf, type GivenWorkflow, mirrorOf, newWorkflow, track } from "../support/workflow";
import { shardStub, World } from "../support/world";

const secondMs = 1_000;
const hourMs = 3_600_000;

const waiting: GivenWorkflow = {
  steps: {
    update: ["UPDATE_CONTACT", { data: { note: "{{ event.secret }}" } }],
    wait: ["WAIT_FOR_EVENT", { eventName: "purchase" }],
    exit: ["EXIT", { reason: "bought" }],
  },
  ways: [
    ["TRIGGER", "update"],
    ["update", "wait"],
    ["wait", "exit", "event"],
  ],
};

/** All that an object keeps: its own rows, its values, and its alarm. */
function contentsOf(address: ShardAddress): Promise<{ rows: string; alarm: number | null }> {
  return runInDurableObject(shardStub(address), async (_, { storage }) => {
    const tables = storage.sql
      .exec<{ name: string }>("SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT GLOB '_cf_*'")
      .toArray();
    const rows = tables.map(({ name }) => [name, storage.sql.exec(`SELECT * FROM ${name}`).toArray()]);
    const values = [...storage.kv.list()];
    return { rows: JSON.stringify([...rows, ...values]), alarm: await storage.getAlarm() };
  });
}

const nothing = { rows: "[]", alarm: null };

const shardsOf = (project: TestProject): ShardAddress[] =>
  Array.from({ length: 16 }, (_, shard) => ({ project: project.number, shard }));

/** A project with executions in so many of its shards. */
async function crowded(world: World, shards: number): Promise<TestProject> {
  const project = await newProject();
  await newWorkflow(project, waiting);
  const used = new Set<number>();
  for (let n = 0; used.size < shards; n++) {
    const { contactId } = await track(world, project, "signup", {
      email: `c${n}@example.com`,
      data: { secret: "mark" },
    });
    used.add(addressOf(project, contactId).shard);
  }
  // All at once, so that each shard is called once.
  const messages = world.queue.splice(0).map(({ queued }) => queued.message);
  const eventIds = messages.flatMap((message) => (message.type === "events.dispatch" ? message.eventIds : []));
  const dispatch = { type: "events.dispatch" as const, projectId: project.number, eventIds };
  await handleMessage(world.process().platform, dispatch);
  return project;
}

async function mirrored(project: TestProject): Promise<number> {
  const count = project.db.prepare("SELECT count(*) AS n FROM workflow_executions WHERE project_id = ?");
  return (await count.bind(project.number).first<number>("n")) ?? 0;
}

describe("a project's erasure", () => {
  it("empties all of its shards, and none of a neighbour's", async () => {
    const world = new World();
    const [project, neighbour] = [await crowded(world, 16), await crowded(world, 1)];
    const before = await Promise.all(shardsOf(project).map(contentsOf));
    expect(before.filter(({ rows }) => rows.includes("mark"))).toHaveLength(16);
    await admin.delete(`/admin/projects/${project.id}`);
    await world.pass(6, 6);
    expect(await Promise.all(shardsOf(project).map(contentsOf))).toEqual(Array(16).fill(nothing));
    expect(await mirrored(project)).toBe(0);
    expect(await mirrored(neighbour)).toBe(1);
    const left = await Promise.all(shardsOf(neighbour).map(contentsOf));
    expect(left.filter(({ rows }) => rows.includes("mark"))).toHaveLength(1);
  });

  it("stays: whoever comes late finds an empty shard, and leaves one", async () => {
    const world = new World();
    const project = await newProject();
    const workflow = await newWorkflow(project, waiting);
    const { contactId } = await track(world, project, "signup", { data: { secret: "mark" } });
    await world.drain();
    await admin.delete(`/admin/projects/${project.id}`);
    await world.pass(6, 6);
    const address = addressOf(project, contactId);
    const shard = world.process().platform.workflowShards.of(address);
    const late = { workflowId: workflow.id, allowReentry: true };
    const event = { id: newId(), name: "signup", source: "API" as const, data: { secret: "mark" } };
    const calls: Record<string, () => Promise<unknown>> = {
      "an event": () => shard.deliver(address, [{ event, contactId, isPublic: false, causes: [], starts: [late] }]),
      "a start by hand": () => shard.start(address, { ...late, contactId, context: { secret: "mark" }, request: null }),
      "a tick": () => shard.startMany(address, { ...late, contactIds: [contactId], tick: 1 }),
      "a report": () =>
        shard.settle(address, { executionId: newId(), stepId: newId(), outcome: { kind: "done", output: {} } }),
      "a wake": () => shard.poke(address),
      "a cancel": () => shard.cancel(address, newId(), "Cancelled"),
      "the cancel of all": () => shard.cancelAll(address, null, "Cancelled"),
      "an erasure": () => shard.eraseContacts(address, [contactId]),
      "another deletion": () => shard.erase(),
      "an alarm": () => runInDurableObject(shardStub(address), (object) => object.alarm()),
    };
    for (const [name, call] of Object.entries(calls)) {
      // Who starts by hand in that moment is told that it failed.
      await call().catch(() => {});
      expect(await contentsOf(address), name).toEqual(nothing);
    }
    await evictDurableObject(shardStub(address));
    expect(await contentsOf(address)).toEqual(nothing);
    expect(await mirrored(project)).toBe(0);
  });

  it("ends a shard that is at work, and waits for it", async () => {
    for (let atStep = 1; ; atStep++) {
      const world = new World();
      const project = await newProject();
      await newWorkflow(project, waiting);
      const { contactId } = await track(world, project, "signup", { data: { secret: "mark" } });
      const address = addressOf(project, contactId);
      let stepsThen: number | undefined;
      let erased: Promise<void> | undefined;
      const { hasHappened, process } = intrude(world, atStep, async () => {
        erased = runInDurableObject(shardStub(address), (object) => object.erase()).then(() => {
          stepsThen = process.steps.length;
        });
      });
      await world.drain().catch(() => {});
      await erased;
      if (!hasHappened()) break;
      expect(await contentsOf(address), `erased before step ${atStep}`).toEqual(nothing);
      expect(process.steps.length, "steps after the erasure").toBe(stepsThen);
    }
  });
});

describe("a contact's erasure", () => {
  it("empties its executions in shard and mirror, those that are over too", async () => {
    const world = new World();
    const project = await newProject();
    await newWorkflow(project, { ...waiting, allowReentry: true });
    const { contactId } = await track(world, project, "signup", { data: { secret: "mark" } });
    await world.drain();
    world.now += secondMs;
    await track(world, project, "purchase", { data: { secret: "mark" } });
    await world.drain();
    await track(world, project, "signup", { data: { secret: "mark" } });
    await world.drain();
    expect(await mirrorOf(project, contactId)).toMatchObject([{ status: "EXITED" }, { status: "WAITING" }]);
    const address = addressOf(project, contactId);
    expect((await contentsOf(address)).rows).toContain("mark");
    await project.api.delete(`/contacts/${publicId(contactId)}`);
    await world.pass(6, 6);
    const { rows } = await contentsOf(address);
    expect(rows).not.toContain("mark");
    expect(rows).not.toContain("ada@example.com");
    expect(await mirrorOf(project, contactId)).toMatchObject([
      { status: "EXITED", awaits: null, error: null },
      { status: "CANCELLED", exit_reason: "The contact was deleted", awaits: null, error: null },
    ]);
  });

  it("ends all of its executions, however many there were in each workflow, in statements that are bounded", async () => {
    const world = new World();
    const project = await newProject();
    const workflows = [await newWorkflow(project, waiting), await newWorkflow(project, waiting)];
    const { contactId } = await track(world, project, "signup", { data: { secret: "mark" } });
    await world.drain();
    // As if it had come to many more, long ago.
    for (const { id } of workflows) {
      await project.db
        .prepare(
          `INSERT INTO workflow_executions (project_id, workflow_id, id, contact_id, shard, status, started_at,
              completed_at, updated_at, version)
            WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 1000)
            SELECT ?, ?, '------------------' || printf('%04d', i), ?, 0, 'EXITED', 1, 1, 1, 1 FROM n`,
        )
        .bind(project.number, textOf(id), textOf(contactId))
        .run();
    }
    const { ctx, process } = await world.context(project);
    await deleteContact(ctx, contactId);
    expect(process.mostRowsRead).toBeLessThan(100);
    const ends = (await mirrorOf(project, contactId)).filter(({ status }) => status === "CANCELLED");
    expect(ends).toHaveLength(2);
    expect((await mirrorOf(project, contactId)).filter(({ status }) => status === "EXITED")).toHaveLength(2_000);
  });

  it("finds an execution that is just coming in, whatever it is about to do", async () => {
    let erasures = 0;
    for (let atStep = 1; ; atStep++) {
      const world = new World();
      const project = await newProject();
      await newWorkflow(project, waiting);
      const { contactId } = await track(world, project, "signup", { data: { secret: "mark" } });
      const { hasHappened } = intrude(world, atStep, async () => {
        expect((await project.api.delete(`/contacts/${publicId(contactId)}`)).status).toBe(204);
      });
      await world.drain();
      if (!hasHappened()) break;
      erasures++;
      world.shardPlatform = () => world.process().platform;
      await world.pass(6, 6);
      world.now += hourMs;
      await world.ring(addressOf(project, contactId));
      const { rows } = await contentsOf(addressOf(project, contactId));
      expect(rows, `erased before step ${atStep}`).not.toContain("mark");
      expect(await mirrorOf(project, contactId), `erased before step ${atStep}`).toMatchObject([
        { status: "CANCELLED", exit_reason: "The contact was deleted", awaits: null },
      ]);
    }
    expect(erasures).toBeGreaterThan(3);
  });
});

describe("a contact's deletion while a CONDITION asks", () => {
  const asking: GivenWorkflow = {
    steps: {
      isSubscribed: ["CONDITION", { field: "subscribed", operator: "equals", value: true }],
      wait: ["WAIT_FOR_EVENT", { eventName: "purchase" }],
    },
    ways: [
      ["TRIGGER", "isSubscribed"],
      ["isSubscribed", "wait", "yes"],
      ["isSubscribed", "wait", "no"],
    ],
  };

  it("cancels the execution, as anywhere else", async () => {
    let stoodThere = 0;
    for (let atStep = 1; ; atStep++) {
      const [world, project] = [new World(), await newProject()];
      await newWorkflow(project, asking);
      const { contactId } = await track(world, project, "signup");
      const { hasHappened } = intrude(world, atStep, async () => {
        expect((await project.api.delete(`/contacts/${publicId(contactId)}`)).status).toBe(204);
      });
      await world.drain();
      if (!hasHappened()) break;
      const [execution] = await executionsOf(world, project, contactId);
      expect(execution, `deleted before step ${atStep}`).toMatchObject({
        ...{ status: "CANCELLED", exitReason: "The contact was deleted" },
      });
      const asked = execution?.steps.find(({ name }) => name === "isSubscribed");
      if (asked?.status === "SKIPPED") stoodThere++;
      if (asked) expect(asked).toMatchObject({ completedAt: expect.any(Number), error: null });
    }
    expect(stoodThere).toBeGreaterThan(0);
  });
});

describe("a workflow's deletion", () => {
  /** A workflow of which an execution is over. */
  async function ended(world: World, project: TestProject): Promise<{ id: Id; contactId: Id }> {
    const { id } = await newWorkflow(project, { steps: { exit: ["EXIT", {}] }, ways: [["TRIGGER", "exit"]] });
    const { contactId } = await track(world, project, "signup", { data: { secret: "mark" } });
    await world.drain();
    return { id, contactId };
  }

  /** Deletes it, and lets the time pass in which it can be restored. */
  async function deleteIt(world: World, project: TestProject, id: Id): Promise<void> {
    const { ctx } = await world.context(project);
    await deleteWorkflow(ctx, id);
    await emptyTrash(world, project);
  }

  /** What an object keeps for ever: of which event it has decided what it starts, for thirty days. */
  const onlySeen =
    /^\[\["executions",\[\]\],\["outputs",\[\]\],\["changes",\[\]\],\["ended",\[\]\],\["events",\[\]\],\["step_counts",\[\]\],\["branch_counts",\[\]\],\["entries",\[\]\],\["unshown",\[\]\],\["seen",\[.*\]\]/;

  it("leaves nothing of its executions, its ticks or its entries", async () => {
    const [world, project] = [new World(), await newProject()];
    const { id, contactId } = await ended(world, project);
    await project.db
      .prepare(
        `INSERT INTO workflow_ticks (project_id, workflow_id, tick)
          WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 1500) SELECT ?, ?, i FROM n`,
      )
      .bind(project.number, textOf(id))
      .run();
    await deleteIt(world, project, id);
    await world.drain();
    expect(await mirrorOf(project, contactId)).toEqual([]);
    expect((await contentsOf(addressOf(project, contactId))).rows).toMatch(onlySeen);
    const ticks = project.db.prepare("SELECT count(*) AS n FROM workflow_ticks WHERE project_id = ?");
    expect(await ticks.bind(project.number).first("n")).toBe(0);
  });

  it("leaves alone what others of the contact have", async () => {
    const [world, project] = [new World(), await newProject()];
    const other = await newWorkflow(project, waiting);
    const { id, contactId } = await ended(world, project);
    await deleteIt(world, project, id);
    await world.drain();
    const { rows } = await contentsOf(addressOf(project, contactId));
    expect(rows).toContain(textOf(other.id));
    expect(rows).toContain("mark");
    expect(rows).not.toContain(textOf(id));
    expect(await mirrorOf(project, contactId)).toMatchObject([{ status: "WAITING", awaits: "purchase" }]);
  });

  it("goes on where its job died", async () => {
    for (let atStep = 1; ; atStep++) {
      const [world, project] = [new World(), await newProject()];
      const { id, contactId } = await ended(world, project);
      await deleteIt(world, project, id);
      const steps = await world.runAndDie({ atStep, when: "after" });
      await world.drain();
      await world.ring(addressOf(project, contactId));
      expect(await mirrorOf(project, contactId), `killed after step ${atStep}`).toEqual([]);
      expect((await contentsOf(addressOf(project, contactId))).rows).toMatch(onlySeen);
      if (steps.length < atStep) break;
      // Each of the sixteen calls is a step of its own.
      if (atStep === 5) atStep += 13;
    }
  });

  it("ends an execution that comes in too late, and lets go of its entry", async () => {
    const [world, project] = [new World(), await newProject()];
    const { id, contactId } = await ended(world, project);
    const bob = await track(world, project, "other", { email: "bob@example.com" });
    await deleteIt(world, project, id);
    await world.drain();
    const address = addressOf(project, bob.contactId);
    const shard = world.process().platform.workflowShards.of(address);
    const call = { workflowId: id, allowReentry: false, context: null, request: null };
    expect(await shard.start(address, { ...call, contactId: bob.contactId })).toMatchObject({ workflowId: id });
    expect(await mirrorOf(project, bob.contactId)).toMatchObject([
      { status: "EXITED", exit_reason: "Workflow was removed" },
    ]);
    expect(await mirrorOf(project, contactId)).toEqual([]);
  });
});
