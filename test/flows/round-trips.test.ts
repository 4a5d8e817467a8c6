import { env } from "cloudflare:workers";
import { describe, expect, it, vi } from "vitest";
import { sweepLostMessages } from "../../src/cron";
import { callers } from "../../src/engine/projects/cache";
import { callFromAfar } from "../support/cloud";
import { newProject, type TestProject } from "../support/project";
import { newTemplate } from "../support/template";
import { newWorkflow, track } from "../support/workflow";
import { World } from "../support/world";

const ada = "ada@example.com";

const sendToAda = ({ domain }: TestProject) => ({
  to: ada,
  from: `hello@${domain}`,
  subject: "Your code",
  body: "<p>42</p>",
});

/** Keys are known for half a minute: the first call of an isolate reads them. */
async function knownProject(): Promise<TestProject> {
  const project = await newProject();
  await callFromAfar("POST", "/v1/track", { key: project.keys.public, body: { email: ada, event: "known" } });
  return project;
}

describe("the round trips for which an answer waits", () => {
  it("are one to the database for a mail", async () => {
    const project = await knownProject();
    const sent = await callFromAfar("POST", "/v1/send", { key: project.keys.secret, body: sendToAda(project) });
    expect(sent).toMatchObject({ status: 200, trips: ["D1"] });
  });

  it("are one for marketing mail, which knows who is not subscribed", async () => {
    const project = await knownProject();
    const { id: template } = await newTemplate(project);
    const body = { to: "new@example.com", template };
    const sent = await callFromAfar("POST", "/v1/send", { key: project.keys.secret, body });
    expect(sent).toMatchObject({
      status: 200,
      trips: ["D1"],
      body: { warnings: [{ field: "postalAddress" }, { field: "to" }] },
    });
  });

  it("are the gate and the database for a mail with an Idempotency-Key", async () => {
    const project = await knownProject();
    const call = { key: project.keys.secret, body: sendToAda(project), headers: { "Idempotency-Key": "order-1" } };
    const sent = await callFromAfar("POST", "/v1/send", call);
    expect(sent).toMatchObject({ status: 200, trips: ["gate admit", "D1"] });
  });

  it("are two objects at the same time, and the database, with an Idempotency-Key and rate limits", async () => {
    const project = await knownProject();
    const settings = { RATE_LIMIT_ENABLED: "true" as const };
    const call = { key: project.keys.secret, body: sendToAda(project), headers: { "Idempotency-Key": "order-1" } };
    const sent = await callFromAfar("POST", "/v1/send", { ...call, settings });
    expect(sent).toMatchObject({ status: 200, trips: ["gate admit and gate admit", "D1"] });
    expect(sent.headers.get("RateLimit-Limit")).toBe("50");
  });

  it("are an object and the database with rate limits alone", async () => {
    const project = await knownProject();
    const settings = { RATE_LIMIT_ENABLED: "true" as const };
    const call = { key: project.keys.public, body: { email: ada, event: "signup" }, settings };
    expect(await callFromAfar("POST", "/v1/track", call)).toMatchObject({ status: 200, trips: ["gate admit", "D1"] });
  });

  const file = { filename: "bill.pdf", content: "JVBERi0xLjQ=", contentType: "application/pdf" };

  it.each([
    ["with a body over 64 KB", { body: `<p>${"a".repeat(70_000)}</p>` }, ["R2", "D1"]],
    ["with an attachment", { attachments: [file] }, ["R2", "D1"]],
    // One after another, because together they may be large.
    ["with three attachments", { attachments: [file, file, file] }, ["R2", "R2", "R2", "D1"]],
  ])("are R2 for each file, and the database, for a mail %s", async (_, large, trips) => {
    const project = await knownProject();
    const body = { ...sendToAda(project), ...large };
    const sent = await callFromAfar("POST", "/v1/send", { key: project.keys.secret, body });
    expect([sent.status, sent.trips], JSON.stringify(sent.body)).toEqual([200, trips]);
  });

  it.each([
    ["of a new contact", "grace@example.com"],
    ["of a known one", ada],
  ])("are one for an event %s", async (_, email) => {
    const project = await knownProject();
    const call = { key: project.keys.public, body: { email, event: "signup", data: { plan: "pro" } } };
    expect(await callFromAfar("POST", "/v1/track", call)).toMatchObject({ status: 200, trips: ["D1"] });
  });

  it("are one for an event that a workflow and a webhook wait for", async () => {
    const project = await knownProject();
    const workflow = await project.api.post("/workflows", { name: "Welcome", eventName: "signup" });
    await project.api.patch(`/workflows/${workflow.body.id}`, { enabled: true });
    await project.api.post("/webhooks", { url: "https://acme.example/hook", events: ["*"] });
    const call = { key: project.keys.public, body: { email: ada, event: "signup" } };
    expect(await callFromAfar("POST", "/v1/track", call)).toMatchObject({ status: 200, trips: ["D1"] });
  });

  it.each([
    ["POST", "/contacts", { email: "grace@example.com" }, 201],
    ["POST", "/events/track", { email: ada, event: "signup" }, 200],
    ["GET", `/contacts?email=${ada}`, undefined, 200],
    ["GET", "/emails", undefined, 200],
  ])("are one for %s %s", async (method, path, body, status) => {
    const project = await knownProject();
    const call = { key: project.keys.secret, body };
    expect(await callFromAfar(method, path, call)).toMatchObject({ status, trips: ["D1"] });
  });

  it("are one more when this isolate does not know the key", async () => {
    const project = await knownProject();
    callers.clear();
    const sent = await callFromAfar("POST", "/v1/send", { key: project.keys.secret, body: sendToAda(project) });
    expect(sent).toMatchObject({ status: 200, trips: ["D1", "D1"] });
  });
});

