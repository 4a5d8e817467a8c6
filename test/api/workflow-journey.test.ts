import { describe, expect, it, vi } from "vitest";
import { type Answer, bearer, call, newProject, type TestProject } from "../support/project";
import { mailOf } from "../support/send-and-wait";
import { newTemplate } from "../support/template";
import { draw, newStep, newWorkflow, triggerOf } from "../support/workflow-graph";

/** The execution once it rests in the given status. */
async function executionIn({ api }: TestProject, path: string, id: string, status: string): Promise<Answer["body"]> {
  return vi.waitFor(
    async () => {
      const { body } = await api.get(`${path}/${id}`);
      expect(body.status, JSON.stringify(body)).toBe(status);
      return body;
    },
    { timeout: 15_000, interval: 50 },
  );
}

/** The only execution of the contact in the workflow, once there is one. */
async function executionOf({ api }: TestProject, path: string, contactId: string): Promise<string> {
  return vi.waitFor(
    async () => {
      const { body } = await api.get(path);
      const own = body.data.filter((one: { contactId: string }) => one.contactId === contactId);
      expect(own).toHaveLength(1);
      return own[0].id;
    },
    { timeout: 15_000, interval: 50 },
  );
}

function track({ keys }: TestProject, event: string, email: string, data?: object): Promise<Answer> {
  return call("POST", "/v1/track", { email, event, data }, bearer(keys.public));
}

/** signup → mail → wait for a purchase → large? → data and mail, or the end. */
async function onboarding(project: TestProject) {
  const welcome = await newTemplate(project, {
    type: "TRANSACTIONAL",
    subject: "Welcome, {{ firstName }}",
    body: "<p>You chose {{ event.plan }}.</p>",
  });
  const offers = await newTemplate(project, { name: "Offers", type: "MARKETING", subject: "Offers for {{ plan }}" });
  const workflow = await newWorkflow(project);
  const add = (fields: Record<string, unknown>) => newStep(project, workflow.id, fields);
  const mail = await add({
    ...{ type: "SEND_EMAIL", name: "Welcome", config: {}, templateId: welcome.id },
    connectFrom: triggerOf(workflow),
  });
  const wait = await add({
    ...{ type: "WAIT_FOR_EVENT", name: "Bought?", config: { eventName: "purchase", timeout: 86_400 } },
    connectFrom: mail.id,
  });
  const isLarge = await add({
    ...{ type: "CONDITION", name: "Large?", config: { field: "event.amount", operator: "greaterThan", value: 100 } },
    ...{ connectFrom: wait.id, branch: "event" },
  });
  const note = await add({
    ...{ type: "UPDATE_CONTACT", name: "Note", config: { data: { plan: "{{ event.amount }} plan" } } },
    ...{ connectFrom: isLarge.id, branch: "yes" },
  });
  const offer = await add({
    type: "SEND_EMAIL",
    name: "Offers",
    config: { templateId: offers.id },
    connectFrom: note.id,
  });
  const exit = await add({ type: "EXIT", name: "Small", config: { reason: "A small purchase" } });
  expect((await draw(project, workflow.id, [isLarge.id, exit.id, "no"])).status).toBe(201);
  expect((await draw(project, workflow.id, [wait.id, exit.id, "timeout"])).status).toBe(201);
  const enabled = await project.api.patch(`/workflows/${workflow.id}`, { enabled: true });
  expect(enabled).toMatchObject({ status: 200, body: { enabled: true, issues: [] } });
  const steps = { mail, wait, isLarge, note, offer, exit };
  return { path: `/workflows/${workflow.id}`, executions: `/workflows/${workflow.id}/executions`, steps };
}

