import { evictDurableObject, runInDurableObject } from "cloudflare:test";
import { describe, expect, it } from "vitest";
import { type Id, publicId, textOf } from "../../src/core/ids";
import { knownProjects } from "../../src/engine/projects/cache";
import { startExecution } from "../../src/features/workflows/executions/start";
import { wakeShardsJob } from "../../src/features/workflows/executions/wake-overdue";
import { handleMessage } from "../../src/queue";
import { DatabaseFault, type FaultName } from "../support/database-fault";
import { intrude } from "../support/intrude";
import type { Death } from "../support/killable";
import { admin, newProject, setDisabled, type TestProject } from "../support/project";
import { sample } from "../support/sample";
import { newTemplate } from "../support/template";
import {
  addressOf,
  awaitingPurchase,
  disableWorkflow,
  executionsOf,
  type GivenWorkflow,
  mirrorOf,
  newWorkflow,
  pathOf,
  track,
} from "../support/workflow";
import { shardStub, World } from "../support/world";

const secondMs = 1_000;
const minuteMs = 60 * secondMs;
const hourMs = 60 * minuteMs;

const waiting = awaitingPurchase();

/** A signup has begun an execution, which waits for a purchase for an hour at most. */
async function someoneWaits(event: Parameters<typeof track>[3] = {}) {
  const world = new World();
  const project = await newProject();
  const workflow = await newWorkflow(project, waiting);
  const { contactId } = await track(world, project, "signup", event);
  await world.drain();
  return { world, project, workflow, contactId };
}

/** Somebody waits in an object, and `start` lets in somebody else there. */
async function someoneComesLate() {
  const { world, project, workflow, contactId } = await someoneWaits();
  const { contactId: late } = await track(world, project, "other", { email: "late@example.com" });
  await world.drain();
  const address = addressOf(project, contactId);
  const object = await runInDurableObject(shardStub(address), (object) => object);
  const start = { workflowId: workflow.id, allowReentry: true, contactIds: [late], tick: 1 };
  return { world, project, contactId, late, address, object, start };
}

async function mailing(project: TestProject): Promise<GivenWorkflow> {
  const template = { subject: "Hi", body: "<p>Hi</p>", type: "TRANSACTIONAL" };
  const { id: templateId } = await newTemplate(project, template);
  return {
    steps: {
      mail: ["SEND_EMAIL", {}, { templateId }],
      update: ["UPDATE_CONTACT", { data: { welcomed: "yes" } }],
      wait: ["WAIT_FOR_EVENT", { eventName: "purchase", timeout: 3_600 }],
      decide: ["CONDITION", { field: "data.welcomed", operator: "equals", value: "yes" }],
      yes: ["EXIT", { reason: "yes" }],
      no: ["EXIT", { reason: "no" }],
    },
    ways: [
      ["TRIGGER", "mail"],
      ["mail", "update"],
      ["update", "wait"],
      ["wait", "decide"],
      ["decide", "yes", "yes"],
      ["decide", "no", "no"],
    ],
  };
}

async function mailsOf(project: TestProject): Promise<number> {
  const count = project.db.prepare("SELECT count(*) AS n FROM emails WHERE project_id = ? AND source = 'WORKFLOW'");
  return (await count.bind(project.number).first<number>("n")) ?? 0;
}

/** Lets shards die at the n-th thing that they do outside, once. */
function dieOnce(world: World, death: Death): { hasDied: () => boolean } {
  const { platform, process } = world.process(death);
  world.shardPlatform = () => (hasDied() ? world.process().platform : platform);
  const hasDied = () => process.steps.length >= death.atStep;
  return { hasDied };
}