describe("a key that is in use", () => {
  it("is read again behind an answer, and is unknown half a minute after it was revoked at the latest", async () => {
    const project = await knownProject();
    const call = { key: project.keys.secret };
    callers.clear();
    await callFromAfar("GET", "/emails", call);
    vi.useFakeTimers({ now: Date.now() + 16_000, toFake: ["Date"] });
    try {
      await env.DB.prepare("DELETE FROM api_keys WHERE project_id = ?").bind(project.number).run();
      expect(await callFromAfar("GET", "/emails", call)).toMatchObject({ status: 200 });
      expect(await callFromAfar("GET", "/emails", call)).toMatchObject({ status: 401 });
    } finally {
      vi.useRealTimers();
    }
  });
});

describe("an Idempotency-Key whose gate hears of the answer late", () => {
  it("gives the first answer to a caller who comes at once", async () => {
    const project = await knownProject();
    const call = { key: project.keys.secret, body: sendToAda(project), headers: { "Idempotency-Key": "order-1" } };
    const first = await callFromAfar("POST", "/v1/send", { ...call, dies: true });
    const second = await callFromAfar("POST", "/v1/send", call);
    expect(second).toMatchObject({
      status: 409,
      body: { error: { details: { originalStatusCode: 200, originalResponse: { data: first.body.data } } } },
    });
  });
});

describe("a workflow", () => {
  it("has the mail of its first step written after five round trips to the database", async () => {
    const project = await knownProject();
    const template = await newTemplate(project);
    await newWorkflow(project, {
      steps: { mail: ["SEND_EMAIL", {}, { templateId: template.id }] },
      ways: [["TRIGGER", "mail"]],
    });
    const world = new World();
    await track(world, project, "signup");
    const trips: string[][] = [];
    world.fault = {
      meet: (trip, make) => {
        trips.push(trip.sql);
        return make();
      },
    };
    await world.drain();
    const first = trips.findIndex((sql) => sql.some((text) => text.includes("INSERT INTO emails")));
    expect(first + 1).toBe(5);
  });
});

describe("an isolate that dies behind its answer", () => {
  /** Ten seconds later, without a tick of the cron: the sweeps of every five seconds have run. */
  async function tenSecondsLater(world: World): Promise<void> {
    for (let seconds = 5; seconds <= 10; seconds += 5) {
      world.now += 5_000;
      await sweepLostMessages(world.process().platform);
      await world.drain();
    }
  }

  it("has its mail sent within ten seconds", async () => {
    const project = await knownProject();
    const world = new World();
    await callFromAfar("POST", "/v1/send", { key: project.keys.secret, body: sendToAda(project), dies: true });
    await tenSecondsLater(world);
    expect(world.taken).toMatchObject([{ subject: "Your code" }]);
  });

  it("has its event heard within ten seconds", async () => {
    const project = await knownProject();
    const world = new World();
    const workflow = await project.api.post("/workflows", { name: "Welcome", eventName: "signup" });
    await project.api.patch(`/workflows/${workflow.body.id}`, { enabled: true });
    const call = { key: project.keys.public, body: { email: ada, event: "signup" }, dies: true };
    await callFromAfar("POST", "/v1/track", call);
    await tenSecondsLater(world);
    const executions = await project.api.get(`/workflows/${workflow.body.id}/executions`);
    expect(executions.body.total).toBe(1);
  });

  it("has its job begun within ten seconds", async () => {
    const project = await knownProject();
    const { body: contact } = await project.api.get(`/contacts?email=${ada}`);
    const world = new World();
    const ids = { contactIds: contact.data.map(({ id }: { id: string }) => id) };
    const call = { key: project.keys.secret, body: ids, dies: true };
    const started = await callFromAfar("POST", "/contacts/bulk-unsubscribe", call);
    await tenSecondsLater(world);
    const job = await project.api.get(`/contacts/bulk/${started.body.jobId}`);
    expect(job.body).toMatchObject({ status: "completed", succeeded: 1 });
  });

  it("has its campaign begun within ten seconds", async () => {
    const project = await knownProject();
    const { from, subject, body } = sendToAda(project);
    const draft = { name: "News", audienceType: "ALL", from, subject, body };
    const campaign = await project.api.post("/campaigns", draft);
    const world = new World();
    const call = { key: project.keys.secret, body: {}, dies: true };
    await callFromAfar("POST", `/campaigns/${campaign.body.data.id}/send`, call);
    await tenSecondsLater(world);
    expect(world.taken).toMatchObject([{ subject: "Your code" }]);
  });

  it("costs nothing once nothing is lost", async () => {
    const project = await knownProject();
    const world = new World();
    await callFromAfar("POST", "/v1/send", { key: project.keys.secret, body: sendToAda(project), dies: true });
    await tenSecondsLater(world);
    const { platform, process } = world.process();
    world.now += 5_000;
    await sweepLostMessages(platform);
    expect(process.rowsWritten).toBe(0);
    expect(world.queue).toEqual([]);
  });
});
