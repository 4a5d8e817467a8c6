import { describe, expect, it } from "vitest";
import { confirming } from "../support/confirmation";
import { effects } from "../support/effects";
import { importCsv } from "../support/import";
import { type Answer, admin, bearer, call, newProject, type TestProject } from "../support/project";
import { expectInvalid, expectRefusal } from "../support/refusal";
import { addMembers, newSegment } from "../support/segment";
import { emailIn } from "../support/send-and-wait";
import { callWith } from "../support/with-settings";

const email = "ada@example.com";

/** `POST /v1/track` as a page of a website calls it. */
function track(project: TestProject, fields: Record<string, unknown> = {}, headers: Record<string, string> = {}) {
  const init = bearer(project.keys.public);
  return call(
    "POST",
    "/v1/track",
    { email, event: "page_view", ...fields },
    { headers: { ...init.headers, ...headers } },
  );
}

async function contactOf({ api }: TestProject, address = email): Promise<Answer["body"]> {
  return (await api.get(`/contacts?email=${encodeURIComponent(address)}`)).body.data[0];
}

/** The contact has said no itself. */
async function optOut(project: TestProject): Promise<void> {
  await project.api.post("/contacts", { email });
  await project.db
    .prepare("UPDATE contacts SET subscribed = 0, opted_out_at = 1, opted_out_by = 'PERSON' WHERE project_id = ?")
    .bind(project.id)
    .run();
}

describe("the idempotency keys of a public key", () => {
  it("never meet those of the secret key", async () => {
    const project = await newProject();
    const headers = { "Idempotency-Key": "order-1042" };
    expect((await track(project, {}, headers)).status).toBe(200);
    const mail = { to: email, from: `hi@${project.domain}`, subject: "Receipt", body: "Thanks" };
    const secret = { headers: { ...bearer(project.keys.secret).headers, ...headers } };
    expect((await call("POST", "/v1/send", mail, secret)).status).toBe(200);
    const again = await track(project, {}, headers);
    expect(again.status).toBe(409);
    expect(again.body.error.details.originalRequest).toBe("POST /v1/track");
    expect((await call("POST", "/v1/send", mail, secret)).body.error.details.originalRequest).toBe("POST /v1/send");
  });
});

