import { describe, expect, it } from "vitest";
import { type Answer, admin, bearer, call, newProject, type TestProject } from "../support/project";
import { expectInvalid, expectRefusal } from "../support/refusal";
import { newSegment } from "../support/segment";
import { mailOf } from "../support/send-and-wait";
import { newTemplate } from "../support/template";
import { newTopic } from "../support/topic";
import {
  awaitingPurchase,
  getDocument,
  inStatus,
  newDocument,
  putDocument,
  type Sent,
  secondDay,
  standAt,
  stepIds,
  twoDays,
} from "../support/workflow-document";
import { newStep, newWorkflow, triggerOf } from "../support/workflow-graph";

const nowhere = "0199a0f2-7a10-7d31-8c42-9e5f6a7b8c9d";

/** Every type of step, with all that a document can say. */
async function everyType(project: TestProject): Promise<Sent> {
  const template = await newTemplate(project);
  const other = await newTemplate(project, { name: "Other" });
  const segment = await newSegment(project);
  const topic = await newTopic(project);
  const filter = (field: string, operator: string, value: unknown) => ({ filters: [{ field, operator, value }] });
  return {
    name: "Everything",
    description: "All that there is",
    triggerType: "EVENT",
    triggerConfig: { eventName: "signup", publicEvents: false },
    allowReentry: true,
    enabled: true,
    steps: [
      step("hello", "SEND_EMAIL", { recipient: { type: "CONTACT" } }, { name: "Hello", templateId: template.id }),
      step("to-us", "SEND_EMAIL", {
        templateId: other.id,
        recipient: { type: "CUSTOM", customEmail: "team@example.com" },
      }),
      step("rest", "DELAY", { amount: 1.5, unit: "hours" }),
      step("wait", "WAIT_FOR_EVENT", { eventName: "purchase", timeout: 60 }),
      step("one", "CONDITION", { field: "data.plan", operator: "equals", value: "pro" }),
      step("whole", "CONDITION", {
        condition: {
          logic: "OR",
          groups: [filter("segment", "memberOfSegment", segment.id), filter(`topic.${topic.slug}`, "equals", true)],
        },
      }),
      step("several", "CONDITION", {
        mode: "multi",
        field: "event.plan",
        branches: [
          { id: "small", name: "Small", operator: "equals", value: "s" },
          { id: "large", name: "Large", operator: "equals", value: "l" },
        ],
      }),
      step("call", "WEBHOOK", {
        url: "https://hooks.example.com/{{ contact.id }}",
        method: "PUT",
        headers: { "X-Plan": "{{ event.plan }}" },
        body: { b: [1, null, { c: "ü" }], a: true },
      }),
      step("note", "UPDATE_CONTACT", { data: { z: 1, a: "{{ event.plan }}" }, subscribed: false }),
      step("end", "EXIT", { reason: "Done" }),
    ],
    transitions: [
      way("trigger", "hello"),
      way("hello", "to-us"),
      way("to-us", "rest"),
      way("rest", "wait"),
      way("wait", "one", "event"),
      way("wait", "end"),
      way("one", "whole", "no"),
      way("one", "several", "yes"),
      way("whole", "several", "yes", 3),
      way("several", "call", "large"),
      way("several", "note", "default", -2),
      way("call", "note"),
      way("note", "end"),
    ],
  };
}

let drawn = 0;
function step(key: string, type: string, config: object, more: object = {}): Sent {
  return { key, type, name: type, config, templateId: null, position: { x: -0.5, y: 10 * drawn++ }, ...more };
}

function way(from: string, to: string, branch: string | null = null, priority = 0): Sent {
  return { from, to, branch, priority };
}

/** All rows that a workflow has anywhere. */
async function rowsOf(project: TestProject): Promise<unknown> {
  const tables = ["workflows", "workflow_steps", "workflow_transitions", "workflow_executions", "event_listeners"];
  const all = [...tables, "audience_references", "jobs"].map(async (table) => {
    const rows = await project.db.prepare(`SELECT * FROM ${table} WHERE project_id = ?`).bind(project.number).all();
    return [table, rows.results];
  });
  return Object.fromEntries(await Promise.all(all));
}

const none = { created: [], removed: [] };
const unchanged = { ...none, changed: [], waiting: [], issues: [], fields: [], transitions: none };
const dry = "?dryRun=true";

