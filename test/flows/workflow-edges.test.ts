import { evictDurableObject, runInDurableObject } from "cloudflare:test";
import { describe, expect, it } from "vitest";
import { publicId, textOf } from "../../src/core/ids";
import { newProject, type TestProject } from "../support/project";
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
  type TestWorkflow,
  track,
} from "../support/workflow";
import { shardStub, World } from "../support/world";

const secondMs = 1_000;
const hourMs = 3_600_000;
const dayMs = 24 * hourMs;

const waiting = awaitingPurchase(5);

async function setConfig(project: TestProject, { steps }: TestWorkflow, name: string, config: object): Promise<void> {
  const update = project.db.prepare("UPDATE workflow_steps SET config = ? WHERE project_id = ? AND id = ?");
  await update.bind(JSON.stringify(config), project.number, textOf(steps[name] as never)).run();
}

describe("a delay", () => {
  it("of a year is over to the minute, wherever its object was meanwhile", async () => {
    const [project, world] = [await newProject(), new World()];
    await newWorkflow(project, {
      steps: { year: ["DELAY", { amount: 365, unit: "days" }], exit: ["EXIT", { reason: "a year later" }] },
      ways: [
        ["TRIGGER", "year"],
        ["year", "exit"],
      ],
    });
    const { contactId } = await track(world, project, "signup");
    await world.drain();
    const address = addressOf(project, contactId);
    const due = world.now + 365 * dayMs;
    await evictDurableObject(shardStub(address));
    expect(await runInDurableObject(shardStub(address), (_, { storage }) => storage.getAlarm())).toBe(due);
    world.now = due - 1;
    expect(await world.ring(address)).toBe(false);
    world.now = due;
    expect(await world.ring(address)).toBe(true);
    expect(await mirrorOf(project, contactId)).toMatchObject([{ status: "EXITED", exit_reason: "a year later" }]);
  });

  it("that is changed while somebody sleeps is another's: who sleeps keeps the time", async () => {
    const [project, world] = [await newProject(), new World()];
    const workflow = await newWorkflow(project, {
      steps: { pause: ["DELAY", { amount: 2, unit: "hours" }] },
      ways: [["TRIGGER", "pause"]],
    });
    const ada = await track(world, project, "signup");
    await world.drain();
    await setConfig(project, workflow, "pause", { amount: 1, unit: "hours" });
    const bob = await track(world, project, "signup", { email: "bob@example.com" });
    await world.drain();
    const wakeAt = async ({ contactId }: typeof ada) => (await mirrorOf(project, contactId))[0]?.wake_at;
    expect([await wakeAt(ada), await wakeAt(bob)]).toEqual([world.now + 2 * hourMs, world.now + hourMs]);
    world.now += hourMs;
    for (const { contactId } of [ada, bob]) await world.ring(addressOf(project, contactId));
    expect((await mirrorOf(project, ada.contactId))[0]?.status).toBe("WAITING");
    expect((await mirrorOf(project, bob.contactId))[0]?.status).toBe("COMPLETED");
  });
});

describe("an event", () => {
  it("starts what it was to start, also when the workflow is disabled before anybody hears of it", async () => {
    const [project, world] = [await newProject(), new World()];
    const workflow = await newWorkflow(project, { steps: {}, ways: [] });
    const { contactId } = await track(world, project, "signup");
    await disableWorkflow(project, workflow);
    await world.drain();
    expect(await mirrorOf(project, contactId)).toMatchObject([{ status: "COMPLETED" }]);
  });

  it("of a name that only looks like one of ours starts and wakes nothing", async () => {
    const [project, world] = [await newProject(), new World()];
    await newWorkflow(project, { steps: {}, ways: [], eventName: "email.sent" });
    await newWorkflow(project, { steps: {}, ways: [], eventName: "segment.vip.entry" });
    const waits: GivenWorkflow = {
      steps: { wait: ["WAIT_FOR_EVENT", { eventName: "email.sent" }] },
      ways: [["TRIGGER", "wait"]],
    };
    await newWorkflow(project, waits);
    const { contactId } = await track(world, project, "signup");
    await world.drain();
    const names = ["Email.sent", " email.sent", "email.sent ", "EMAIL.SENT", "Segment.vip.entry", " segment.vip.entry"];
    for (const name of names) await track(world, project, name);
    await world.drain();
    expect(await mirrorOf(project, contactId)).toMatchObject([{ status: "WAITING", awaits: "email.sent" }]);
  });

  it("with much data is kept once, however many executions it starts", async () => {
    const [project, world] = [await newProject(), new World()];
    const pause: GivenWorkflow = {
      steps: { pause: ["DELAY", { amount: 1, unit: "days" }] },
      ways: [["TRIGGER", "pause"]],
    };
    const count = 12;
    for (let n = 0; n < count; n++) await newWorkflow(project, pause);
    const long = "x".repeat(60_000);
    const { contactId } = await track(world, project, "signup", { data: { long } });
    await world.drain();
    const executions = await executionsOf(world, project, contactId);
    expect(executions.map(({ context }) => context)).toEqual(Array(count).fill({ event: { long } }));
    const address = addressOf(project, contactId);
    const kept = await runInDurableObject(shardStub(address), (_, { storage: { sql } }) => ({
      events: sql.exec("SELECT sum(length(data)) AS n FROM events").one().n,
      context: sql.exec("SELECT count(context) AS n FROM executions").one().n,
      bytes: sql.databaseSize,
    }));
    expect(kept).toMatchObject({ events: JSON.stringify({ long }).length, context: 0 });
    expect(kept.bytes).toBeLessThan(4 * long.length);
    // Their graphs may have half a megabyte each: a round reads few.
    const reads = world.statements.filter(({ sql }) => sql.includes("CROSS JOIN workflow_steps s ON"));
    const most = Math.max(...reads.map(({ values }) => JSON.parse(String(values[0])).length));
    expect(most).toBe(10);
  });

  it("that came in time counts, also when the object came back after the time-out", async () => {
    const [project, world] = [await newProject(), new World()];
    await newWorkflow(project, waiting);
    const { contactId } = await track(world, project, "signup");
    const { platform, process } = world.process();
    const step = process.step.bind(process);
    let batches = 0;
    process.step = async (name, effect) => {
      // The object has noted that it waits, and dies before its batch.
      if (name === "batch" && ++batches === 2) process.die();
      return step(name, effect);
    };
    world.shardPlatform = () => platform;
    await world.drain();
    world.now += secondMs;
    await track(world, project, "purchase");
    await world.drain();
    world.shardPlatform = () => world.process().platform;
    world.now += 10 * secondMs;
    await world.ring(addressOf(project, contactId));
    expect(await mirrorOf(project, contactId)).toMatchObject([{ status: "EXITED", exit_reason: "bought" }]);
  });
});