describe("a public key", () => {
  it("does not lift the opt-out of a person, and says so", async () => {
    const project = await newProject();
    await optOut(project);
    const before = await contactOf(project);
    const { status, body } = await track(project, { subscribed: true });
    expect(status).toBe(200);
    expect(body.warnings).toEqual([{ field: "subscribed", message: expect.stringContaining("has unsubscribed") }]);
    expect(await contactOf(project)).toEqual(before);
    expect((await track(project, { subscribed: true, data: { plan: "pro" } })).body.warnings).toHaveLength(1);
    expect(await contactOf(project)).toMatchObject({
      subscribed: false,
      optedOutAt: before.optedOutAt,
      data: { plan: "pro" },
    });
    expect((await project.api.get(`/events?name=contact.subscribed`)).body.total).toBe(0);
  });

  it("does not end the snooze of a person, nor lift a complaint", async () => {
    const project = await newProject();
    const sent = await project.api.send({ to: "complaint@simulator.test" });
    await emailIn(project, sent.body.data.emails[0].email, "COMPLAINED");
    const address = "complaint@simulator.test";
    expect((await track(project, { email: address, subscribed: true })).body.warnings).toHaveLength(1);
    expect(await contactOf(project, address)).toMatchObject({ subscribed: false });
  });

  it("does not lift what is remembered of an erased person", async () => {
    const project = await newProject();
    const { id } = (await project.api.post("/contacts", { email, subscribed: false })).body;
    expect((await project.api.delete(`/contacts/${id}`)).status).toBe(204);
    for (let times = 0; times < 2; times++) {
      expect((await track(project, { subscribed: true })).body.warnings).toHaveLength(1);
      expect(await contactOf(project)).toMatchObject({ subscribed: false });
    }
    expect((await project.api.post("/contacts", { email, subscribed: true })).body.subscribed).toBe(true);
  });

  it("lifts an opt-out that the API made, and one of a person where the operator allows it", async () => {
    const project = await newProject();
    await project.api.post("/contacts", { email });
    await project.api.post("/contacts", { email, subscribed: false });
    const lifted = await track(project, { subscribed: true });
    expect(lifted.body).not.toHaveProperty("warnings");
    expect(await contactOf(project)).toMatchObject({ subscribed: true, optedOutAt: null });

    await optOut(project);
    const change = { publicKeyMayResubscribe: true };
    expect((await admin.patch(`/admin/projects/${project.id}`, change)).body.publicKeyMayResubscribe).toBe(true);
    expect((await track(project, { subscribed: true })).body).not.toHaveProperty("warnings");
    expect(await contactOf(project)).toMatchObject({ subscribed: true, optedOutAt: null });
  });

  it("creates contacts that are not subscribed, and have not opted out, where the project says so", async () => {
    const project = await newProject({ publicTrackSubscribes: false });
    await track(project);
    const unasked = { subscribed: false, optedOutAt: null, source: "PUBLIC" };
    expect(await contactOf(project)).toMatchObject(unasked);
    await track(project, { email: "bob@example.com", subscribed: true });
    expect(await contactOf(project, "bob@example.com")).toMatchObject({ subscribed: true });
    await track(project, { email: "eve@example.com", subscribed: false });
    expect(await contactOf(project, "eve@example.com")).toMatchObject({ optedOutAt: expect.any(String) });
    // Who is subscribed stays so, and a server's event subscribes as ever.
    await track(project, { email: "bob@example.com" });
    expect(await contactOf(project, "bob@example.com")).toMatchObject({ subscribed: true });
    await project.api.post("/events/track", { email: "dan@example.com", event: "signup" });
    expect(await contactOf(project, "dan@example.com")).toMatchObject({ subscribed: true });
    const change = { publicTrackSubscribes: true };
    expect((await admin.patch(`/admin/projects/${project.id}`, change)).body).toMatchObject(change);
    await track(project, { email: "fay@example.com" });
    expect(await contactOf(project, "fay@example.com")).toMatchObject({ subscribed: true });
    expect(await contactOf(project)).toMatchObject(unasked);
  });

  it("sends 32 KB and 64 keys at most", async () => {
    const project = await newProject();
    const before = await effects(project);
    const large = await track(project, { data: { text: "x".repeat(33_000) } });
    expectRefusal(large, 413, "PAYLOAD_TOO_LARGE", { details: { maxBytes: 32_768 } });
    const keys = (count: number) => Object.fromEntries(Array.from({ length: count }, (_, n) => [`key${n}`, n]));
    expectInvalid(await track(project, { data: keys(65) }), "data", "too_big");
    expect(await effects(project)).toEqual(before);
    expect((await track(project, { data: keys(64) })).status).toBe(200);
  });

  it("fills half of what a contact may have, and the servers have the other half", async () => {
    const project = await newProject();
    const text = (length: number) => "x".repeat(length);
    expect((await track(project, { data: { one: text(30_000) } })).status).toBe(200);
    const before = await contactOf(project);
    expectInvalid(await track(project, { data: { two: text(3_000) } }), "data", "too_big");
    expect(await contactOf(project)).toEqual(before);
    expect((await track(project, { data: { one: text(20_000), two: text(9_000) } })).status).toBe(200);
    expect((await project.api.post("/contacts", { email, data: { three: text(30_000) } })).status).toBe(200);
    // Larger than half by now: it may still become smaller, or change without growing.
    expectInvalid(await track(project, { data: { four: 1 } }), "data", "too_big");
    expect((await track(project, { data: { two: text(8_000) } })).status).toBe(200);
  });

  it("has a bucket for everything of its own", async () => {
    const project = await newProject();
    const settings = { RATE_LIMIT_ENABLED: "true", RATE_LIMIT_API_PER_MINUTE: "2" };
    const tracked = () =>
      callWith(settings, "POST", "/v1/track", { token: project.keys.public, body: { email, event: "page_view" } });
    expect([(await tracked()).status, (await tracked()).status]).toEqual([200, 200]);
    const refused = await tracked();
    expect(refused.status).toBe(429);
    expect(refused.body.error.details.bucket).toBe("api");
    expect((await callWith(settings, "GET", "/contacts", { token: project.keys.secret })).status).toBe(200);
  });

  it("has a bucket for each network address, where the operator sets one", async () => {
    const project = await newProject();
    const settings = { RATE_LIMIT_ENABLED: "true", RATE_LIMIT_PUBLIC_PER_ADDRESS_PER_SECOND: "0.2" };
    const trackedFrom = async (address: string) => {
      const headers = { "CF-Connecting-IP": address };
      const options = { token: project.keys.public, body: { email, event: "page_view" }, headers };
      return (await callWith(settings, "POST", "/v1/track", options)).status;
    };
    expect([await trackedFrom("2001:db8::1"), await trackedFrom("2001:db8::2")]).toEqual([200, 429]);
    expect(await trackedFrom("203.0.113.9")).toBe(200);
  });
});

