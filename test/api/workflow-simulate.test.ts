import { describe, expect, it } from "vitest";
import { readId } from "../../src/core/ids";
import { pathOf } from "../../src/features/workflows/executions/path";
import { databaseWith } from "../support/database";
import { type Answer, admin, bearer, call, newProject, type TestProject } from "../support/project";
import { expectInvalid } from "../support/refusal";
import { newTemplate } from "../support/template";
import { addressOf, executionsOf, track } from "../support/workflow";
import { draw, newStep, newWorkflow, triggerOf } from "../support/workflow-graph";
import { World } from "../support/world";

const dayMs = 86_400_000;
const start = Date.parse("2027-01-01T09:00:00Z");
const at = (days: number, from = start) => new Date(from + days * dayMs).toISOString();

async function newContact({ api }: TestProject, fields: object = {}): Promise<string> {
  return (await api.post("/contacts", { email: "ada@example.com", data: { firstName: "Ada" }, ...fields })).body.id;
}

/** signup → mail → wait 3 days for a purchase: noted, and asked for; or a last mail a week later. */
async function set() {
  const project = await newProject();
  const hello = await newTemplate(project, {
    ...{ type: "TRANSACTIONAL", subject: "Hello {{ firstName }}, {{ event.plan }}" },
  });
  const offer = await newTemplate(project, {
    name: "Offer",
    type: "MARKETING",
    subject: "{{ tier }} of {{ event.amount }} for {{ event.plan }}",
  });
  const workflow = await newWorkflow(project);
  const add = (fields: Record<string, unknown>) => newStep(project, workflow.id, fields);
  const mail = await add({
    ...{ type: "SEND_EMAIL", name: "Hello", config: {}, templateId: hello.id },
    connectFrom: triggerOf(workflow),
  });
  const wait = await add({
    ...{ type: "WAIT_FOR_EVENT", name: "Bought?", config: { eventName: "purchase", timeout: 3 * 86_400 } },
    connectFrom: mail.id,
  });
  const note = await add({
    ...{ type: "UPDATE_CONTACT", name: "Note", config: { data: { tier: "gold" } } },
    ...{ connectFrom: wait.id, branch: "event" },
  });
  const isGold = await add({
    ...{ type: "CONDITION", name: "Gold?", config: { field: "data.tier", operator: "equals", value: "gold" } },
    connectFrom: note.id,
  });
  const offers = await add({
    ...{ type: "SEND_EMAIL", name: "Offer", config: {}, templateId: offer.id },
    ...{ connectFrom: isGold.id, branch: "yes" },
  });
  const later = await add({
    ...{ type: "DELAY", name: "Later", config: { amount: 7, unit: "days" } },
    ...{ connectFrom: wait.id, branch: "timeout" },
  });
  const exit = await add({ type: "EXIT", name: "Lost", config: { reason: "No purchase" }, connectFrom: later.id });
  await draw(project, workflow.id, [isGold.id, exit.id, "no"]);
  const contactId = await newContact(project);
  const path = `/workflows/${workflow.id}/simulate`;
  return { project, api: project.api, workflow, contactId, path, templates: { hello, offer }, steps: { wait, offers } };
}

function told({ body }: Answer): string[] {
  return body.path.map(({ name, outcome, branch }: Record<string, string>) =>
    `${name} ${outcome} ${branch ?? ""}`.trim(),
  );
}

/** Every table of the project's database, and how many rows it has. */
async function rowCounts({ number }: TestProject): Promise<Record<string, number>> {
  const db = await databaseWith(number);
  const { results } = await db
    .prepare("SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT GLOB '_cf*' AND name NOT GLOB 'sqlite*'")
    .all<{ name: string }>();
  const counted = await db.batch<{ n: number }>(
    results.map(({ name }) => db.prepare(`SELECT count(*) AS n FROM "${name}"`)),
  );
  return Object.fromEntries(results.map(({ name }, index) => [name, counted[index]?.results[0]?.n ?? -1]));
}

it("names the subject that takes too much, as sending does", async () => {
  const project = await newProject();
  const subject = "{% for n in (1..90000) %}{% endfor %}".repeat(3);
  const { id: templateId } = await newTemplate(project, { type: "TRANSACTIONAL", subject });
  const workflow = await newWorkflow(project);
  await newStep(project, workflow.id, { type: "SEND_EMAIL", templateId, connectFrom: triggerOf(workflow) });
  const contactId = await newContact(project);
  const { body } = await project.api.post(`/workflows/${workflow.id}/simulate`, { contactId });
  expect(body.status).toBe("FAILED");
  expect(JSON.stringify(body.path)).toContain("In the subject: The template does too much work");
});