describe("an object that dies between two steps", () => {
  it.each(sample(["before", "after"] as const, { of: 2 }))(
    "goes on where it was: %s each of its steps takes effect",
    async (when) => {
      let deaths = 0;
      for (let atStep = 1; ; atStep++) {
        const world = new World();
        const project = await newProject();
        await newWorkflow(project, await mailing(project));
        const { contactId } = await track(world, project, "signup", { email: `ada${atStep}@example.com` });
        const address = addressOf(project, contactId);
        const { hasDied } = dieOnce(world, { atStep, when });
        await world.drain();
        await evictDurableObject(shardStub(address));
        world.now += 10 * secondMs;
        await world.ring(address);
        world.now += secondMs;
        await track(world, project, "purchase", { email: `ada${atStep}@example.com` });
        await world.drain();
        await evictDurableObject(shardStub(address));
        world.now += 10 * secondMs;
        await world.ring(address);
        const [execution] = await executionsOf(world, project, contactId);
        expect(execution, `killed ${when} step ${atStep}`).toMatchObject({ status: "EXITED", exitReason: "yes" });
        expect(execution && pathOf(execution)).toEqual([
          "TRIGGER COMPLETED",
          "mail COMPLETED",
          "update COMPLETED",
          "wait COMPLETED event",
          "decide COMPLETED yes",
          "yes COMPLETED",
        ]);
        expect(await mailsOf(project)).toBe(1);
        if (!hasDied()) break;
        deaths++;
      }
      expect(deaths).toBeGreaterThan(5);
    },
    120_000,
  );
});

describe("an object that dies as an execution comes to a wait", () => {
  it.each(sample(["before", "after"] as const, { of: 2, name: "a" }))(
    "makes it miss nothing that happens until it goes on: %s each of its steps takes effect",
    async (when) => {
      let deaths = 0;
      for (let atStep = 1; ; atStep++) {
        const world = new World();
        const project = await newProject();
        const { id } = await newWorkflow(project, waiting);
        const { contactId } = await track(world, project, "visit");
        await world.drain();
        world.now += secondMs;
        const { hasDied } = dieOnce(world, { atStep, when });
        const { ctx } = await world.context(project);
        // The answer is lost with the object, but the execution is there.
        await startExecution(ctx, id, { contactId }).catch(() => {});
        await evictDurableObject(shardStub(addressOf(project, contactId)));
        world.now += secondMs;
        await track(world, project, "purchase");
        for (let ring = 0; ring < 2; ring++) {
          world.now += 10 * secondMs;
          await world.ring(addressOf(project, contactId));
          await world.drain();
        }
        expect(await mirrorOf(project, contactId), `killed ${when} step ${atStep}`).toMatchObject([
          { status: "EXITED", exit_reason: "bought" },
        ]);
        if (!hasDied()) break;
        deaths++;
      }
      expect(deaths).toBeGreaterThan(2);
    },
  );
});

describe("the same event", () => {
  it("starts once, however often and at once it is dispatched", async () => {
    const world = new World();
    const project = await newProject();
    await newWorkflow(project, { ...waiting, allowReentry: true });
    const { contactId } = await track(world, project, "signup");
    const messages = world.queue.splice(0).map(({ queued }) => queued.message);
    const dispatch = () => Promise.all(messages.map((message) => handleMessage(world.process().platform, message)));
    await Promise.all([dispatch(), dispatch(), dispatch()]);
    expect(await mirrorOf(project, contactId)).toHaveLength(1);
    // Its execution is over, and re-entry is allowed: the event is remembered all the same.
    world.now += hourMs;
    await world.ring(addressOf(project, contactId));
    await project.db.prepare("UPDATE events SET next_announce_at = 1 WHERE project_id = ?").bind(project.number).run();
    await dispatch();
    expect(await mirrorOf(project, contactId)).toMatchObject([{ status: "EXITED", exit_reason: "left" }]);
  });

  it("starts what its row names, also when the workflow was disabled before it is dispatched", async () => {
    const world = new World();
    const project = await newProject();
    const workflow = await newWorkflow(project, waiting);
    const { contactId } = await track(world, project, "signup");
    await disableWorkflow(project, workflow);
    await world.drain();
    expect(await mirrorOf(project, contactId)).toMatchObject([{ status: "WAITING", awaits: "purchase" }]);
  });

  it("wakes once, however often and at once it is dispatched", async () => {
    const world = new World();
    const project = await newProject();
    const again: GivenWorkflow = {
      steps: {
        first: ["WAIT_FOR_EVENT", { eventName: "purchase" }],
        second: ["WAIT_FOR_EVENT", { eventName: "purchase" }],
      },
      ways: [
        ["TRIGGER", "first"],
        ["first", "second", "event"],
      ],
    };
    await newWorkflow(project, again);
    const { contactId } = await track(world, project, "signup");
    await world.drain();
    await track(world, project, "purchase");
    const messages = world.queue.splice(0).map(({ queued }) => queued.message);
    const dispatch = () => Promise.all(messages.map((message) => handleMessage(world.process().platform, message)));
    await Promise.all([dispatch(), dispatch()]);
    const [execution] = await executionsOf(world, project, contactId);
    expect(execution && pathOf(execution)).toEqual(["TRIGGER COMPLETED", "first COMPLETED event", "second WAITING"]);
  });
});