describe("data that finds no room in a contact", () => {
  it("is in the mail that came with it, and the call's other mail goes out", async () => {
    const project = await newProject();
    await project.api.post("/contacts", { email, data: { text: "x".repeat(65_000) } });
    const before = await contactOf(project);
    const to = [email, "grace@example.com"];
    const body = "Code {{ code }} {{ long }}";
    const { status, body: answer } = await project.api.send({
      to,
      body,
      data: { code: "1234", long: "y".repeat(2_000) },
    });
    expect(status).toBe(200);
    expect(answer.warnings).toEqual([{ field: "data", message: expect.stringContaining(email) }]);
    expect(await contactOf(project)).toEqual(before);
    expect(await contactOf(project, "grace@example.com")).toMatchObject({ data: { code: "1234" } });
    const mail = await emailIn(project, answer.data.emails[0].email, "DELIVERED");
    expect((await call("GET", `/outbox/messages/${mail.providerMessageId}`)).body.html).toContain("Code 1234");
    expect((await project.api.send({ to })).body).not.toHaveProperty("warnings");
  });
});

describe("where a contact came from", () => {
  it("is its first origin, and a browser's gives way to whoever else names it", async () => {
    const project = await newProject();
    const { api } = project;
    const segment = await newSegment(project, { type: "STATIC" });
    const namings: [string, (address: string) => Promise<unknown>][] = [
      ["PUBLIC", (address) => track(project, { email: address, data: { plan: "free" } })],
      ["API", (address) => api.post("/contacts", { email: address })],
      [
        "API",
        async (address) => api.patch(`/contacts/${(await contactOf(project, address)).id}`, { data: { plan: "pro" } }),
      ],
      ["TRACK", (address) => api.post("/events/track", { email: address, event: "login" })],
      ["SEND", (address) => api.send({ to: address })],
      ["IMPORT", (address) => importCsv(project, `email\n${address}\n`)],
      ["MEMBERS", (address) => addMembers(project, segment.id, { emails: [address] })],
    ];
    for (const [index, [source, name]] of namings.entries()) {
      const address = `c${index}@example.com`;
      await track(project, { email: address });
      expect(await contactOf(project, address)).toMatchObject({ source: "PUBLIC" });
      await name(address);
      expect(await contactOf(project, address)).toMatchObject({ source });
      await track(project, { email: address, data: { plan: "team" } });
      expect(await contactOf(project, address)).toMatchObject({ source });
    }
    const filters = [{ field: "source", operator: "equals", value: "PUBLIC" }];
    const condition = { logic: "AND", groups: [{ filters }] };
    const found = await api.post("/segments/preview", { condition });
    expect(found.body.count ?? found.body).toBe(1);
  });

  it("is known of events, too", async () => {
    const project = await newProject();
    await track(project, { event: "clicked" });
    await project.api.post("/events/track", { email, event: "bought" });
    await project.api.post("/contacts", { email, subscribed: false });
    const { data } = (await project.api.get("/events")).body;
    expect(data.map(({ name, source }: Answer["body"]) => [name, source])).toEqual([
      ["contact.unsubscribed", "SYSTEM"],
      ["bought", "API"],
      ["clicked", "PUBLIC"],
    ]);
  });
});

