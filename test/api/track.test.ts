import { describe, expect, it } from "vitest";
import { effects, expectEffects, noEffects } from "../support/effects";
import { admin, bearer, call, newProject, type TestProject } from "../support/project";
import { expectInvalid, expectRefusal, isoTime, uuid } from "../support/refusal";
import { eventCounts } from "../support/rows";

function track(project: TestProject, fields: Record<string, unknown> = {}, headers: Record<string, string> = {}) {
  const body = { email: "ada@example.com", event: "purchase", ...fields };
  return call("POST", "/v1/track", body, { headers: { Authorization: `Bearer ${project.keys.public}`, ...headers } });
}

async function eventData(project: TestProject): Promise<unknown[]> {
  const { results } = await project.db
    .prepare("SELECT data FROM events WHERE project_id = ? AND name = 'purchase'")
    .bind(project.id)
    .all<{ data: string }>();
  return results.map(({ data }) => JSON.parse(data));
}

describe("POST /v1/track", () => {
  it("creates the contact, subscribed, and writes the event down", async () => {
    const project = await newProject();
    const { status, body } = await track(project, { data: { plan: "pro", amount: { value: 49, persistent: false } } });
    expect(status).toBe(200);
    expect(body).toEqual({
      success: true,
      data: { contact: expect.any(String), event: expect.any(String), timestamp: expect.any(String) },
    });
    const contact = await project.api.get(`/contacts/${body.data.contact}`);
    expect(contact.body).toMatchObject({ email: "ada@example.com", subscribed: true, data: { plan: "pro" } });
    expect(await eventCounts(project)).toEqual({ purchase: 1 });
    expect(await eventData(project)).toEqual([{ plan: "pro", amount: 49 }]);
  });

  it("writes a new event each time, for the same contact", async () => {
    const project = await newProject();
    const [one, other] = [await track(project), await track(project)];
    expect(one.body.data.contact).toBe(other.body.data.contact);
    expect(one.body.data.event).not.toBe(other.body.data.event);
    expect(await eventCounts(project)).toEqual({ purchase: 2 });
  });

  it("keeps the subscription of those who exist, and flips it with one event when told", async () => {
    const project = await newProject();
    await project.api.post("/contacts", { email: "ada@example.com", subscribed: false });
    const { body } = await track(project);
    expect((await project.api.get(`/contacts/${body.data.contact}`)).body.subscribed).toBe(false);
    await track(project, { subscribed: true });
    await track(project, { subscribed: true });
    expect((await project.api.get(`/contacts/${body.data.contact}`)).body.subscribed).toBe(true);
    expect(await eventCounts(project)).toEqual({ purchase: 3, "contact.subscribed": 1 });
  });

  it("keeps of data what the nine rules keep, on the contact and on the event", async () => {
    const project = await newProject();
    await track(project, { data: { plan: "pro", seats: 5 } });
    const given = {
      plan: null,
      seats: "",
      code: { value: 1, persistent: false },
      kept: { value: [1], persistent: true },
    };
    const { body } = await track(project, { event: "second", data: { ...given, id: "x", email: "eve@example.com" } });
    const contact = await project.api.get(`/contacts/${body.data.contact}`);
    expect(contact.body).toMatchObject({ email: "ada@example.com", data: { seats: 5, kept: [1] } });
    expect(contact.body.data).not.toHaveProperty("plan");
    const [event] = (await project.api.get("/events?name=second")).body.data;
    expect(event.data).toEqual({ plan: null, code: 1, kept: [1] });
  });

  it("gives the event an id of its own time, by which it is listed", async () => {
    const project = await newProject();
    const { body } = await track(project);
    const { event, timestamp } = body.data;
    expect(Number.parseInt(event.replace("-", "").slice(0, 12), 16)).toBe(Date.parse(timestamp));
    expect((await project.api.get("/events")).body.data).toMatchObject([{ id: event, createdAt: timestamp }]);
  });

  it.each(["email.opened", "contact.unsubscribed", "segment.vip.entry"])(
    "refuses the reserved name %s, with no effect",
    async (event) => {
      const project = await newProject();
      expectInvalid(await track(project, { event }), "event", "reserved_event");
      await expectEffects(project, noEffects);
    },
  );

  it.each(["Email.opened", "a/b?c#d%2F e", "Käufe 🎉", "e".repeat(255), "*"])("takes the name %s", async (event) => {
    const project = await newProject();
    expect((await track(project, { event })).status).toBe(200);
    expect(await eventCounts(project)).toEqual({ [event]: 1 });
  });

  it.each([
    ["no event", { event: undefined }, "event", "required"],
    ["an empty event", { event: "" }, "event", "too_small"],
    ["256 characters", { event: "e".repeat(256) }, "event", "too_big"],
    ["a number", { event: 5 }, "event", "invalid_type"],
    ["two lines", { event: "a\nb" }, "event", "invalid_string"],
    ["half of a character", { event: "a\ud800" }, "event", "invalid_string"],
    ["no email", { email: undefined }, "email", "required"],
    ["no address", { email: "nope" }, "email", "invalid_string"],
    ["data that is a list", { data: [1] }, "data", "invalid_type"],
    ["data with half of a character", { data: { a: "\udc00" } }, "data.a", "invalid_string"],
    ["subscribed as text", { subscribed: "no" }, "subscribed", "invalid_type"],
  ])("refuses %s, with no effect", async (_, fields, field, code) => {
    const project = await newProject();
    expectInvalid(await track(project, fields), field, code);
    await expectEffects(project, noEffects);
  });

  it("refuses data that would make the contact's larger than 32 KB, and writes no event then", async () => {
    const project = await newProject();
    await track(project, { data: { a: "x".repeat(20_000) } });
    const before = await effects(project);
    expectInvalid(await track(project, { data: { b: "x".repeat(20_000) }, subscribed: false }), "data", "too_big");
    await expectEffects(project, before);
  });

  it("refuses what is no JSON, what is too large, and any call on a disabled project", async () => {
    const project = await newProject();
    const raw = (body: string) => call("POST", "/v1/track", body, bearer(project.keys.public));
    expectRefusal(await raw("{"), 400, "BAD_REQUEST");
    const details = { maxBytes: 32 * 1024 };
    expectRefusal(await raw(JSON.stringify("x".repeat(32 * 1024))), 413, "PAYLOAD_TOO_LARGE", { details });
    await admin.patch(`/admin/projects/${project.id}`, { disabled: true });
    expectRefusal(await track(project), 403, "PROJECT_DISABLED");
    await expectEffects(project, noEffects);
  });

  it("takes a public key alone", async () => {
    const project = await newProject();
    const body = { email: "ada@example.com", event: "purchase" };
    expectRefusal(await call("POST", "/v1/track", body, bearer(project.keys.secret)), 401, "INVALID_API_KEY");
    expectRefusal(await call("POST", "/v1/track", body), 401, "INVALID_API_KEY");
    expectRefusal(await call("POST", "/events/track", body, bearer(project.keys.public)), 401, "INVALID_API_KEY");
    await expectEffects(project, noEffects);
  });

  it("happens once per Idempotency-Key, in a namespace that servers' keys do not share", async () => {
    const project = await newProject();
    const first = await track(project, {}, { "Idempotency-Key": "k" });
    const again = await track(project, {}, { "Idempotency-Key": "k" });
    expect(again.status).toBe(409);
    expect(again.body.error.details).toMatchObject({ originalRequest: "POST /v1/track", originalResponse: first.body });
    const send = { to: "ada@example.com", from: `hi@${project.domain}`, subject: "Hi", body: "Hi" };
    const headers = { Authorization: `Bearer ${project.keys.secret}`, "Idempotency-Key": "k" };
    expect((await call("POST", "/v1/send", send, { headers })).status).toBe(200);
    expect((await call("POST", "/events/track", { email: "ada@example.com", event: "x" }, { headers })).status).toBe(
      409,
    );
    expect(await eventCounts(project)).toMatchObject({ purchase: 1 });
  });

  it("of sixteen at once with different keys of data keeps all sixteen, on one contact", async () => {
    const project = await newProject();
    const answers = await Promise.all(
      Array.from({ length: 16 }, (_, index) => track(project, { data: { [`k${index}`]: index } })),
    );
    const ids = new Set(answers.map(({ body }) => body.data.contact));
    expect(ids.size).toBe(1);
    const contact = await project.api.get(`/contacts/${[...ids][0]}`);
    expect(Object.keys(contact.body.data)).toHaveLength(16);
  });

  it("of sixteen at once with one key writes one event", async () => {
    const project = await newProject();
    const answers = await Promise.all(Array.from({ length: 16 }, () => track(project, {}, { "Idempotency-Key": "k" })));
    const statuses = answers.map(({ status }) => status).sort();
    expect(statuses).toEqual([200, ...new Array(15).fill(409)]);
    expect(await eventCounts(project)).toEqual({ purchase: 1 });
  });
});