describe("two events 20 ms apart", () => {
  it.each(["in order", "the second first", "at once"])("find each other, dispatched %s", async (order) => {
    const world = new World();
    const project = await newProject();
    await newWorkflow(project, waiting);
    // Known before, so that the second event has somebody to hear it.
    await newWorkflow(project, { eventName: "purchase", steps: {}, ways: [] });
    const { contactId } = await track(world, project, "signup");
    world.now += 20;
    await track(world, project, "purchase");
    const messages = world.queue.splice(0).map(({ queued }) => queued.message);
    const dispatch = async (list: typeof messages) => {
      for (const message of list) await handleMessage(world.process().platform, message);
    };
    if (order === "in order") await dispatch(messages);
    else if (order === "at once") await Promise.all(messages.map((message) => dispatch([message])));
    else await dispatch(messages.toReversed());
    const executions = await executionsOf(world, project, contactId);
    expect(executions.map(({ exitReason }) => exitReason)).toContain("bought");
  });

  it("do not when the second came before", async () => {
    const world = new World();
    const project = await newProject();
    await newWorkflow(project, waiting);
    await track(world, project, "purchase");
    world.now += 20;
    const { contactId } = await track(world, project, "signup");
    await world.drain();
    expect(await mirrorOf(project, contactId)).toMatchObject([{ status: "WAITING", awaits: "purchase" }]);
  });
});

describe("an event in the moment of the timeout", () => {
  it("comes too late, and the run goes on once", async () => {
    const { world, project, contactId } = await someoneWaits();
    world.now += hourMs;
    await track(world, project, "purchase");
    const address = addressOf(project, contactId);
    await Promise.all([world.drain(), world.ring(address)]);
    const [execution, ...others] = await executionsOf(world, project, contactId);
    expect(others).toEqual([]);
    expect(execution?.status).toBe("EXITED");
    expect(execution?.exitReason).toBe("left");
    expect(execution && pathOf(execution)).toEqual(["TRIGGER COMPLETED", "wait COMPLETED timeout", "left COMPLETED"]);
  });
});

describe("an event near the timeout", () => {
  it("counts when it happened before, also when its message comes later than the alarm", async () => {
    const { world, project, contactId } = await someoneWaits();
    world.now += hourMs - secondMs;
    await track(world, project, "purchase");
    world.now += 2 * secondMs;
    await world.ring(addressOf(project, contactId));
    expect(await mirrorOf(project, contactId)).toMatchObject([{ status: "EXITED", exit_reason: "bought" }]);
    await world.drain();
    const [execution] = await executionsOf(world, project, contactId);
    expect(execution && pathOf(execution)).toEqual(["TRIGGER COMPLETED", "wait COMPLETED event", "bought COMPLETED"]);
  });

  it("does not when it happened after, also when it comes before the alarm", async () => {
    const { world, project, contactId } = await someoneWaits();
    world.now += hourMs + secondMs;
    await track(world, project, "purchase");
    await world.drain();
    expect(await mirrorOf(project, contactId)).toMatchObject([{ status: "EXITED", exit_reason: "left" }]);
  });
});

describe("alarms", () => {
  it("that are lost are made up for by the sweep", async () => {
    const { world, project, contactId } = await someoneWaits();
    world.now += hourMs + 2 * minuteMs;
    await world.sweep();
    await world.drain();
    expect(await mirrorOf(project, contactId)).toMatchObject([{ status: "EXITED", exit_reason: "left" }]);
  });

  it("that come late or twice do no harm", async () => {
    const { world, project, contactId } = await someoneWaits();
    const address = addressOf(project, contactId);
    const { workflowShards } = world.process().platform;
    await workflowShards.of(address).poke(address);
    expect((await mirrorOf(project, contactId))[0]?.status).toBe("WAITING");
    world.now += 24 * hourMs;
    const poke = () => workflowShards.of(address).poke(address);
    await Promise.all([world.ring(address), poke(), poke()]);
    const [execution] = await executionsOf(world, project, contactId);
    expect(execution && pathOf(execution)).toEqual(["TRIGGER COMPLETED", "wait COMPLETED timeout", "left COMPLETED"]);
  });
});