describe("a project whose answers to public keys tell nothing", () => {
  async function silent(): Promise<TestProject> {
    const { project } = await confirming();
    const { body } = await admin.patch(`/admin/projects/${project.id}`, { publicAnswers: "NONE" });
    expect(body.publicAnswers).toBe("NONE");
    return project;
  }

  it("has no ids in them, and its servers' answers have", async () => {
    const project = await silent();
    const { body } = await track(project);
    expect(body).toEqual({ success: true, data: { timestamp: expect.any(String) } });
    const fromServer = await project.api.post("/events/track", { email, event: "bought" });
    expect(fromServer.body.data).toMatchObject({ contact: expect.any(String), event: expect.any(String) });
  });

  it("says sent for a contact that is known, and for one that has just been asked", async () => {
    const project = await silent();
    await project.api.post("/contacts", { email: "known@example.com", subscribed: true });
    const ask = async (address: string) => (await track(project, { email: address, confirm: true })).body.data;
    for (const address of ["known@example.com", "known@example.com", "new@example.com", "new@example.com"])
      expect(await ask(address)).toEqual({ timestamp: expect.any(String), confirmation: "sent" });
  });

  it("does not say who is known by the size of their data, which stays as it was", async () => {
    const project = await silent();
    const full = (key: string) => ({ [key]: "x".repeat(31_900) });
    await project.api.post("/contacts", { email: "known@example.com", data: { ...full("a"), plan: "pro" } });
    const ask = (address: string, data: object) => track(project, { email: address, data });
    const [known, unknown] = [await ask("known@example.com", full("b")), await ask("new@example.com", full("b"))];
    for (const answer of [known, unknown]) {
      expect(answer.status).toBe(200);
      expect(answer.body).toEqual({ success: true, data: { timestamp: expect.any(String) } });
    }
    const dataOf = async (address: string) =>
      (await project.api.get(`/contacts?email=${address}`)).body.data[0].data as Record<string, string>;
    expect(Object.keys(await dataOf("known@example.com"))).toEqual(["a", "plan"]);
    expect(Object.keys(await dataOf("new@example.com"))).toEqual(["b"]);
    await ask("known@example.com", { a: "short", plan: "go" });
    expect(await dataOf("known@example.com")).toEqual({ a: "short", plan: "go" });
  });

  it("does not say who has left", async () => {
    const project = await silent();
    await optOut(project);
    expect((await track(project, { subscribed: true })).body.warnings).toBeUndefined();
    expect(await contactOf(project)).toMatchObject({ subscribed: false });
  });

  it("keeps the ids out of a key's first answer, also of one that was given before", async () => {
    const { project } = await confirming();
    const original = async (key: string) => (await track(project, {}, { "Idempotency-Key": key })).body;
    expect((await original("before")).data.contact).toBeDefined();
    await admin.patch(`/admin/projects/${project.id}`, { publicAnswers: "NONE" });
    const first = await original("after");
    expect(first.data).toEqual({ timestamp: expect.any(String) });
    for (const key of ["before", "after"]) {
      const { error } = await original(key);
      expect(error.details.originalResponse).toEqual({ success: true, data: { timestamp: expect.any(String) } });
    }
    const { results } = await project.db
      .prepare("SELECT response FROM idempotency_effects WHERE project_id = ? AND key = 'after'")
      .bind(project.number)
      .all<{ response: string }>();
    expect(results.map(({ response }) => JSON.parse(response))).toEqual([first]);
  });

  it("is made so, or told so, and nothing else", async () => {
    const { body } = await admin.post("/admin/projects", { name: "Silent", publicAnswers: "NONE" });
    expect(body.project.publicAnswers).toBe("NONE");
    const refused = await admin.patch(`/admin/projects/${body.project.id}`, { publicAnswers: "SOME" });
    expectInvalid(refused, "publicAnswers", "invalid_enum_value");
  });
});