describe("POST /workflows with a document", () => {
  it("makes it whole, and the document comes back as it was, and again", async () => {
    const project = await newProject();
    const sent = await everyType(project);
    const { status, body } = await project.api.post("/workflows", sent);
    expect(status, JSON.stringify(body)).toBe(201);
    expect(body).toMatchObject({ enabled: true, triggerConfig: sent.triggerConfig, issues: [], allowReentry: true });
    const [, toUs] = sent.steps as { config: { templateId: string }; templateId: string | null }[];
    // The template that a step uses is found in both places.
    if (toUs) toUs.templateId = toUs.config.templateId;
    const { version, ...document } = await getDocument(project, body.id);
    expect({ version, ...document }).toEqual({ version: 1, ...sent });
    const whole = await project.api.get(`/workflows/${body.id}`);
    expect(whole.body).toEqual(body);

    const before = await rowsOf(project);
    const keys = document.steps.map(({ key }: { key: string }) => key);
    const plan = await putDocument(project, body.id, { version, ...document }, dry);
    expect(plan).toMatchObject({ status: 200, body: { ...unchanged, unchanged: keys } });
    expect((await putDocument(project, body.id, { version, ...document })).body).toEqual({
      ...{ version, ...document },
      issues: [],
    });
    expect(await rowsOf(project)).toEqual(before);

    const copy = await newDocument(project, document);
    const { version: _, ...copied } = await getDocument(project, copy);
    expect(copied).toEqual(document);
  });

  it("takes what a document leaves out as single calls do", async () => {
    const project = await newProject();
    const id = await newDocument(project, awaitingPurchase());
    const document = await getDocument(project, id);
    expect(document).toMatchObject({
      ...{ description: null, enabled: false, allowReentry: false },
      ...{ triggerType: "EVENT", triggerConfig: { eventName: "signup", publicEvents: true } },
    });
    expect(document.steps[0]).toEqual({
      ...{ key: "wait", type: "WAIT_FOR_EVENT", name: "WAIT_FOR_EVENT", templateId: null, position: { x: 0, y: 150 } },
      config: { eventName: "purchase", timeout: 86_400 },
    });
    expect(document.steps.map(({ position }: { position: object }) => position)).toMatchObject(
      [150, 300, 450].map((y) => ({ y })),
    );
    expect(document.transitions[0]).toEqual(way("trigger", "wait"));
  });

  it("takes the TRIGGER among the steps, and gives it back", async () => {
    const project = await newProject();
    const trigger = { key: "trigger", type: "TRIGGER", name: "Start", position: { x: 5, y: -5 } };
    const id = await newDocument(project, twoDays({ steps: [...(twoDays().steps as Sent[]), trigger] }));
    const { steps } = (await project.api.get(`/workflows/${id}`)).body;
    expect(steps).toHaveLength(3);
    expect(steps[0]).toMatchObject({ type: "TRIGGER", name: "Start", position: trigger.position });
    const document = await getDocument(project, id);
    expect(document.steps.map(({ key }: { key: string }) => key)).toEqual(["first", "second", "trigger"]);
    // Left out, it stays as it is.
    expect((await putDocument(project, id, twoDays(), dry)).body).toEqual({
      ...unchanged,
      unchanged: ["first", "second", "trigger"],
      issues: [issueOfName],
    });
    await putDocument(project, id, twoDays());
    expect(await getDocument(project, id)).toEqual(document);
  });

  const issueOfName = { message: expect.stringContaining("no event name") };

  it("says what it would make, and makes nothing, with dryRun", async () => {
    const project = await newProject();
    const before = await rowsOf(project);
    const document = awaitingPurchase({ enabled: true, transitions: [{ from: "trigger", to: "wait" }] });
    const { status, body } = await project.api.post(`/workflows${dry}`, document);
    expect(status, JSON.stringify(body)).toBe(200);
    const lonely = { message: expect.stringContaining("No step leads to this one") };
    expect(body).toEqual({
      ...unchanged,
      created: ["wait", "bought", "left"],
      unchanged: [],
      fields: ["name", "description", "triggerType", "triggerConfig", "allowReentry", "enabled"],
      transitions: { created: [{ from: "trigger", to: "wait" }], removed: [] },
      issues: [
        { key: "bought", ...lonely },
        { key: "left", ...lonely },
      ],
    });
    expect(await rowsOf(project)).toEqual(before);
    expectInvalid(
      await project.api.post(`/workflows${dry}`, twoDays({ transitions: [{ from: "trigger", to: "third" }] })),
      "transitions[0].to",
      "custom",
    );
    const sends = { name: "Mail", steps: [{ key: "mail", type: "SEND_EMAIL", templateId: nowhere }] };
    expectRefusal(await project.api.post(`/workflows${dry}`, sends), 404, "TEMPLATE_NOT_FOUND", {
      details: { resource: "template", id: nowhere, field: "steps[0].templateId" },
    });
  });

  it("is as it was without steps, and says what it ignores", async () => {
    const project = await newProject();
    const body = await newWorkflow(project, { enabled: true, transitions: [] });
    expect(body).toMatchObject({ enabled: false, warnings: [{ field: "enabled" }] });
    expect(body.steps).toHaveLength(1);
  });

  it("is refused with transitions and no steps, which would be lost", async () => {
    const project = await newProject();
    const before = await rowsOf(project);
    const sent = { name: "Lost", transitions: [{ from: "trigger", to: "mail" }] };
    for (const query of ["", dry]) {
      expectInvalid(await project.api.post(`/workflows${query}`, sent), "transitions", "custom");
      expectInvalid(await project.api.post(`/workflows${query}`, { ...sent, steps: null }), "transitions", "custom");
    }
    expect(await rowsOf(project)).toEqual(before);
  });

  it("starts by its event as soon as it is enabled, and by a schedule", async () => {
    const project = await newProject();
    const id = await newDocument(project, awaitingPurchase({ enabled: true }));
    await call("POST", "/v1/track", { email: "ada@example.com", event: "signup" }, bearer(project.keys.public));
    const executions = `/workflows/${id}/executions`;
    const found = await project.api.get(executions);
    expect(found.status).toBe(200);
    const segment = await newSegment(project);
    const triggerConfig = { cron: "0 9 * * MON", segmentId: segment.id };
    const scheduled = await newDocument(project, {
      ...twoDays(),
      triggerType: "SCHEDULE",
      triggerConfig,
      enabled: true,
    });
    const row = await project.db
      .prepare("SELECT next_tick_at FROM workflows WHERE project_id = ? AND name = 'Two days'")
      .bind(project.number)
      .first<{ next_tick_at: number }>();
    expect(row?.next_tick_at).toBeGreaterThan(Date.now());
    expect(await getDocument(project, scheduled)).toMatchObject({ triggerType: "SCHEDULE", triggerConfig });
  });
});