describe("while an execution waits", () => {
  it("its contact may be deleted: it is cancelled, and emptied", async () => {
    const { world, project, workflow, contactId } = await someoneWaits({ data: { secret: "mark-of-ada" } });
    expect((await project.api.delete(`/contacts/${publicId(contactId)}`)).status).toBe(204);
    const [row] = await mirrorOf(project, contactId);
    expect(row).toMatchObject({ status: "CANCELLED", exit_reason: "The contact was deleted" });
    world.now += hourMs;
    await world.ring(addressOf(project, contactId));
    const [execution] = await executionsOf(world, project, contactId);
    expect(execution).toMatchObject({ status: "CANCELLED", context: {} });
    expect(execution && pathOf(execution)).toEqual(["TRIGGER COMPLETED", "wait SKIPPED"]);
    expect(execution?.steps[1]).toMatchObject({ completedAt: expect.any(Number), scheduledFor: null });
    const { body } = await project.api.get(`/workflows/${publicId(workflow.id)}/stats`);
    expect(body.steps).toMatchObject([{ waiting: 0 }, { entered: 1, waiting: 0, skipped: 1 }, {}, {}]);
  });

  it("its contact may be deleted: nobody seems to stand at its step any more", async () => {
    const {
      world,
      project,
      workflow: { id },
      contactId,
    } = await someoneWaits();
    await project.api.delete(`/contacts/${publicId(contactId)}`);
    world.now += hourMs;
    await world.ring(addressOf(project, contactId));
    const [execution] = await executionsOf(world, project, contactId);
    expect(execution && pathOf(execution)).toEqual(["TRIGGER COMPLETED", "wait SKIPPED"]);
    const { body } = await project.api.get(`/workflows/${publicId(id)}/stats`);
    expect(body.steps.find(({ name }: { name: string }) => name === "wait")).toMatchObject({
      ...{ entered: 1, waiting: 0, skipped: 1 },
    });
  });

  it("its workflow may be disabled: it goes on, and nobody else comes in", async () => {
    const { world, project, workflow, contactId } = await someoneWaits();
    await disableWorkflow(project, workflow);
    const bob = await track(world, project, "signup", { email: "bob@example.com" });
    await track(world, project, "purchase");
    await world.drain();
    expect(await mirrorOf(project, contactId)).toMatchObject([{ status: "EXITED", exit_reason: "bought" }]);
    expect(await mirrorOf(project, bob.contactId)).toEqual([]);
  });

  it("its step may be removed, or its way drawn anew", async () => {
    const world = new World();
    const project = await newProject();
    const workflow = await newWorkflow(project, waiting);
    const ada = await track(world, project, "signup");
    const bob = await track(world, project, "signup", { email: "bob@example.com" });
    await world.drain();
    const drop = (table: string, column: string, value: unknown) =>
      project.db
        .prepare(`DELETE FROM ${table} WHERE project_id = ? AND ${column} = ?`)
        .bind(project.number, value)
        .run();
    await drop("workflow_transitions", "branch", "event");
    await track(world, project, "purchase");
    await world.drain();
    expect(await mirrorOf(project, ada.contactId)).toMatchObject([{ status: "COMPLETED" }]);
    await drop("workflow_steps", "id", textOf(workflow.steps.wait as never));
    world.now += hourMs;
    await world.ring(addressOf(project, bob.contactId));
    expect(await mirrorOf(project, bob.contactId)).toMatchObject([
      { status: "EXITED", exit_reason: "Step was removed" },
    ]);
  });

  it("its project may be disabled: it is cancelled", async () => {
    const { world, project, contactId } = await someoneWaits();
    await admin.patch(`/admin/projects/${project.id}`, { disabled: true });
    await world.pass(6);
    expect(await mirrorOf(project, contactId)).toMatchObject([
      { status: "CANCELLED", exit_reason: "Project disabled" },
    ]);
  });
});