describe("POST /events/track", () => {
  it("does and answers the same, with a secret key", async () => {
    const project = await newProject();
    const body = { email: " Ada@Example.com", event: "purchase", data: { plan: "pro" }, subscribed: false };
    const headers = { Authorization: `Bearer ${project.keys.secret}`, "Idempotency-Key": "k" };
    const first = await call("POST", "/events/track", body, { headers });
    expect(first.status).toBe(200);
    expect(first.body).toEqual({
      success: true,
      data: {
        contact: expect.stringMatching(uuid),
        event: expect.stringMatching(uuid),
        timestamp: expect.stringMatching(isoTime),
      },
    });
    const contact = await project.api.get(`/contacts/${first.body.data.contact}`);
    expect(contact.body).toMatchObject({ email: "ada@example.com", subscribed: false, data: { plan: "pro" } });
    const again = await call("POST", "/events/track", body, { headers });
    expectRefusal(again, 409, "IDEMPOTENCY_KEY_REUSED", { details: expect.objectContaining({ key: "k" }) });
    expect(again.body.error.details).toMatchObject({
      originalRequest: "POST /events/track",
      originalResponse: first.body,
    });
    expectInvalid(await project.api.post("/events/track", { ...body, event: "email.sent" }), "event", "reserved_event");
    expect(await eventCounts(project)).toEqual({ purchase: 1 });
  });
});
