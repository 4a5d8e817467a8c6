import { env } from "cloudflare:workers";
import { describe, expect, it } from "vitest";
import { bearer, call, newProject, type TestProject } from "../support/project";
import { expectInvalid, expectRefusal } from "../support/refusal";
import { eventCounts } from "../support/rows";

function track(project: TestProject, fields: Record<string, unknown> = {}, headers: Record<string, string> = {}) {
  const body = { email: "ada@example.com", event: "purchase", ...fields };
  return call("POST", "/v1/track", body, { headers: { Authorization: `Bearer ${project.keys.public}`, ...headers } });
}

async function eventData(project: TestProject): Promise<unknown[]> {
  const { results } = await env.DB.prepare("SELECT data FROM events WHERE project_id = ? AND name = 'purchase'")
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

  it.each([
    "email.opened",
    "email.x",
    "contact.subscribed",
    "contact.unsubscribed",
    "segment.vip.entry",
    "segment.a.b.exit",
  ])("refuses the reserved name %s, with no effect", async (event) => {
    const project = await newProject();
    expectInvalid(await track(project, { event }), "event", "reserved_event");
    expect(await eventCounts(project)).toEqual({});
  });

  it.each(["contact.created", "emailed", "segment.vip", "my email.opened", "Purchase"])(
    "takes the name %s",
    async (event) => {
      const project = await newProject();
      expect((await track(project, { event })).status).toBe(200);
      expect(await eventCounts(project)).toEqual({ [event]: 1 });
    },
  );

  it.each([
    ["no event", { event: undefined }, "event", "required"],
    ["an empty event", { event: "" }, "event", "too_small"],
    ["256 characters", { event: "e".repeat(256) }, "event", "too_big"],
    ["a number", { event: 5 }, "event", "invalid_type"],
    ["two lines", { event: "a\nb" }, "event", "invalid_string"],
    ["no email", { email: undefined }, "email", "required"],
    ["no address", { email: "nope" }, "email", "invalid_string"],
    ["data that is a list", { data: [1] }, "data", "invalid_type"],
    ["subscribed as text", { subscribed: "no" }, "subscribed", "invalid_type"],
  ])("refuses %s", async (_, fields, field, code) => {
    const project = await newProject();
    expectInvalid(await track(project, fields), field, code);
    expect(await eventCounts(project)).toEqual({});
  });

  it("takes a public key alone", async () => {
    const project = await newProject();
    const body = { email: "ada@example.com", event: "purchase" };
    expectRefusal(await call("POST", "/v1/track", body, bearer(project.keys.secret)), 401, "INVALID_API_KEY");
    expectRefusal(await call("POST", "/v1/track", body), 401, "INVALID_API_KEY");
    expectRefusal(await call("POST", "/events/track", body, bearer(project.keys.public)), 401, "INVALID_API_KEY");
    expect((await project.api.post("/events/track", body)).status).toBe(200);
  });

  it("happens once per Idempotency-Key, also across endpoints", async () => {
    const project = await newProject();
    const first = await track(project, {}, { "Idempotency-Key": "k" });
    const again = await track(project, {}, { "Idempotency-Key": "k" });
    expect(again.status).toBe(409);
    expect(again.body.error.details).toMatchObject({ originalRequest: "POST /v1/track", originalResponse: first.body });
    const send = { to: "ada@example.com", from: `hi@${project.domain}`, subject: "Hi", body: "Hi" };
    const headers = { Authorization: `Bearer ${project.keys.secret}`, "Idempotency-Key": "k" };
    expect((await call("POST", "/v1/send", send, { headers })).status).toBe(409);
    expect(await eventCounts(project)).toEqual({ purchase: 1 });
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
});