describe("a project that is disabled", () => {
  it("ends what is started by those who do not know it yet", async () => {
    const world = new World();
    const project = await newProject();
    const workflow = await newWorkflow(project, waiting);
    const { contactId } = await track(world, project, "other");
    const { ctx } = await world.context(project);
    await admin.patch(`/admin/projects/${project.id}`, { disabled: true });
    world.now += 6 * minuteMs;
    await world.sweep();
    await world.drain();
    // Whoever has read the project before keeps what it read for half a minute.
    knownProjects.set(String(project.number), ctx.project, world.now);
    const address = addressOf(project, contactId);
    const shard = world.process().platform.workflowShards.of(address);
    const call = { workflowId: workflow.id, allowReentry: true, context: null, request: null };
    await shard.start(address, { ...call, contactId });
    expect(await mirrorOf(project, contactId)).toMatchObject([{ status: "WAITING" }]);
    await world.pass(2);
    expect(await mirrorOf(project, contactId)).toMatchObject([
      { status: "CANCELLED", exit_reason: "Project disabled" },
    ]);
  });
});

describe("an object at work for a project that is disabled", () => {
  it("ends what is started meanwhile, whenever that comes", async () => {
    for (let atStep = 1; ; atStep++) {
      const { world, project, contactId, late, address, object, start } = await someoneComesLate();
      await setDisabled(project, true);
      const { hasHappened } = intrude(world, atStep, () => object.startMany(address, start));
      await world.process().platform.workflowShards.of(address).poke(address);
      expect(await mirrorOf(project, contactId)).toMatchObject([{ exit_reason: "Project disabled" }]);
      if (!hasHappened()) {
        expect(atStep).toBeGreaterThan(1);
        break;
      }
      expect(await mirrorOf(project, late), `begun before step ${atStep}`).toMatchObject([
        { status: "CANCELLED", exit_reason: "Project disabled" },
      ]);
    }
  });
});

describe("an object whose project is enabled again", () => {
  it("cancels nothing that begins after that, although it has just seen the project disabled", async () => {
    const { world, project, contactId, late, address, start } = await someoneComesLate();
    await setDisabled(project, true);
    const { workflowShards } = world.process().platform;
    await workflowShards.of(address).poke(address);
    expect(await mirrorOf(project, contactId)).toMatchObject([{ exit_reason: "Project disabled" }]);
    await setDisabled(project, false);
    await workflowShards.of(address).startMany(address, start);
    await world.pass(1);
    expect(await mirrorOf(project, late)).toMatchObject([{ status: "WAITING" }]);
  });

  it("cancels nothing that begins while it hears that the project is disabled", async () => {
    for (let atStep = 1; ; atStep++) {
      const { world, project, late, address, object, start } = await someoneComesLate();
      await setDisabled(project, true);
      const { hasHappened } = intrude(world, atStep, async () => {
        await setDisabled(project, false);
        await object.startMany(address, start);
      });
      await world.process().platform.workflowShards.of(address).poke(address);
      await world.pass(1);
      if (!hasHappened()) {
        expect(atStep).toBeGreaterThan(1);
        break;
      }
      expect(await mirrorOf(project, late), `begun before step ${atStep}`).toMatchObject([{ status: "WAITING" }]);
    }
  });
});

describe("an object that dies with its alarm, before the mirror has its executions", () => {
  it("goes on when all are woken, every night", async () => {
    const world = new World();
    const project = await newProject();
    await newWorkflow(project, waiting);
    const { contactId } = await track(world, project, "signup");
    const address = addressOf(project, contactId);
    dieOnce(world, { atStep: 1, when: "before" });
    await world.drain();
    await runInDurableObject(shardStub(address), (_, { storage }) => storage.deleteAlarm());
    world.now += hourMs;
    await world.sweep();
    await world.drain();
    expect(await mirrorOf(project, contactId)).toEqual([]);
    await world.sweep("41 3 * * *");
    await world.drain();
    expect(await mirrorOf(project, contactId)).toMatchObject([{ status: "WAITING" }]);
  });

  it("is not made for it", async () => {
    const [world, project] = [new World(), await newProject()];
    await newWorkflow(project, waiting);
    await wakeShardsJob(world.process().platform, { type: "workflows.wake", projectId: project.number, shards: [3] });
    const tables = await runInDurableObject(shardStub({ project: project.number, shard: 3 }), (_, { storage }) =>
      storage.sql.exec("SELECT name FROM sqlite_master WHERE name = 'executions'").toArray(),
    );
    expect(tables).toEqual([]);
  });
});