/** Documents with one fault, which is the same for POST and PUT. */
const config = (type: string, given: unknown) =>
  twoDays({
    steps: [
      { key: "first", type: "EXIT" },
      { key: "second", type, config: given },
    ],
    transitions: [],
  });
const steps = (...given: Sent[]) => twoDays({ steps: given, transitions: [] });
const ways = (...given: Sent[]) => twoDays({ transitions: given });

const faults: [what: string, document: Sent, field: string, code: string][] = [
  ["an amount", config("DELAY", { amount: 0, unit: "days" }), "steps[1].config.amount", "too_small"],
  ["a config that is missing", config("DELAY", undefined), "steps[1].config.amount", "required"],
  ["a config that is none", config("DELAY", [1]), "steps[1].config", "invalid_type"],
  [
    "a literal address that is forbidden",
    config("WEBHOOK", { url: "http://127.0.0.1/x" }),
    "steps[1].config.url",
    "invalid_string",
  ],
  ["Liquid in a host", config("WEBHOOK", { url: "https://{{ host }}/x" }), "steps[1].config.url", "invalid_string"],
  [
    "an address with Liquid",
    config("SEND_EMAIL", { recipient: { type: "CUSTOM", customEmail: "{{ to }}" } }),
    "steps[1].config.recipient.customEmail",
    "invalid_string",
  ],
  [
    "a condition",
    config("CONDITION", { condition: { logic: "AND", groups: [{ filters: [{ field: "data.x", operator: "is" }] }] } }),
    "steps[1].config.condition.groups.0.filters.0.operator",
    "invalid_enum_value",
  ],
  [
    "a segment that is not there",
    config("CONDITION", { field: "segment", operator: "memberOfSegment", value: nowhere }),
    "steps[1].config.value",
    "custom",
  ],
  [
    "a branch",
    config("CONDITION", { mode: "multi", field: "data.x", branches: [{ id: "default", operator: "exists" }] }),
    "steps[1].config.branches.0.id",
    "custom",
  ],
  [
    "what starts it",
    steps({ key: "trigger", type: "TRIGGER", config: { eventName: "signup" } }),
    "steps[0].config.eventName",
    "custom",
  ],
  ["a template of a delay", steps({ key: "a", type: "EXIT", templateId: nowhere }), "steps[0].templateId", "custom"],
  ["a key", steps({ key: "two words", type: "EXIT" }), "steps[0].key", "invalid_string"],
  ["a key that is missing", steps({ type: "EXIT" }), "steps[0].key", "required"],
  [
    "a key that is there twice",
    steps({ key: "a", type: "EXIT" }, { key: "a", type: "EXIT" }),
    "steps[1].key",
    "custom",
  ],
  ["the key of the TRIGGER", steps({ key: "trigger", type: "EXIT" }), "steps[0].key", "custom"],
  ["a type", steps({ key: "a", type: "SMS" }), "steps[0].type", "invalid_enum_value"],
  ["a position", steps({ key: "a", type: "EXIT", position: { x: 0 } }), "steps[0].position.y", "required"],
  ["steps that are no list", twoDays({ steps: {} }), "steps", "invalid_type"],
  ["a step that is none", twoDays({ steps: ["first"] }), "steps[0]", "invalid_type"],
  ["a transition from nowhere", ways({ from: "third", to: "first" }), "transitions[0].from", "custom"],
  ["a transition without an end", ways({ from: "trigger" }), "transitions[0].to", "required"],
  ["a self-loop", ways({ from: "first", to: "first" }), "transitions[0].to", "custom"],
  ["a circle", ways({ from: "first", to: "second" }, { from: "second", to: "first" }), "transitions[1].to", "custom"],
  [
    "a branch that the step does not have",
    ways({ from: "first", to: "second", branch: "yes" }),
    "transitions[0].branch",
    "invalid_enum_value",
  ],
  [
    "a second edge",
    ways({ from: "trigger", to: "first" }, { from: "trigger", to: "second" }),
    "transitions[1].from",
    "custom",
  ],
  ["a priority", ways({ from: "trigger", to: "first", priority: 0.5 }), "transitions[0].priority", "invalid_type"],
  ["a name", twoDays({ name: "" }), "name", "too_small"],
  ["a trigger", twoDays({ triggerType: "MANUAL", eventName: "signup" }), "eventName", "custom"],
  [
    "a cron",
    twoDays({ triggerType: "SCHEDULE", triggerConfig: { cron: "often", segmentId: nowhere } }),
    "triggerConfig.cron",
    "invalid_string",
  ],
];

