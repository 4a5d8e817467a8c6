import { evictDurableObject, runInDurableObject } from "cloudflare:test";
import { afterEach, describe, expect, it, vi } from "vitest";
import { type Id, publicId } from "../../src/core/ids";
import type { ShardAddress } from "../../src/platform/workflow-shards";
import { Outside } from "../support/outside";
import { newProject, type TestProject } from "../support/project";
import { newTemplate } from "../support/template";
import { newHost } from "../support/webhook";
import { addressOf, executionsOf, type GivenWorkflow, newWorkflow, track } from "../support/workflow";
import { shardStub, World } from "../support/world";

afterEach(() => {
  vi.unstubAllGlobals();
});

/** signup → purchase → review → the end. */
const threeEvents: GivenWorkflow = {
  steps: {
    bought: ["WAIT_FOR_EVENT", { eventName: "purchase" }],
    reviewed: ["WAIT_FOR_EVENT", { eventName: "review" }],
  },
  ways: [
    ["TRIGGER", "bought"],
    ["bought", "reviewed", "event"],
  ],
};

async function say(world: World, project: TestProject, name: string, data: object): Promise<Id> {
  const own = Object.entries(data).map(([key, value]) => [key, { value, persistent: false }]);
  const { contactId } = await track(world, project, name, { data: Object.fromEntries(own) });
  await world.drain();
  world.now += 1_000;
  return contactId;
}

interface Kept {
  events: string[];
  earlier: (string | null)[];
}

/** The names of the events that the object keeps, and which executions refer to more than one. */
function keptBy(address: ShardAddress): Promise<Kept> {
  return runInDurableObject(shardStub(address), (_, { storage: { sql } }) => ({
    events: sql
      .exec<{ name: string }>("SELECT name FROM events ORDER BY id")
      .toArray()
      .map(({ name }) => name),
    earlier: sql
      .exec<{ earlier: string | null }>("SELECT earlier FROM executions ORDER BY id")
      .toArray()
      .map(({ earlier }) => earlier),
  }));
}

