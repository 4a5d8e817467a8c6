import { env } from "cloudflare:workers";
import { describe, expect, it, vi } from "vitest";
import { Outside } from "../support/outside";
import { newProject, type TestProject } from "../support/project";
import { expectInvalid, isoTime, uuid } from "../support/refusal";
import { callWith } from "../support/with-settings";

const sound = { url: "https://example.com/hooks", events: ["email.*"] };

async function listenersOf(project: TestProject): Promise<string[]> {
  const query = "SELECT name FROM event_listeners WHERE project_id = ? ORDER BY name";
  const { results } = await project.db.prepare(query).bind(project.id).all<{ name: string }>();
  return results.map(({ name }) => name);
}

describe("POST /webhooks", () => {
  it("creates a webhook, and shows its secret this once", async () => {
    const project = await newProject();
    const { status, body } = await project.api.post("/webhooks", { ...sound, description: "Our CRM" });
    expect(status).toBe(201);
    expect(body).toEqual({
      id: expect.stringMatching(uuid),
      ...sound,
      description: "Our CRM",
      disabled: false,
      disabledReason: null,
      lastSuccessAt: null,
      projectId: project.id,
      createdAt: expect.stringMatching(isoTime),
      updatedAt: expect.stringMatching(isoTime),
      secret: expect.stringMatching(/^whsec_[A-Za-z0-9+/]{43}=$/),
    });
    const { secret, ...shown } = body;
    expect((await project.api.get(`/webhooks/${body.id}`)).body).toEqual(shown);
    expect((await project.api.get("/webhooks")).body).toEqual([shown]);
    expect(await listenersOf(project)).toEqual(["email.*"]);
  });

  it("refuses a description that cannot be stored", async () => {
    const { api } = await newProject();
    expectInvalid(await api.post("/webhooks", { ...sound, description: "\ud800" }), "description", "invalid_string");
    expect((await api.get("/webhooks")).body).toEqual([]);
  });

  it("stores no secret that can be read", async () => {
    const project = await newProject();
    const { body } = await project.api.post("/webhooks", sound);
    const row = await project.db.prepare("SELECT * FROM webhooks WHERE project_id = ?").bind(project.id).first();
    expect(JSON.stringify(row)).not.toContain(body.secret.slice(6, 20));
  });

  it.each([
    ["http://127.0.0.1/", "not an address of the public internet"],
    ["http://2130706433/", "127.0.0.1"],
    ["https://[::ffff:10.0.0.1]/", "not an address"],
    ["https://169.254.169.254/latest", "169.254.169.254"],
    ["https://localhost/", "not a host of the public internet"],
    ["https://petrel.example/hooks/ses", "this service itself"],
    ["https://user:pass@example.com/", "user name"],
    ["ftp://example.com/", "http: or https:"],
    ["example.com", "not a valid URL"],
    ["https://example.com/\r\nX: y", "control character"],
  ])("refuses the URL %j", async (url, says) => {
    const project = await newProject();
    const { status, body } = await project.api.post("/webhooks", { ...sound, url });
    expect(status).toBe(422);
    expect(body.error.errors).toMatchObject([{ field: "url", message: expect.stringContaining(says) }]);
    expect((await project.api.get("/webhooks")).body).toEqual([]);
  });

  it.each(["localhost:3000", "127.0.0.1:3000", "[::1]:80"])("tells a developer how %s can be called", async (place) => {
    const project = await newProject();
    const { status, body } = await project.api.post("/webhooks", { ...sound, url: `http://${place}/hook` });
    expect(status).toBe(422);
    const [{ message }] = body.error.errors;
    expect(message).toContain("not a");
    expect(message).toMatch(`OUTBOUND_ALLOW_LOOPBACK=${place}`);
  });

  it.each([
    [["email.typo"], "events.0", "There is no event email.typo"],
    [["*", "email.op*"], "events.1", "matches nothing"],
    [["segment.vip.*"], "events.0", "matches nothing"],
    [[""], "events.0", ""],
    [["a\nb"], "events.0", "one line"],
    [[], "events", ""],
    [Array.from({ length: 51 }, (_, index) => `e${index}`), "events", ""],
    ["email.*", "events", ""],
    [[1], "events.0", ""],
  ])("refuses the events %j", async (events, field, says) => {
    const project = await newProject();
    const { status, body } = await project.api.post("/webhooks", { ...sound, events });
    expect(status).toBe(422);
    expect(body.error.errors[0]).toMatchObject({ field, message: expect.stringContaining(says) });
    expect(await listenersOf(project)).toEqual([]);
  });

  it("takes names of every kind, each once", async () => {
    const project = await newProject();
    const events = [
      "*",
      "email.sent",
      "email.received",
      "segment.vip.entry",
      "segment.*",
      "webhook.disabled",
      "Bought 2!",
    ];
    const { body } = await project.api.post("/webhooks", { ...sound, events: [...events, "*"] });
    expect(body.events).toEqual(events);
    expect(await listenersOf(project)).toEqual(events.toSorted());
  });

  it("refuses the 21st, also when many come at once", async () => {
    const project = await newProject();
    const answers = await Promise.all(Array.from({ length: 24 }, () => project.api.post("/webhooks", sound)));
    expect(answers.map(({ status }) => status).toSorted()).toEqual([...Array(20).fill(201), ...Array(4).fill(409)]);
    expect((await project.api.get("/webhooks")).body).toHaveLength(20);
  });

  it("is 503 where no secret could be kept", async () => {
    const project = await newProject();
    const settings = { WEBHOOK_SECRETS: "" };
    const answer = await callWith(settings, "POST", "/webhooks", { token: project.keys.secret, body: sound });
    expect(answer.status).toBe(503);
    expect(answer.headers.get("Retry-After")).toBe("60");
    expect(answer.body.error.suggestion).toContain("WEBHOOK_SECRETS");
    expect((await project.api.get("/webhooks")).body).toEqual([]);
  });
});