describe("a document with a fault", () => {
  it.each(faults)("%s: names its place, and changes nothing", async (_, document, field, code) => {
    const project = await newProject();
    const id = await newDocument(project, awaitingPurchase());
    const before = await rowsOf(project);
    for (const query of ["", dry]) {
      expectInvalid(await project.api.post(`/workflows${query}`, document), field, code);
      expectInvalid(await putDocument(project, id, document, query), field, code);
    }
    expect(await rowsOf(project)).toEqual(before);
  });

  it("names all faults of all steps at once", async () => {
    const project = await newProject();
    const wrong = { type: "DELAY", config: { amount: -1, unit: "years" } };
    const { body } = await project.api.post("/workflows", steps({ key: "a", ...wrong }, { key: "b", ...wrong }));
    expect(body.error.errors.map(({ field }: { field: string }) => field)).toEqual([
      "steps[0].config.amount",
      "steps[0].config.unit",
      "steps[1].config.amount",
      "steps[1].config.unit",
    ]);
  });

  it("names the faults of keys, configs and transitions together, but none that only follows from another", async () => {
    const project = await newProject();
    const document = {
      name: "Faults",
      steps: [
        { key: "a", type: "CONDITION", config: { field: "data.plan" } },
        { key: "b", type: "EXIT" },
        { key: "b", type: "EXIT" },
        { key: "c", type: "DELAY", config: { amount: 1, unit: "days" } },
      ],
      transitions: [
        { from: "trigger", to: "a" },
        { from: "a", to: "c", branch: "yes" },
        { from: "c", to: "c" },
        { from: "c", to: "z" },
      ],
    };
    const { status, body } = await project.api.post("/workflows", document);
    expect(status).toBe(422);
    expect(body.error.errors.map(({ field }: { field: string }) => field)).toEqual([
      ...["steps[2].key", "steps[0].config.operator", "transitions[2].to", "transitions[3].to"],
    ]);
  });

  it("names the place of a template that does not exist", async () => {
    const project = await newProject();
    const template = await newTemplate(project);
    const mail = (key: string, rest: Sent) => ({ key, type: "SEND_EMAIL", ...rest });
    const good = mail("good", { templateId: template.id });
    const id = await newDocument(project, twoDays());
    const sends: [Sent, string][] = [
      [mail("bad", { templateId: nowhere }), "steps[1].templateId"],
      [mail("bad", { config: { templateId: nowhere } }), "steps[1].config.templateId"],
    ];
    for (const [bad, field] of sends) {
      const details = { details: { resource: "template", id: nowhere, field } };
      expectRefusal(await project.api.post("/workflows", steps(good, bad)), 404, "TEMPLATE_NOT_FOUND", details);
      expectRefusal(await putDocument(project, id, steps(good, bad)), 404, "TEMPLATE_NOT_FOUND", details);
    }
  });

  it("names what it ignores", async () => {
    const project = await newProject();
    const given = twoDays({
      steps: [
        {
          key: "a",
          type: "DELAY",
          config: { amount: 1, unit: "days", amuont: 2 },
          nmae: "A",
          position: { x: 0, y: 0, z: 0 },
        },
      ],
      transitions: [{ from: "trigger", to: "a", label: "x" }],
      nonsense: 1,
    });
    const { status, body } = await project.api.post("/workflows", given);
    expect(status).toBe(201);
    expect(body.warnings.map(({ field }: { field: string }) => field).toSorted()).toEqual([
      ...["nonsense", "steps[0].config.amuont", "steps[0].nmae", "steps[0].position.z", "transitions[0].label"],
    ]);
  });

  it("has at most 100 steps, 200 transitions and 512 KB of configs", async () => {
    const project = await newProject();
    const id = await newDocument(project, twoDays());
    const exits = (count: number) => Array.from({ length: count }, (_, n) => ({ key: `e${n}`, type: "EXIT" }));
    const most = { name: "Many", steps: exits(99), transitions: [{ from: "trigger", to: "e98" }] };
    expect((await project.api.post("/workflows", most)).status).toBe(201);
    const limit = (n: number) => ({ details: { limit: n } });
    for (const send of [
      (body: Sent) => project.api.post("/workflows", body),
      (body: Sent) => putDocument(project, id, body),
    ]) {
      expectRefusal(await send({ ...most, steps: exits(100) }), 409, "CONFLICT", limit(100));
      const transitions = Array.from({ length: 201 }, () => ({ from: "trigger", to: "e1" }));
      expectRefusal(await send({ ...most, transitions }), 409, "CONFLICT", limit(200));
      const large = { url: "https://hooks.example.com", body: "x".repeat(31_000) };
      const calls = Array.from({ length: 20 }, (_, n) => ({ key: `c${n}`, type: "WEBHOOK", config: large }));
      expectInvalid(await send({ name: "Large", steps: calls }), "steps", "too_big");
    }
  });

  it("is refused for a template or a segment of another project, and for that project's workflow", async () => {
    const [project, stranger] = [await newProject(), await newProject()];
    const template = await newTemplate(stranger);
    const id = await newDocument(project, twoDays());
    const document = steps({ key: "mail", type: "SEND_EMAIL", templateId: template.id });
    const details = { details: { resource: "template", id: template.id, field: "steps[0].templateId" } };
    expectRefusal(await project.api.post("/workflows", document), 404, "TEMPLATE_NOT_FOUND", details);
    expectRefusal(await putDocument(project, id, document), 404, "TEMPLATE_NOT_FOUND", details);
    const { id: segmentId } = await newSegment(stranger);
    const named = config("CONDITION", { field: "segment", operator: "memberOfSegment", value: segmentId });
    expectInvalid(await project.api.post("/workflows", named), "steps[1].config.value", "custom");
    const scheduled = twoDays({ triggerType: "SCHEDULE", triggerConfig: { cron: "0 9 * * *", segmentId } });
    expect((await putDocument(project, id, scheduled)).status).toBe(404);
    const none = { details: { resource: "workflow", id } };
    expectRefusal(await stranger.api.get(`/workflows/${id}/document`), 404, "WORKFLOW_NOT_FOUND", none);
    expectRefusal(await putDocument(stranger, id, twoDays()), 404, "WORKFLOW_NOT_FOUND", none);
    expectRefusal(await putDocument(stranger, id, twoDays(), dry), 404, "WORKFLOW_NOT_FOUND", none);
    expect((await getDocument(project, id)).version).toBe(1);
  });
});