describe("the data of the events that an execution has taken", () => {
  it("is joined in conditions, data, calls, mails and the context, also when the object was evicted", async () => {
    const [project, world] = [await newProject(), new World()];
    const [host, outside] = [newHost(world), new Outside()];
    outside.play(host, () => new Response("{}"));
    const template = await newTemplate(project, { type: "TRANSACTIONAL", body: "<p>{{ event.plan }}</p>" });
    await newWorkflow(project, {
      steps: {
        wait: ["WAIT_FOR_EVENT", { eventName: "purchase" }],
        isPro: ["CONDITION", { field: "event.plan", operator: "equals", value: "pro" }],
        note: ["UPDATE_CONTACT", { data: { seen: "{{ event.plan }} {{ event.amount }} {{ event.n }}" } }],
        mail: ["SEND_EMAIL", {}, { templateId: template.id }],
        call: ["WEBHOOK", { url: `https://${host}/hook`, method: "POST" }],
      },
      ways: [
        ["TRIGGER", "wait"],
        ["wait", "isPro", "event"],
        ["isPro", "note", "yes"],
        ["note", "mail"],
        ["mail", "call"],
      ],
    });
    const contactId = await say(world, project, "signup", { plan: "pro", n: 1 });
    await evictDurableObject(shardStub(addressOf(project, contactId)));
    await say(world, project, "purchase", { amount: 42, n: 2 });
    await evictDurableObject(shardStub(addressOf(project, contactId)));
    const [execution] = await executionsOf(world, project, contactId);
    const joined = { plan: "pro", amount: 42, n: 2 };
    expect(execution?.context).toEqual({ event: joined });
    expect(execution?.steps.find(({ name }) => name === "isPro")).toMatchObject({
      ...{ branch: "yes", reason: 'event.plan is "pro"' },
    });
    const read = (query: string) => project.db.prepare(query).bind(project.number).first<string>("text");
    const contact = await read("SELECT data AS text FROM contacts WHERE project_id = ?");
    expect(JSON.parse(contact ?? "")).toEqual({ seen: "pro 42 2" });
    const mail = await read("SELECT own_data AS text FROM emails WHERE project_id = ?");
    expect(JSON.parse(mail ?? "").event).toEqual({ name: "purchase", source: "API", data: joined });
    expect(outside.callsTo(host).map(({ json }) => json.event)).toMatchObject([{ name: "purchase", data: joined }]);
  });

  it("begins with what a start by hand has given", async () => {
    const [project, world] = [await newProject(), new World()];
    const { id } = await newWorkflow(project, { ...threeEvents, eventName: null });
    const contactId = await say(world, project, "other", {});
    const body = { contactId: publicId(contactId), context: { event: { plan: "pro", n: 0 }, gift: "book" } };
    const started = await project.api.post(`/workflows/${publicId(id)}/executions`, body);
    expect(started.status).toBe(201);
    await say(world, project, "purchase", { n: 2 });
    const shown = await project.api.get(`/workflows/${publicId(id)}/executions/${started.body.id}`);
    expect(shown.body.context).toEqual({ event: { plan: "pro", n: 2 }, gift: "book" });
  });

  it("costs an execution of one event nothing: it refers to that one alone", async () => {
    const [project, world] = [await newProject(), new World()];
    await newWorkflow(project, threeEvents);
    const contactId = await say(world, project, "signup", { plan: "pro" });
    const address = addressOf(project, contactId);
    expect(await keptBy(address)).toEqual({ events: ["signup"], earlier: [null] });
    await say(world, project, "purchase", { plan: "free" });
    // The older one has nothing to say any more.
    expect(await keptBy(address)).toEqual({ events: ["purchase"], earlier: [null] });
  });

  it("is kept as long as an execution needs it, and no longer", async () => {
    const [project, world] = [await newProject(), new World()];
    await newWorkflow(project, threeEvents);
    const other = await newWorkflow(project, {
      steps: { exit: ["EXIT", {}] },
      ways: [["TRIGGER", "exit"]],
    });
    const contactId = await say(world, project, "signup", { plan: "pro" });
    const address = addressOf(project, contactId);
    await say(world, project, "purchase", { amount: 42 });
    expect((await project.api.delete(`/workflows/${publicId(other.id)}`)).status).toBe(204);
    await world.drain();
    expect((await keptBy(address)).events).toEqual(["signup", "purchase"]);
    await say(world, project, "review", { stars: 5 });
    const [execution] = await executionsOf(world, project, contactId);
    expect(execution).toMatchObject({
      status: "COMPLETED",
      context: { event: { plan: "pro", amount: 42, stars: 5 } },
    });
    const { ctx } = await world.context(project);
    world.now += ctx.config.executionRetentionMs + 2 * 3_600_000;
    await world.ring(address);
    expect(await keptBy(address)).toEqual({ events: [], earlier: [] });
  });

  it("lets go of what is too much, the oldest first", async () => {
    const [project, world] = [await newProject(), new World()];
    await newWorkflow(project, threeEvents);
    const contactId = await say(world, project, "signup", { plan: "pro", a: "x".repeat(40_000) });
    await say(world, project, "purchase", { b: "x".repeat(40_000) });
    await say(world, project, "review", { stars: 5 });
    expect((await keptBy(addressOf(project, contactId))).events).toEqual(["purchase", "review"]);
    const [execution] = await executionsOf(world, project, contactId);
    expect(Object.keys(execution?.context.event ?? {}).sort()).toEqual(["b", "stars"]);
  });

  it("goes with its contact", async () => {
    const [project, world] = [await newProject(), new World()];
    await newWorkflow(project, threeEvents);
    const contactId = await say(world, project, "signup", { plan: "mark" });
    await say(world, project, "purchase", { amount: "mark" });
    const address = addressOf(project, contactId);
    expect((await keptBy(address)).events).toEqual(["signup", "purchase"]);
    await project.api.delete(`/contacts/${publicId(contactId)}`);
    await world.pass(6, 6);
    expect(await keptBy(address)).toEqual({ events: [], earlier: [null] });
  });
});