describe("PATCH /webhooks/{id}", () => {
  it("changes only what is sent", async () => {
    const project = await newProject();
    const { body: before } = await project.api.post("/webhooks", { ...sound, description: "Ours" });
    const { body: after } = await project.api.patch(`/webhooks/${before.id}`, { events: ["purchase", "*"] });
    const { secret: _, ...shown } = before;
    expect(after).toEqual({ ...shown, events: ["purchase", "*"], updatedAt: expect.any(String) });
    expect(await listenersOf(project)).toEqual(["*", "purchase"]);
    const changed = await project.api.patch(`/webhooks/${before.id}`, {
      url: "https://example.org/",
      description: null,
    });
    expect(changed.body).toMatchObject({ url: "https://example.org/", description: null, events: ["purchase", "*"] });
  });

  it("disables and enables", async () => {
    const project = await newProject();
    const { body } = await project.api.post("/webhooks", sound);
    expect((await project.api.patch(`/webhooks/${body.id}`, { disabled: true })).body).toMatchObject({
      disabled: true,
    });
    expect(await listenersOf(project)).toEqual([]);
    expect((await project.api.patch(`/webhooks/${body.id}`, { disabled: false })).body).toMatchObject({
      disabled: false,
    });
    expect(await listenersOf(project)).toEqual(["email.*"]);
  });

  it("refuses a URL and events as the creation does, without effect", async () => {
    const project = await newProject();
    const { body } = await project.api.post("/webhooks", sound);
    for (const change of [
      { url: "http://10.0.0.1" },
      { events: ["email.typo"] },
      { events: [] },
      { disabled: "yes" },
    ]) {
      expect((await project.api.patch(`/webhooks/${body.id}`, change)).status).toBe(422);
    }
    expect((await project.api.get(`/webhooks/${body.id}`)).body).toMatchObject(sound);
  });
});

describe("DELETE /webhooks/{id}", () => {
  it("removes it and what it listens for, and nothing of others", async () => {
    const project = await newProject();
    const { body: one } = await project.api.post("/webhooks", sound);
    const { body: other } = await project.api.post("/webhooks", { ...sound, events: ["purchase"] });
    expect((await project.api.delete(`/webhooks/${one.id}`)).status).toBe(204);
    expect((await project.api.delete(`/webhooks/${one.id}`)).status).toBe(404);
    expect((await project.api.get("/webhooks")).body).toMatchObject([{ id: other.id }]);
    expect(await listenersOf(project)).toEqual(["purchase"]);
  });
});