describe("PUT /workflows/{id}/document", () => {
  it("changes, adds and removes steps, and the others stay themselves", async () => {
    const project = await newProject();
    const id = await newDocument(project, awaitingPurchase());
    const [before, rows] = [await stepIds(project, id), await rowsOf(project)];
    const next = awaitingPurchase({
      name: "Purchases",
      steps: [
        { key: "wait", type: "WAIT_FOR_EVENT", config: { eventName: "order", timeout: 60 } },
        { key: "thanks", type: "DELAY", config: { amount: 1, unit: "days" } },
        { key: "bought", type: "EXIT", config: { reason: "bought" } },
      ],
      transitions: [
        { from: "trigger", to: "wait" },
        { from: "wait", to: "thanks", branch: "event" },
        { from: "thanks", to: "bought" },
      ],
    });
    const plan = {
      created: ["thanks"],
      changed: ["wait"],
      removed: ["left"],
      unchanged: ["bought"],
      fields: ["name"],
      transitions: {
        created: [
          { from: "wait", to: "thanks", branch: "event" },
          { from: "thanks", to: "bought" },
        ],
        removed: [
          { from: "wait", to: "bought", branch: "event" },
          { from: "wait", to: "left", branch: "timeout" },
        ],
      },
      waiting: [],
      issues: [],
    };
    expect(await putDocument(project, id, next, dry)).toMatchObject({ status: 200, body: plan });
    expect(await rowsOf(project)).toEqual(rows);
    const { status, body } = await putDocument(project, id, { version: 1, ...next });
    expect(status, JSON.stringify(body)).toBe(200);
    const { issues, jobId, ...document } = body;
    expect({ issues, jobId, name: document.name, version: document.version }).toEqual({
      ...{ issues: [], jobId: expect.any(String), name: "Purchases", version: 2 },
    });
    expect(await getDocument(project, id)).toEqual(document);
    expect(document.steps.map(({ key }: { key: string }) => key)).toEqual(["wait", "thanks", "bought"]);
    expect(document.transitions.map(({ from, to }: { from: string; to: string }) => `${from} ${to}`)).toEqual([
      ...["trigger wait", "wait thanks", "thanks bought"],
    ]);
    const { wait, bought, left, ...rest } = await stepIds(project, id);
    expect({ wait, bought }).toEqual({ wait: before.wait, bought: before.bought });
    expect(left).toBeUndefined();
    expect(Object.values(before)).not.toContain(rest.thanks);
    // A second time there is nothing to do.
    expect((await putDocument(project, id, next)).body).toEqual({ ...document, issues: [] });
    expect((await project.api.get("/events/order/usage")).body.usedInWorkflows).toMatchObject([{ id }]);
  });

  const start = { from: "trigger", to: "wait" };
  const end = { from: "wait", to: "left", branch: "timeout" };
  it.each<[what: string, changes: Sent, plan: Sent]>([
    ["nothing", {}, {}],
    ["the name", { name: "Purchases" }, { fields: ["name"] }],
    ["the description", { description: "Who buys" }, { fields: ["description"] }],
    ["the event", { eventName: "login" }, { fields: ["triggerConfig"] }],
    ["the trigger", { triggerType: "MANUAL", eventName: null }, { fields: ["triggerType", "triggerConfig"] }],
    ["enabled", { enabled: true }, { fields: ["enabled"] }],
    ["allowReentry", { allowReentry: true }, { fields: ["allowReentry"] }],
    [
      "a branch",
      { transitions: [start, { from: "wait", to: "bought" }, end] },
      {
        transitions: {
          created: [{ from: "wait", to: "bought" }],
          removed: [{ from: "wait", to: "bought", branch: "event" }],
        },
      },
    ],
    [
      "a priority",
      { transitions: [{ ...start, priority: 2 }, { from: "wait", to: "bought", branch: "event" }, end] },
      { transitions: { created: [{ ...start, priority: 2 }], removed: [start] } },
    ],
  ])("says with dryRun that it changes %s", async (_, changes, plan) => {
    const project = await newProject();
    const id = await newDocument(project, awaitingPurchase());
    const before = await rowsOf(project);
    const { status, body } = await putDocument(project, id, awaitingPurchase(changes), dry);
    expect(status, JSON.stringify(body)).toBe(200);
    const { issues: _issues, ...told } = body;
    const { issues: _none, ...nothing } = unchanged;
    expect(told).toEqual({ ...nothing, unchanged: ["wait", "bought", "left"], ...plan });
    expect(await rowsOf(project)).toEqual(before);
  });

  it("is named by calls that would replace steps elsewhere", async () => {
    const project = await newProject();
    const id = await newDocument(project, awaitingPurchase());
    const before = await rowsOf(project);
    for (const sent of [{ steps: [{ key: "a", type: "EXIT" }] }, { transitions: [start] }]) {
      const { status, body } = await project.api.patch(`/workflows/${id}`, sent);
      const [field] = Object.keys(sent);
      expect([status, body.error.errors]).toMatchObject([
        422,
        [{ field, message: expect.stringContaining("PUT /workflows/{id}/document") }],
      ]);
    }
    const put = await call("PUT", `/workflows/${id}`, awaitingPurchase(), bearer(project.keys.secret));
    expect(put).toMatchObject({
      status: 405,
      body: { error: { suggestion: expect.stringContaining(`PUT /workflows/${id}/document`) } },
    });
    expect(await rowsOf(project)).toEqual(before);
  });

  it("refuses a read key, with dryRun too", async () => {
    const project = await newProject();
    const id = await newDocument(project, awaitingPurchase());
    const { body } = await admin.post(`/admin/projects/${project.id}/keys`, { kind: "read" });
    for (const answer of [
      await call("PUT", `/workflows/${id}/document${dry}`, awaitingPurchase(), bearer(body.key)),
      await call("POST", `/workflows${dry}`, awaitingPurchase(), bearer(body.key)),
    ])
      expectRefusal(answer, 403, "READ_ONLY_KEY");
  });

  it("knows steps of single calls by their ids", async () => {
    const project = await newProject();
    const { id, ...workflow } = await newWorkflow(project);
    const one = await newStep(project, id, { name: "One", connectFrom: triggerOf({ ...workflow }) });
    expect(one).not.toHaveProperty("key");
    const { version, ...document } = await getDocument(project, id);
    expect(document.steps).toMatchObject([{ key: one.id, name: "One" }]);
    expect(document.transitions).toEqual([way("trigger", one.id)]);
    expect((await putDocument(project, id, { version, ...document })).body).toMatchObject({ version });
    const [step] = document.steps;
    const put = await putDocument(project, id, { ...document, steps: [{ ...step, name: "Two" }] });
    expect(put).toMatchObject({ status: 200, body: { version: version + 1 } });
    const { body } = await project.api.get(`/workflows/${id}`);
    expect(body.steps[1]).toMatchObject({ id: one.id, name: "Two" });
    const later = await newStep(project, id, { connectFrom: one.id });
    expect((await getDocument(project, id)).steps.map(({ key }: { key: string }) => key)).toEqual([one.id, later.id]);
  });

  it("keeps what a workflow is beside its steps as the document says, and only `enabled` when it says nothing", async () => {
    const project = await newProject();
    const id = await newDocument(
      project,
      twoDays({ description: "Mine", eventName: "signup", allowReentry: true, enabled: true }),
    );
    await putDocument(project, id, twoDays());
    expect(await getDocument(project, id)).toMatchObject({
      ...{ description: null, allowReentry: false, enabled: true, triggerConfig: { eventName: null } },
    });
    await putDocument(project, id, twoDays({ enabled: false, triggerType: "MANUAL" }));
    expect(await getDocument(project, id)).toMatchObject({ enabled: false, triggerType: "MANUAL", triggerConfig: {} });
  });

  it("refuses another type under a known key", async () => {
    const project = await newProject();
    const id = await newDocument(project, twoDays());
    expectInvalid(await putDocument(project, id, steps({ key: "second", type: "EXIT" })), "steps[0].type", "custom");
  });

  it("is refused when somebody was faster", async () => {
    const project = await newProject();
    const id = await newDocument(project, twoDays());
    const { version } = await getDocument(project, id);
    await project.api.patch(`/workflows/${id}`, { name: "Another" });
    const refused = await putDocument(project, id, twoDays({ version }));
    expectRefusal(refused, 409, "CONFLICT", { details: { version: 1, current: 2 } });
    expectRefusal(await putDocument(project, id, twoDays({ version }), dry), 409, "CONFLICT", {
      details: { version: 1, current: 2 },
    });
    expect((await getDocument(project, id)).name).toBe("Another");
    // Without a version the last one counts.
    expect((await putDocument(project, id, twoDays())).body).toMatchObject({ version: 3, name: "Two days" });
  });

  it("of two at once that name a version, one is refused", async () => {
    const project = await newProject();
    const id = await newDocument(project, twoDays());
    for (let version = 1; version <= 3; version++) {
      const put = (name: string) => putDocument(project, id, twoDays({ version, name: `${name} ${version}` }));
      const answers: Answer[] = await Promise.all([put("a"), put("b"), put("c")]);
      expect(answers.map(({ status }) => status).toSorted()).toEqual([200, 409, 409]);
      const saved = answers.find(({ status }) => status === 200);
      expect(await getDocument(project, id)).toMatchObject({ name: saved?.body.name, version: version + 1 });
    }
  });

  it("of many at once, all are whole, and one of them is what stays", async () => {
    const project = await newProject();
    const id = await newDocument(project, twoDays());
    const names = ["a", "b", "c", "d"];
    const document = (name: string) =>
      twoDays({
        name,
        steps: names.map((n) => ({ key: `${name}-${n}`, type: "EXIT", name })),
        transitions: [{ from: "trigger", to: `${name}-a` }],
      });
    const answers = await Promise.all(names.map((name) => putDocument(project, id, document(name))));
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 200]);
    const { name, steps, transitions, version } = await getDocument(project, id);
    expect(version).toBe(5);
    expect(steps.map((one: { key: string }) => one.key)).toEqual(names.map((n) => `${name}-${n}`));
    expect(transitions).toEqual([way("trigger", `${name}-a`)]);
    expect((await project.api.get(`/workflows/${id}`)).body.steps).toHaveLength(5);
  });
});