describe("a journey", () => {
  it("begins by an event of a browser, mails, waits, decides, notes and ends", async () => {
    const project = await newProject();
    const { path, executions, steps } = await onboarding(project);
    const contact = (await project.api.post("/contacts", { email: "ada@example.com", data: { firstName: "Ada" } }))
      .body;
    expect((await track(project, "signup", "ada@example.com", { plan: "pro" })).status).toBe(200);
    const id = await executionOf(project, executions, contact.id);
    const waiting = await executionIn(project, executions, id, "WAITING");
    expect(waiting).toMatchObject({ currentStepId: steps.wait.id, context: { event: { plan: "pro" } } });
    const mail = await mailOf(project, waiting.steps[1].output.emailId);
    expect(mail).toMatchObject({ subject: "Welcome, Ada", html: expect.stringContaining("You chose pro.") });

    const diagram = await project.api.get(`${path}/diagram`);
    expect(diagram.body).toContain('{{"Bought?<br>WAIT_FOR_EVENT<br>purchase');
    expect(diagram.body).toContain("1 entered, 1 waiting");
    expect((await track(project, "purchase", "ada@example.com", { amount: 250 })).status).toBe(200);
    const ended = await executionIn(project, executions, id, "COMPLETED");
    expect(ended.steps).toMatchObject([
      { type: "TRIGGER", status: "COMPLETED" },
      { name: "Welcome", status: "COMPLETED" },
      { name: "Bought?", status: "COMPLETED", branch: "event" },
      { name: "Large?", status: "COMPLETED", branch: "yes", reason: "event.amount is 250" },
      { name: "Note", status: "COMPLETED" },
      { name: "Offers", status: "COMPLETED", output: { emailId: expect.any(String) } },
    ]);
    expect((await project.api.get(`/contacts/${contact.id}`)).body.data).toMatchObject({ plan: "250 plan" });
    const offers = await mailOf(project, ended.steps[5].output.emailId);
    expect(offers.subject).toBe("Offers for 250 plan");
    expect(JSON.stringify(offers.headers)).toContain("https://petrel.example/unsubscribe");

    const { body: stats } = await project.api.get(`${path}/stats`);
    expect(stats.steps).toHaveLength(7);
    expect(stats.steps.find(({ name }: { name: string }) => name === "Bought?")).toEqual({
      ...{ stepId: steps.wait.id, name: "Bought?", type: "WAIT_FOR_EVENT" },
      ...{ entered: 1, waiting: 0, completed: 1, failed: 0, skipped: 0 },
      branches: [
        { branch: "event", count: 1 },
        { branch: "timeout", count: 0 },
      ],
    });
    const { body: where } = await project.api.get(`/contacts/${contact.id}/executions`);
    expect(where).toMatchObject({
      data: [{ id, workflowName: expect.any(String), currentStepName: "Offers" }],
      total: 1,
    });
    const { body: mails } = await project.api.get(`/emails?executionId=${id}`);
    expect(mails.data.map((one: { subject: string }) => one.subject)).toEqual(["Offers for 250 plan", "Welcome, Ada"]);
    expect((await project.api.get(`/emails?executionId=${contact.id}`)).body).toMatchObject({ data: [], total: 0 });
    const explained = await project.api.get(`${executions}/${id}/explain`);
    expect(explained.body.path[3]).toMatchObject({
      ...{ stepId: steps.isLarge.id, outcome: "COMPLETED", branch: "yes", reason: "event.amount is 250" },
      input: { field: "event.amount", operator: "greaterThan", value: 100 },
    });
    const simulated = await project.api.post(`${path}/simulate`, {
      contactId: contact.id,
      events: [
        { after: "0m", name: "signup" },
        { after: "1h", name: "purchase", data: { amount: 5 } },
      ],
    });
    expect(simulated, JSON.stringify(simulated.body)).toMatchObject({ status: 200, body: { status: "EXITED" } });
  });

  it("offers its contact and the context of a start by hand to mails, updates and conditions, by the same names", async () => {
    const project = await newProject();
    const { api } = project;
    const subject = "{{ contact.email }} {{ contact.data.tier }} {{ context.coupon }} {{ coupon }} {{ event.plan }}";
    const template = await newTemplate(project, { type: "TRANSACTIONAL", subject });
    const workflow = await newWorkflow(project, { allowReentry: true });
    const add = (fields: Record<string, unknown>) => newStep(project, workflow.id, fields);
    const mail = await add({ type: "SEND_EMAIL", templateId: template.id, connectFrom: triggerOf(workflow) });
    const data = { note: "{{ contact.id }} {{ context.coupon }} {{ event.plan }}" };
    const note = await add({ type: "UPDATE_CONTACT", config: { data }, connectFrom: mail.id });
    const filter = { field: "event.plan", operator: "equals", value: "pro" };
    const isPro = await add({ type: "CONDITION", name: "Pro?", config: filter, connectFrom: note.id });
    await add({ type: "EXIT", config: { reason: "Pro" }, connectFrom: isPro.id, branch: "yes" });
    const email = "ada@example.com";
    // A key of the contact's own hides neither.
    const sent = { email, data: { tier: "gold", contact: "mine", context: "mine" } };
    const { id: contactId } = (await api.post("/contacts", sent)).body;
    const executions = `/workflows/${workflow.id}/executions`;
    const tryWith = async (context: object, status: string) => {
      const { id } = (await api.post(executions, { contactId, context })).body;
      const ended = await executionIn(project, executions, id, status);
      const { subject: said } = await mailOf(project, ended.steps[1].output.emailId);
      return {
        subject: said,
        note: (await api.get(`/contacts/${contactId}`)).body.data.note.trim(),
        last: ended.steps.at(-1),
      };
    };
    expect(await tryWith({ coupon: "SPRING", event: { plan: "pro" } }, "EXITED")).toMatchObject({
      subject: `${email} gold SPRING SPRING pro`,
      note: `${contactId} SPRING pro`,
    });
    const plain = await tryWith({}, "COMPLETED");
    expect(plain).toMatchObject({
      subject: `${email} gold`,
      note: contactId,
      last: { reason: "event.plan is missing" },
    });
  });

  it("is started by hand, cancelled alone, and with all others", async () => {
    const project = await newProject();
    const { path, executions } = await onboarding(project);
    const ids = await Promise.all(
      ["a", "b", "c"].map(
        async (name) => (await project.api.post("/contacts", { email: `${name}@example.com` })).body.id,
      ),
    );
    const started: string[] = [];
    for (const contactId of ids) started.push((await project.api.post(executions, { contactId })).body.id);
    for (const id of started) await executionIn(project, executions, id, "WAITING");
    expect((await project.api.delete(path)).status).toBe(409);
    expect(await project.api.delete(`${executions}/${started[0]}`)).toMatchObject({
      status: 200,
      body: { status: "CANCELLED", exitReason: "Cancelled" },
    });
    expect((await project.api.get(`${executions}?status=WAITING`)).body.total).toBe(2);
    expect((await project.api.post(`${executions}/cancel-all`)).body).toEqual({ cancelled: 2 });
    expect((await project.api.get(`${executions}?status=CANCELLED`)).body.total).toBe(3);
    expect((await project.api.delete(path)).status).toBe(204);
  });
});