describe("POST /workflows/{id}/simulate", () => {
  it("tells the path by events, with its waits and mails, and what a step writes is known to later ones", async () => {
    const { api, path, contactId, templates, steps } = await set();
    const answer = await api.post(path, {
      contactId,
      events: [
        { at: at(2), name: "purchase", data: { amount: 42 } },
        { at: at(0), name: "signup", data: { plan: "pro" } },
      ],
    });
    expect(answer.status, JSON.stringify(answer.body)).toBe(200);
    expect(told(answer)).toEqual([
      ...["TRIGGER COMPLETED", "Hello COMPLETED", "Bought? COMPLETED event", "Note COMPLETED"],
      ...["Gold? COMPLETED yes", "Offer COMPLETED"],
    ]);
    expect(answer.body).toMatchObject({
      mails: [
        { at: at(0), templateId: templates.hello.id, subject: "Hello Ada, pro" },
        { at: at(2), templateId: templates.offer.id, subject: "gold of 42 for pro" },
      ],
      endsAt: at(2),
      status: "COMPLETED",
    });
    expect(answer.body.path[2]).toEqual({
      ...{ stepId: steps.wait.id, name: "Bought?", type: "WAIT_FOR_EVENT", at: at(0), nextAt: at(2) },
      ...{ input: { eventName: "purchase", timeout: 259_200 }, outcome: "COMPLETED", branch: "event", reason: null },
    });
    expect(answer.body.path[4]).toMatchObject({ reason: 'data.tier is "gold"', at: at(2), nextAt: at(2) });
  });

  it("goes by timeouts without events, and stops at `until`", async () => {
    const { api, path, contactId } = await set();
    const events = [{ at: at(0), name: "signup" }];
    const whole = await api.post(path, { contactId, events });
    expect(told(whole)).toEqual([
      ...["TRIGGER COMPLETED", "Hello COMPLETED", "Bought? COMPLETED timeout", "Later COMPLETED", "Lost COMPLETED"],
    ]);
    expect(whole.body).toMatchObject({ status: "EXITED", endsAt: at(10) });
    const part = await api.post(path, { contactId, events, until: at(5) });
    expect(told(part).slice(2)).toEqual(["Bought? COMPLETED timeout", "Later WAITING"]);
    expect(part.body).toMatchObject({ status: "WAITING", endsAt: null });
    expect(part.body.path[3].nextAt).toBe(at(10));
    // An event too late, and one from before the start.
    const late = [...events, { at: at(4), name: "purchase" }, { at: at(-1), name: "purchase" }];
    expect(told(await api.post(path, { contactId, events: late }))).toEqual(told(whole));
  });

  it("starts now, as if by hand, without an event that starts it", async () => {
    const { api, path, contactId } = await set();
    const before = Date.now();
    const { body } = await api.post(path, { contactId });
    const startedAt = Date.parse(body.path[0].at);
    expect(startedAt).toBeGreaterThanOrEqual(before - 1_000);
    expect(body).toMatchObject({ status: "EXITED", endsAt: new Date(startedAt + 10 * dayMs).toISOString() });
  });

  it("takes lengths of time after the start, which is now, or when the event that starts it happens", async () => {
    const { api, path, contactId } = await set();
    const simulate = async (start: object, after: string) => {
      const purchase = { after, name: "purchase", data: { amount: 42 } };
      return api.post(path, { contactId, events: [purchase, { ...start, name: "signup", data: { plan: "pro" } }] });
    };
    const planned = await simulate({ at: at(0) }, "2d");
    expect(told(planned)).toContain("Bought? COMPLETED event");
    expect(planned.body.mails).toMatchObject([{ at: at(0) }, { at: at(2) }]);
    const now = await simulate({ after: "0m" }, "36h");
    const [hello, offer] = now.body.mails.map((mail: { at: string }) => Date.parse(mail.at));
    expect(offer - hello).toBe(1.5 * dayMs);
    expect(told(await simulate({ after: "1h" }, "4d"))).toContain("Bought? COMPLETED timeout");
  });

  it("finds events of the same moment in their order, and lets their data become the contact's", async () => {
    const { api, path, contactId } = await set();
    const { body, ...answer } = await api.post(path, {
      contactId,
      events: [
        { after: "0m", name: "signup", data: { firstName: "Grace", plan: "pro" } },
        { after: "0m", name: "purchase", data: { amount: 1 } },
      ],
    });
    expect(told({ ...answer, body })).toContain("Bought? COMPLETED event");
    expect(body.mails[0].subject).toBe("Hello Grace, pro");
    expect((await api.get(`/contacts/${contactId}`)).body.data).toEqual({ firstName: "Ada" });
  });

  it("ends a wait of a millisecond right after the event that it waits for", async () => {
    const { project, api, contactId } = await set();
    const workflow = await newWorkflow(project, { eventName: "goodbye" });
    const leave = await newStep(project, workflow.id, {
      ...{ type: "UPDATE_CONTACT", name: "Leave", config: { subscribed: false } },
      connectFrom: triggerOf(workflow),
    });
    const config = { eventName: "contact.unsubscribed", timeout: 0.001 };
    await newStep(project, workflow.id, { type: "WAIT_FOR_EVENT", name: "Heard?", config, connectFrom: leave.id });
    const events = [{ after: "0m", name: "goodbye" }];
    const answer = await api.post(`/workflows/${workflow.id}/simulate`, { contactId, events });
    expect(told(answer).slice(1)).toEqual(["Leave COMPLETED", "Heard? COMPLETED timeout"]);
  });

  it("knows the events that a step causes: a wait right after it hears them, a later one does not", async () => {
    const { project, api, contactId } = await set();
    const workflow = await newWorkflow(project, { eventName: "goodbye" });
    const add = (fields: Record<string, unknown>) => newStep(project, workflow.id, fields);
    const leave = await add({
      ...{ type: "UPDATE_CONTACT", name: "Leave", config: { subscribed: false } },
      connectFrom: triggerOf(workflow),
    });
    const config = { eventName: "contact.unsubscribed", timeout: 60 };
    const first = await add({ type: "WAIT_FOR_EVENT", name: "Heard?", config, connectFrom: leave.id });
    const hasLeft = { field: "contact.unsubscribed", operator: "triggered" };
    const isGone = await add({
      ...{ type: "CONDITION", name: "Left?", config: hasLeft },
      ...{ connectFrom: first.id, branch: "event" },
    });
    await add({
      ...{ type: "WAIT_FOR_EVENT", name: "Again?", config },
      ...{ connectFrom: isGone.id, branch: "yes" },
    });
    for (const events of [
      undefined,
      [
        { after: "0m", name: "goodbye" },
        { after: "0m", name: "other" },
      ],
      [{ at: at(1), name: "goodbye" }],
    ]) {
      const answer = await api.post(`/workflows/${workflow.id}/simulate`, { contactId, events });
      expect(told(answer).slice(1)).toEqual([
        ...["Leave COMPLETED", "Heard? COMPLETED event", "Left? COMPLETED yes", "Again? COMPLETED timeout"],
      ]);
    }
  });

  it("says of a membership that it is as of now, and evaluates other segments for the contact as it is by then", async () => {
    const { api, workflow, project, path, contactId, steps } = await set();
    const gold = { field: "data.tier", operator: "equals", value: "gold" };
    const condition = { logic: "AND", groups: [{ filters: [gold] }] };
    const fixed = (await api.post("/segments", { name: "Fixed", type: "STATIC" })).body;
    const live = (await api.post("/segments", { name: "Live", condition })).body;
    const add = (fields: Record<string, unknown>) => newStep(project, workflow.id, { type: "CONDITION", ...fields });
    const asks = (segment: { id: string }, more: object[] = []) => {
      const filters = [{ field: `segment.${segment.id}`, operator: "memberOfSegment" }, ...more];
      return { condition: { logic: "AND", groups: [{ filters }] } };
    };
    const isLive = await add({ name: "Live?", config: asks(live), connectFrom: steps.offers.id });
    await add({ name: "Fixed?", config: asks(fixed, [gold]), connectFrom: isLive.id, branch: "yes" });
    const events = [
      { after: "0m", name: "signup" },
      { after: "0m", name: "purchase" },
    ];
    const { body } = await api.post(path, { contactId, events });
    expect(body.path.slice(-2)).toMatchObject([
      { name: "Live?", branch: "yes", reason: null },
      { name: "Fixed?", branch: "no", reason: 'data.tier is "gold", memberships are as of now' },
    ]);
  });

  it("passes over MARKETING mail to a contact that is not subscribed", async () => {
    const { project, api, path } = await set();
    const contactId = await newContact(project, { email: "bob@example.com", subscribed: false });
    const events = [
      { after: "0m", name: "signup" },
      { after: "0m", name: "purchase" },
    ];
    const answer = await api.post(path, { contactId, events });
    expect(told(answer).slice(-2)).toEqual(["Gold? COMPLETED yes", "Offer SKIPPED"]);
    expect(answer.body.path.at(-1).reason).toContain("not subscribed");
    expect(answer.body.mails).toHaveLength(1);
  });

  it("has no effect at all, and works in a project that is disabled, as reading does", async () => {
    const { project, api, path, contactId } = await set();
    const events = [
      { after: "0m", name: "signup", data: { plan: "pro" } },
      { after: "0m", name: "purchase", data: { amount: 9 } },
    ];
    const before = await rowCounts(project);
    const contact = (await api.get(`/contacts/${contactId}`)).body;
    expect((await api.post(path, { contactId, events })).body.status).toBe("COMPLETED");
    expect(await rowCounts(project)).toEqual(before);
    expect((await api.get(`/contacts/${contactId}`)).body).toEqual(contact);
    await admin.patch(`/admin/projects/${project.id}`, { disabled: true });
    expect((await api.post(path, { contactId, events })).status).toBe(200);
  });

  it.each([
    ["contactId", { contactId: undefined }, "contactId", "required"],
    ["a time", { events: [{ at: "tomorrow", name: "signup" }] }, "events.0.at", "invalid_string"],
    ["two times", { events: [{ at: at(0), after: "1d", name: "signup" }] }, "events.0.after", "custom"],
    ["a length", { events: [{ after: "P3D", name: "signup" }] }, "events.0.after", "invalid_string"],
    ["a name", { events: [{ after: "0m", name: "" }] }, "events.0.name", "too_small"],
    ["data", { events: [{ after: "0m", name: "signup", data: [1] }] }, "events.0.data", "invalid_type"],
    [
      "data",
      { events: [{ after: "0m", name: "signup", data: { x: "x".repeat(16_384) } }] },
      "events.0.data",
      "too_big",
    ],
    ["101 events", { events: Array.from({ length: 101 }, () => ({ after: "0m", name: "x" })) }, "events", "too_big"],
    ["until", { until: "soon" }, "until", "invalid_string"],
    ["an end before the start", { until: "2020-01-01T00:00:00Z" }, "until", "too_small"],
  ])("refuses a wrong call: %s", async (_, fields, field, code) => {
    const { api, path, contactId } = await set();
    expectInvalid(await api.post(path, { contactId, ...fields }), field, code);
  });

  it("takes null for what is left out, and names what nobody reads", async () => {
    const { api, path, contactId } = await set();
    const nothing = told(await api.post(path, { contactId, events: null, until: null }));
    expect(nothing).toEqual(told(await api.post(path, { contactId })));
    const events = [{ at: null, after: "0m", name: "signup", data: null, timestamp: at(0) }];
    const { status, body } = await api.post(path, { contactId, events });
    expect([status, body.warnings]).toMatchObject([200, [{ field: "events.0.timestamp" }]]);
  });

  it("lets the timeout go before an event of its very instant, and after one of the millisecond before", async () => {
    const { api, path, contactId } = await set();
    const bought = async (ms: number) => {
      const purchase = { at: new Date(start + 3 * dayMs + ms).toISOString(), name: "purchase" };
      return told(await api.post(path, { contactId, events: [{ at: at(0), name: "signup" }, purchase] }));
    };
    expect(await bought(0)).toContain("Bought? COMPLETED timeout");
    expect(await bought(-1)).toContain("Bought? COMPLETED event");
  });

  it("is 404 for another project, and refuses a public key", async () => {
    const { project, api, path, contactId } = await set();
    const other = await set();
    expect((await other.api.post(path, { contactId: other.contactId })).body.error.code).toBe("WORKFLOW_NOT_FOUND");
    expect((await api.post(path, { contactId: other.contactId })).body.error.code).toBe("CONTACT_NOT_FOUND");
    for (const end of ["stats", "diagram"]) {
      expect((await other.api.get(`/workflows/${path.split("/")[2]}/${end}`)).status).toBe(404);
    }
    expect((await call("POST", path, { contactId }, bearer(project.keys.public))).status).toBe(401);
  });

  it("tells the path that a real execution then takes", async () => {
    const world = new World();
    const { project, api, workflow, path, contactId } = await set();
    await api.patch(`/workflows/${workflow.id}`, { enabled: true });
    const began = world.now;
    const simulated = await api.post(path, {
      contactId,
      events: [
        { at: at(0, began), name: "signup", data: { plan: "pro" } },
        { at: at(2, began), name: "purchase", data: { amount: 42 } },
      ],
    });
    await track(world, project, "signup", { data: { plan: "pro" } });
    await world.drain();
    world.now += 2 * dayMs;
    await world.ring(addressOf(project, readId(contactId)));
    await track(world, project, "purchase", { data: { amount: 42 } });
    await world.drain();
    const [execution] = await executionsOf(world, project, readId(contactId));
    const { steps } = (await api.get(`/workflows/${workflow.id}`)).body;
    const inputs = steps.map((step: { id: string; config: object }) => ({ id: readId(step.id), config: step.config }));
    expect(pathOf(execution?.steps ?? [], inputs)).toEqual(simulated.body.path);
    expect(world.taken.map(({ subject }) => subject)).toEqual(
      simulated.body.mails.map(({ subject }: { subject: string }) => subject),
    );
    const { body } = await api.get(`/workflows/${workflow.id}/executions?status=${simulated.body.status}`);
    expect(body).toMatchObject({ total: 1, data: [{ completedAt: simulated.body.endsAt }] });
  });
});