describe("a document without a step on which executions stand", () => {
  it("is refused with their number, and says it before", async () => {
    const project = await newProject();
    const id = await newDocument(project, twoDays());
    const execution = await standAt(project, id, "first", "ada@example.com");
    await standAt(project, id, "first", "bea@example.com");
    const waiting = [{ key: "first", count: 2 }];
    const [before, plan] = [await getDocument(project, id), await putDocument(project, id, secondDay(), dry)];
    expect(plan).toMatchObject({ status: 200, body: { removed: ["first"], unchanged: ["second"], waiting } });
    const refused = await putDocument(project, id, secondDay());
    expectRefusal(refused, 409, "CONFLICT", { details: { waiting } });
    expect(refused.body.error.message).toContain("2 active executions");
    expect(await getDocument(project, id)).toEqual(before);
    expect((await project.api.get(execution)).body.status).toBe("WAITING");
  });

  it.each(["", dry])("takes moveTo for a step that it has, or force, and not both %s", async (query) => {
    const project = await newProject();
    const id = await newDocument(project, twoDays());
    const put = (more: string) => putDocument(project, id, secondDay(), query === "" ? `?${more}` : `${query}&${more}`);
    expectInvalid(await put("moveTo=first"), "moveTo", "custom");
    expectInvalid(await put("moveTo=two words"), "moveTo", "custom");
    expectInvalid(await put("moveTo=second&force=true"), "moveTo", "custom");
    expectInvalid(await put("force=yes"), "force", "invalid_enum_value");
  });

  it("ends them with force", async () => {
    const project = await newProject();
    const id = await newDocument(project, twoDays());
    const execution = await standAt(project, id, "first", "ada@example.com");
    const { status, body } = await putDocument(project, id, secondDay(), "?force=true");
    expect(status, JSON.stringify(body)).toBe(200);
    const { body: ended } = await project.api.get(execution);
    expect(ended).toMatchObject({ status: "EXITED", exitReason: "Step was removed", completedAt: expect.any(String) });
    expect(ended.steps.at(-1)).toMatchObject({ type: "DELAY", status: "SKIPPED" });
    expect((await project.api.get(`/jobs/${body.jobId}`)).body).toMatchObject({ type: "workflows.vacate" });
    expect((await project.api.get(`/workflows/${id}/executions?status=EXITED`)).body.total).toBe(1);
    expect((await project.api.delete(`/workflows/${id}`)).status).toBe(204);
  });

  it("has them go on at another step with moveTo", async () => {
    const project = await newProject();
    const id = await newDocument(project, twoDays());
    const execution = await standAt(project, id, "first", "ada@example.com");
    expect((await putDocument(project, id, secondDay(), "?moveTo=second")).status).toBe(200);
    const moved = await inStatus(project, execution, "WAITING");
    expect(moved.currentStepId).toBe((await stepIds(project, id)).second);
    expect(moved.steps).toMatchObject([
      { type: "TRIGGER", status: "COMPLETED" },
      { type: "DELAY", status: "SKIPPED", completedAt: expect.any(String), scheduledFor: null },
      { type: "DELAY", status: "WAITING", scheduledFor: expect.any(String) },
    ]);
    const { body: stats } = await project.api.get(`/workflows/${id}/stats`);
    expect(stats.steps[1]).toMatchObject({ entered: 1, waiting: 1 });
    const end = { key: "end", type: "EXIT", config: { reason: "No longer offered" } };
    const ending = steps(end);
    expect((await putDocument(project, id, ending, "?moveTo=end")).status).toBe(200);
    expect(await inStatus(project, execution, "EXITED")).toMatchObject({ exitReason: "No longer offered" });
  });
});

