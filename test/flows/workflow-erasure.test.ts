import { evictDurableObject, runInDurableObject } from "cloudflare:test";
import { describe, expect, it } from "vitest";
import { newId, publicId } from "../../src/core/ids";
import type { Platform } from "../../src/platform/context";
import type { ShardAddress } from "../../src/platform/workflow-shards";
import type { Process } from "../support/killable";
import { admin, newProject, type TestProject } from "../support/project";
import { addressOf, type GivenWorkflow, mirrorOf, newWorkflow, track } from "../support/workflow";
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
  await world.drain();
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
    for (const address of shardsOf(project)) expect((await contentsOf(address)).rows).toContain("mark");
    await admin.delete(`/admin/projects/${project.id}`);
    await world.pass(6, 6);
    for (const address of shardsOf(project)) expect(await contentsOf(address)).toEqual(nothing);
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
      "an event": () => shard.deliver(address, [{ event, contactId, causes: [], starts: [late] }]),
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

/** Lets something happen just before the n-th thing that shards do outside, once. */
function intrude(
  world: World,
  atStep: number,
  act: () => Promise<void>,
): { hasHappened: () => boolean; process: Process } {
  const { platform, process } = world.process();
  const step = process.step.bind(process);
  let isOver = false;
  process.step = async (name, effect) => {
    if (!isOver && process.steps.length + 1 === atStep) {
      isOver = true;
      await act();
    }
    return step(name, effect);
  };
  const shared: Platform = platform;
  world.shardPlatform = () => shared;
  return { hasHappened: () => isOver, process };
}

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