describe("a step whose writes the database fails", () => {
  /** More often than a step is tried, in each of the three shards. What is lost is found again by its batch. */
  const faults: { fault: FaultName; times: number }[] = [
    { fault: "connection lost", times: 54 },
    { fault: "overloaded", times: 18 },
    { fault: "answer lost", times: 1 },
  ];
  const steps: { name: string; isMeant: (text: string) => boolean }[] = [
    { name: "SEND_EMAIL", isMeant: (text) => text.includes("INSERT INTO emails ") },
    { name: "UPDATE_CONTACT", isMeant: (text) => text.includes("INSERT INTO workflow_effects") },
    { name: "WEBHOOK", isMeant: (text) => text.includes("INSERT INTO workflow_calls") },
  ];
  const people = ["ada", "bob", "cyd"].map((name) => `${name}@example.com`);

  async function begin({ isMeant }: (typeof steps)[number], { fault, times }: (typeof faults)[number]) {
    const [world, project] = [new World(), await newProject()];
    const { id: templateId } = await newTemplate(project, { subject: "Hi", body: "<p>Hi</p>", type: "TRANSACTIONAL" });
    const { id } = await newWorkflow(project, {
      steps: {
        mail: ["SEND_EMAIL", {}, { templateId }],
        update: ["UPDATE_CONTACT", { data: { welcomed: "yes" } }],
        call: ["WEBHOOK", { url: "https://hooks.example.com/petrel" }],
        wait: ["DELAY", { amount: 1, unit: "days" }],
      },
      ways: [
        ["TRIGGER", "mail"],
        ["mail", "update"],
        ["update", "call"],
        ["call", "wait"],
      ],
    });
    for (const email of people) await project.api.post("/contacts", { email });
    const met = new DatabaseFault(
      Array.from({ length: times }, () => fault),
      ({ sql }) => sql.some(isMeant),
    );
    return { world, project, id, met };
  }

  it.each(sample(steps.flatMap((step) => faults.map((fault) => ({ ...step, ...fault })))))(
    "$name has one effect, and no try is counted: $fault, $times times",
    async (given) => {
      const { world, project, met } = await begin(given, given);
      const contacts: Id[] = [];
      world.fault = met;
      for (const email of people) contacts.push((await track(world, project, "signup", { email })).contactId);
      await world.drain().catch(() => {});
      for (let minutes = 0; minutes < 180 && met.met < given.times; minutes++) {
        world.now += minuteMs;
        for (const contactId of contacts) await world.ring(addressOf(project, contactId));
        await world.drain().catch(() => {});
      }
      expect(met.met).toBe(given.times);
      world.now += 10 * minuteMs;
      for (const contactId of contacts) await world.ring(addressOf(project, contactId));
      await world.drain();
      for (const contactId of contacts) {
        const [execution] = await executionsOf(world, project, contactId);
        expect(execution?.status, JSON.stringify(execution)).not.toBe("FAILED");
        expect(execution && pathOf(execution).slice(0, 3)).toEqual([
          "TRIGGER COMPLETED",
          "mail COMPLETED",
          "update COMPLETED",
        ]);
      }
      const count = async (rows: string) =>
        project.db
          .prepare(`SELECT count(*) AS n FROM ${rows} AND project_id = ?`)
          .bind(project.number)
          .first<number>("n");
      expect(await count("emails WHERE source = 'WORKFLOW'")).toBe(people.length);
      expect(await count("workflow_effects WHERE true")).toBe(people.length);
      expect(await count("workflow_calls WHERE true")).toBe(people.length);
      expect(await count("contacts WHERE data->>'welcomed' = 'yes'")).toBe(people.length);
      const used = await project.db
        .prepare("SELECT sum(emails) AS n FROM monthly_usage WHERE project_id = ?")
        .bind(project.number)
        .first<number>("n");
      expect(used).toBe(people.length);
    },
  );
});

describe("a mirror", () => {
  it("that could not be written is repaired", async () => {
    const { world, project, contactId } = await someoneWaits();
    world.now += hourMs;
    // The timeout's round reads the graph, and then the mirror's batch fails.
    dieOnce(world, { atStep: 2, when: "before" });
    const address = addressOf(project, contactId);
    await world.ring(address);
    expect((await mirrorOf(project, contactId))[0]?.status).toBe("WAITING");
    world.now += 10 * secondMs;
    expect(await world.ring(address)).toBe(true);
    expect(await mirrorOf(project, contactId)).toMatchObject([{ status: "EXITED", exit_reason: "left" }]);
  });
});