describe("an execution that ends where it waits", () => {
  const standing = async (world: World, project: TestProject, { id, steps }: TestWorkflow) => {
    const ids = Object.values(steps);
    const { workflowShards } = world.process().platform;
    let waits = 0;
    for (let shard = 0; shard < 16; shard++) {
      const address = { project: project.number, shard };
      for (const { waiting } of await workflowShards.of(address).countSteps(address, id, ids)) waits += waiting;
    }
    return waits;
  };

  it.each<[string, (project: TestProject, workflow: TestWorkflow, contactId: string) => Promise<unknown>]>([
    ["its contact is deleted", ({ api }, _, contactId) => api.delete(`/contacts/${contactId}`)],
    [
      "its step is removed",
      ({ db, number }, { steps }) =>
        db
          .prepare("DELETE FROM workflow_steps WHERE project_id = ? AND id = ?")
          .bind(number, textOf(steps.wait as never))
          .run(),
    ],
    ["it is cancelled", ({ api }, { id }) => api.post(`/workflows/${publicId(id)}/executions/cancel-all`)],
  ])("is not counted as one that waits: %s", async (_, end) => {
    const [project, world] = [await newProject(), new World()];
    const workflow = await newWorkflow(project, waiting);
    const { contactId } = await track(world, project, "signup");
    await world.drain();
    expect(await standing(world, project, workflow)).toBe(1);
    await end(project, workflow, publicId(contactId));
    world.now += hourMs;
    await world.ring(addressOf(project, contactId));
    expect(await standing(world, project, workflow)).toBe(0);
    const [execution] = await executionsOf(world, project, contactId);
    expect(execution && pathOf(execution)).toEqual(["TRIGGER COMPLETED", "wait SKIPPED"]);
  });

  it("fails with the reason when its template is gone", async () => {
    const [project, world] = [await newProject(), new World()];
    const { id: templateId } = await newTemplate(project, { subject: "Hi", body: "<p>Hi</p>", type: "TRANSACTIONAL" });
    await newWorkflow(project, {
      steps: {
        pause: ["DELAY", { amount: 1, unit: "hours" }],
        mail: ["SEND_EMAIL", {}, { templateId }],
        exit: ["EXIT"],
      },
      ways: [
        ["TRIGGER", "pause"],
        ["pause", "mail"],
        ["mail", "exit"],
      ],
    });
    const { contactId } = await track(world, project, "signup");
    await world.drain();
    await project.db.prepare("DELETE FROM templates WHERE project_id = ?").bind(project.number).run();
    world.now += hourMs;
    await world.ring(addressOf(project, contactId));
    const [execution] = await executionsOf(world, project, contactId);
    expect(execution).toMatchObject({ status: "FAILED", error: "The template no longer exists" });
    expect(execution && pathOf(execution)).toEqual(["TRIGGER COMPLETED", "pause COMPLETED", "mail FAILED"]);
  });
});

it("mails what UPDATE_CONTACT wrote as it is: a visitor's Liquid is never rendered", async () => {
  const [project, world] = [await newProject(), new World()];
  const fields = { subject: "{{ note }}", body: "<p>{{ note }} {{ event.text }}</p>", type: "TRANSACTIONAL" };
  const { id: templateId } = await newTemplate(project, fields);
  const again = { copy: "{{ note }} {{ steps.first.data[0] }}" };
  await newWorkflow(project, {
    steps: {
      first: ["UPDATE_CONTACT", { data: { note: "{{ event.text }}" } }],
      second: ["UPDATE_CONTACT", { data: again }],
      mail: ["SEND_EMAIL", {}, { templateId }],
    },
    ways: [
      ["TRIGGER", "first"],
      ["first", "second"],
      ["second", "mail"],
    ],
  });
  const text = "{{ email }}{% assign x = 1 %}{{ x }}";
  const { contactId } = await track(world, project, "signup", { data: { text }, key: "public" });
  await world.drain();
  expect(world.taken).toMatchObject([{ subject: text, html: expect.stringContaining(`${text} ${text}`) }]);
  const contact = (await project.api.get(`/contacts/${publicId(contactId)}`)).body;
  expect(contact.data).toMatchObject({ note: text, copy: `${text} note` });
});