describe("an onboarding that took eleven calls", () => {
  it("is one, and changes while somebody waits in it, who goes on at the step where she is", async () => {
    const project = await newProject();
    const names = ["Welcome", "Tips", "Help", "News"];
    const [welcome, tips, help, news] = await Promise.all(
      names.map(async (subject) => (await newTemplate(project, { name: subject, subject, type: "TRANSACTIONAL" })).id),
    );
    const mail = (key: string, templateId: string) => ({ key, type: "SEND_EMAIL", name: key, templateId });
    const wait = { key: "bought", type: "WAIT_FOR_EVENT", config: { eventName: "purchase", timeout: 86_400 } };
    const isLarge = {
      key: "large",
      type: "CONDITION",
      config: { field: "event.amount", operator: "greaterThan", value: 100 },
    };
    const document = {
      ...{ name: "Onboarding", eventName: "signup", enabled: true },
      steps: [mail("welcome", welcome), wait, isLarge, mail("tips", tips), mail("help", help)],
      transitions: [
        { from: "trigger", to: "welcome" },
        { from: "welcome", to: "bought" },
        { from: "bought", to: "large", branch: "event" },
        { from: "bought", to: "help", branch: "timeout" },
        { from: "large", to: "tips", branch: "yes" },
      ],
    };
    const created = await project.api.post("/workflows", document);
    expect(created).toMatchObject({ status: 201, body: { enabled: true, issues: [] } });
    const { id } = created.body;
    const contact = (await project.api.post("/contacts", { email: "ada@example.com" })).body;
    const started = await project.api.post(`/workflows/${id}/executions`, { contactId: contact.id });
    const execution = `/workflows/${id}/executions/${started.body.id}`;
    await inStatus(project, execution, "WAITING");
    const before = await stepIds(project, id);

    // The wait stays, and leads elsewhere: who waits there goes the new way.
    const changed = {
      ...document,
      steps: [mail("welcome", welcome), wait, mail("news", news)],
      transitions: [
        { from: "trigger", to: "welcome" },
        { from: "welcome", to: "bought" },
        { from: "bought", to: "news", branch: "event" },
      ],
    };
    expect((await putDocument(project, id, changed, dry)).body).toEqual({
      ...{ created: ["news"], changed: [], removed: ["large", "tips", "help"], unchanged: ["welcome", "bought"] },
      ...{ waiting: [], issues: [], fields: [] },
      transitions: {
        created: [{ from: "bought", to: "news", branch: "event" }],
        removed: expect.arrayContaining([{ from: "bought", to: "help", branch: "timeout" }]),
      },
    });
    expect((await putDocument(project, id, changed)).status).toBe(200);
    const waiting = (await project.api.get(execution)).body;
    expect(waiting).toMatchObject({ status: "WAITING", currentStepId: before.bought });
    await project.api.post("/events/track", { email: "ada@example.com", event: "purchase", data: { amount: 5 } });
    const ended = await inStatus(project, execution, "COMPLETED");
    expect(ended.steps.map(({ name, status }: { name: string; status: string }) => `${name} ${status}`)).toEqual([
      ...["TRIGGER COMPLETED", "welcome COMPLETED", "WAIT_FOR_EVENT COMPLETED", "news COMPLETED"],
    ]);
    expect((await mailOf(project, ended.steps[3].output.emailId)).subject).toBe("News");
  });
});