describe("POST /webhooks/{id}/test", () => {
  it("answers 202 with a job, which says through the real queue how the call went", async () => {
    const outside = new Outside();
    const project = await newProject();
    // Nobody resolves names here, so that the call ends before it is made.
    const { body } = await project.api.post("/webhooks", sound);
    const answer = await project.api.post(`/webhooks/${body.id}/test`);
    expect(answer.status).toBe(202);
    expect(answer.body).toEqual({ jobId: expect.stringMatching(uuid), deliveryId: expect.stringMatching(uuid) });
    await vi.waitFor(
      async () => {
        const job = await project.api.get(`/jobs/${answer.body.jobId}`);
        expect(job.body).toMatchObject({
          type: "webhooks.try",
          status: "completed",
          result: { deliveryId: answer.body.deliveryId, succeeded: false, statusCode: null },
        });
      },
      { timeout: 10_000, interval: 100 },
    );
    expect((await project.api.get(`/webhooks/${body.id}/deliveries`)).body).toMatchObject({
      data: [{ id: answer.body.deliveryId, type: "webhook.test", status: "FAILED", attempts: 1 }],
      total: 1,
    });
    expect(outside.callsTo("example.com")).toEqual([]);
    vi.unstubAllGlobals();
  });
});

it("a webhook is tested ten times a minute at most", async () => {
  const outside = new Outside();
  const project = await newProject();
  const [one, other] = [await project.api.post("/webhooks", sound), await project.api.post("/webhooks", sound)];
  const test = ({ body }: typeof one) => project.api.post(`/webhooks/${body.id}/test`);
  const answers = [];
  for (let n = 0; n < 11; n++) answers.push(await test(one));
  expect(answers.map(({ status }) => status)).toEqual([...Array(10).fill(202), 429]);
  const refused = answers.at(-1);
  expect(refused?.body.error).toMatchObject({
    code: "RATE_LIMIT_EXCEEDED",
    details: { retryAfter: expect.any(Number) },
  });
  expect(Number(refused?.headers.get("Retry-After"))).toBeGreaterThanOrEqual(1);
  expect((await test(other)).status).toBe(202);
  expect(outside.callsTo("example.com")).toEqual([]);
  vi.unstubAllGlobals();
});

describe("a webhook of another project", () => {
  it.each([
    ["get", ""],
    ["patch", ""],
    ["delete", ""],
    ["post", "/rotate-secret"],
    ["post", "/test"],
    ["get", "/deliveries"],
    ["post", "/deliveries/0199a0f2-0000-7000-8000-000000000000/retry"],
  ] as const)("is not found: %s %s", async (method, path) => {
    const [mine, theirs] = [await newProject(), await newProject()];
    const { body } = await theirs.api.post("/webhooks", sound);
    const answer = await mine.api[method](`/webhooks/${body.id}${path}`, { disabled: true });
    expect(answer.status).toBe(404);
    expect(answer.body.error).toMatchObject({
      code: "RESOURCE_NOT_FOUND",
      details: { resource: "webhook", id: body.id },
    });
    const { secret: _, ...shown } = body;
    expect((await theirs.api.get(`/webhooks/${body.id}`)).body).toEqual(shown);
    expect((await theirs.api.get(`/webhooks/${body.id}/deliveries`)).body.total).toBe(0);
  });

  it("a delivery that does not exist is not found either", async () => {
    const project = await newProject();
    const { body } = await project.api.post("/webhooks", sound);
    const answer = await project.api.post(`/webhooks/${body.id}/deliveries/nope/retry`);
    expect(answer.status).toBe(404);
    expect(answer.body.error.details).toEqual({ resource: "delivery", id: "nope" });
    const jobs = env.DB.prepare("SELECT count(*) AS n FROM jobs WHERE project_id = ?").bind(project.number);
    expect(await jobs.first("n")).toBe(0);
  });
});
