import { describe, expect, it } from "vitest";
import { effects, noEffects } from "../support/effects";
import { admin, bearer, call, newProject } from "../support/project";
import { expectInvalid, expectRefusal, isoTime, uuid } from "../support/refusal";
import { eventCounts } from "../support/rows";

const times = <T>(count: number, make: (index: number) => T): T[] => Array.from({ length: count }, (_, i) => make(i));

describe("POST /contacts", () => {
  it("creates a contact, subscribed, and answers with the whole of it and no wrapper", async () => {
    const project = await newProject();
    const answer = await project.api.post("/contacts", { email: " Ada@Example.com ", data: { plan: "pro" } });
    expect(answer.status).toBe(201);
    expect(answer.body).toEqual({
      id: expect.stringMatching(uuid),
      email: "ada@example.com",
      subscribed: true,
      snoozedUntil: null,
      data: { plan: "pro" },
      createdAt: expect.stringMatching(isoTime),
      updatedAt: answer.body.createdAt,
      _meta: { isNew: true, isUpdate: false },
    });
    expect(await eventCounts(project)).toEqual({});
    const { _meta, ...contact } = answer.body;
    expect(await project.api.get(`/contacts/${contact.id}`)).toMatchObject({ status: 200, body: contact });
  });

  it("changes the contact that has the address, in any case, and patches its data", async () => {
    const project = await newProject();
    const first = await project.api.post("/contacts", { email: "ada@example.com", data: { plan: "free", seats: 2 } });
    const second = await project.api.post("/contacts", { email: "ADA@example.com", data: { plan: "pro", seats: "" } });
    expect(second.status).toBe(200);
    expect(second.body).toMatchObject({
      id: first.body.id,
      data: { plan: "pro", seats: 2 },
      createdAt: first.body.createdAt,
      _meta: { isNew: false, isUpdate: true },
    });
    expect(second.body.updatedAt >= first.body.updatedAt).toBe(true);
    expect(await effects(project)).toMatchObject({ contacts: 1 });
  });

  it("drops reserved keys and stores nothing that is for one call only", async () => {
    const project = await newProject();
    const data = { id: "x", unsubscribeUrl: "x", code: { value: 1, persistent: false }, plan: "pro", none: null };
    const { body } = await project.api.post("/contacts", { email: "ada@example.com", data });
    expect(body.data).toEqual({ plan: "pro" });
  });

  it("always answers with an object of data", async () => {
    const project = await newProject();
    for (const data of [undefined, null, {}, { gone: null }]) {
      expect((await project.api.post("/contacts", { email: "ada@example.com", data })).body.data).toEqual({});
    }
  });

  it("emits one event for each real flip, and none for the rest", async () => {
    const project = await newProject();
    const post = (subscribed?: boolean) => project.api.post("/contacts", { email: "ada@example.com", subscribed });
    expect((await post(false)).body.subscribed).toBe(false);
    expect((await post()).body.subscribed).toBe(false);
    expect(await eventCounts(project)).toEqual({});
    expect((await post(true)).body.subscribed).toBe(true);
    await post(true);
    await post();
    expect(await eventCounts(project)).toEqual({ "contact.subscribed": 1 });
    expect((await post(false)).body.subscribed).toBe(false);
    await post(false);
    expect(await eventCounts(project)).toEqual({ "contact.subscribed": 1, "contact.unsubscribed": 1 });
  });

  it("at once sixteen times makes one contact and gives sixteen good answers", async () => {
    const project = await newProject();
    const answers = await Promise.all(
      times(16, (index) => project.api.post("/contacts", { email: "ada@example.com", data: { [`k${index}`]: index } })),
    );
    expect(answers.map(({ status }) => status).toSorted()).toEqual([...Array(15).fill(200), 201]);
    expect(answers.filter(({ body }) => body._meta.isNew)).toHaveLength(1);
    const ids = new Set(answers.map(({ body }) => body.id));
    expect(ids.size).toBe(1);
    const { body } = await project.api.get(`/contacts/${answers[0]?.body.id}`);
    expect(body.data).toEqual(Object.fromEntries(times(16, (index) => [`k${index}`, index])));
  });

  it.each([
    ["absent", {}],
    ["null", { email: null }],
    ["empty", { email: "" }],
  ])("says in the legacy shape that the email is %s", async (_, body) => {
    const project = await newProject();
    const answer = await project.api.post("/contacts", { data: { plan: "pro" }, ...body });
    expect(answer).toMatchObject({ status: 400, body: { error: expect.stringContaining("email") } });
    expect(Object.keys(answer.body)).toEqual(["error"]);
    expect(await effects(project)).toEqual(noEffects);
  });

  it.each<[string, Record<string, unknown>, string, string]>([
    ["an email that is none", { email: "nope" }, "email", "invalid_string"],
    ["an email that is blank", { email: "  " }, "email", "invalid_string"],
    ["an email in header form", { email: "Ada <ada@example.com>" }, "email", "invalid_string"],
    ["an email that is a number", { email: 42 }, "email", "invalid_type"],
    ["a word for subscribed", { email: "a@b.com", subscribed: "no" }, "subscribed", "invalid_type"],
    ["data that is a list", { email: "a@b.com", data: [] }, "data", "invalid_type"],
    ["data that is a string", { email: "a@b.com", data: "x" }, "data", "invalid_type"],
    [
      "a key of 129 characters",
      { email: "a@b.com", data: { ["k".repeat(129)]: 1 } },
      `data.${"k".repeat(129)}`,
      "too_big",
    ],
    ["a locale that is a number", { email: "a@b.com", data: { locale: 1 } }, "data.locale", "invalid_type"],
    ["data over 64 KB", { email: "a@b.com", data: { a: "x".repeat(65_536) } }, "data", "too_big"],
  ])("refuses %s and has no effect", async (_, body, field, code) => {
    const project = await newProject();
    expectInvalid(await project.api.post("/contacts", body), field, code);
    expect(await effects(project)).toEqual(noEffects);
  });

  it("refuses data that passes 64 KB once it is merged, and changes nothing", async () => {
    const project = await newProject();
    const post = (data: unknown, subscribed = true) =>
      project.api.post("/contacts", { email: "ada@example.com", subscribed, data });
    await post({ a: "x".repeat(40_000) });
    const before = await effects(project);
    expectInvalid(await post({ b: "x".repeat(40_000) }, false), "data", "too_big");
    expect(await effects(project)).toEqual(before);
  });

  it.each([
    ["a list", []],
    ["null", null],
    ["a string", "ada@example.com"],
    ["a number", 1],
  ])("refuses a body that is %s", async (_, body) => {
    const project = await newProject();
    const answer = await call("POST", "/contacts", JSON.stringify(body), bearer(project.keys.secret));
    expectRefusal(answer, 422, "VALIDATION_ERROR", { errors: [expect.objectContaining({ code: "invalid_type" })] });
  });

  it("is refused in a disabled project, where a contact can still be read", async () => {
    const project = await newProject();
    const { body: contact } = await project.api.post("/contacts", { email: "ada@example.com" });
    await admin.patch(`/admin/projects/${project.id}`, { disabled: true });
    expectRefusal(await project.api.post("/contacts", { email: "bob@example.com" }), 403, "PROJECT_DISABLED");
    expect((await project.api.get(`/contacts/${contact.id}`)).status).toBe(200);
    expect(await effects(project)).toMatchObject({ contacts: 1 });
  });
});

describe("GET /contacts/{id}", () => {
  it("finds no contact of another project", async () => {
    const [mine, other] = [await newProject(), await newProject()];
    const { id } = (await other.api.post("/contacts", { email: "ada@example.com" })).body;
    expectRefusal(await mine.api.get(`/contacts/${id}`), 404, "CONTACT_NOT_FOUND", {
      details: { resource: "contact", id },
    });
  });

  it.each(["01990000-0000-7000-8000-000000000000", "nope", "%27%20OR%201=1--", "a".repeat(500)])(
    "says 404 to an id that does not exist, whatever it looks like: %s",
    async (id) => {
      const project = await newProject();
      expectRefusal(await project.api.get(`/contacts/${id}`), 404, "CONTACT_NOT_FOUND", {
        details: { resource: "contact", id: decodeURIComponent(id) },
      });
    },
  );

  it.each(["POST", "GET"])("takes a secret key only: %s", async (method) => {
    const project = await newProject();
    const path = method === "POST" ? "/contacts" : "/contacts/x";
    const body = method === "POST" ? { email: "ada@example.com" } : undefined;
    expectRefusal(await call(method, path, body), 401, "INVALID_API_KEY");
    expectRefusal(await call(method, path, body, bearer(project.keys.public)), 401, "INVALID_API_KEY");
    expect(await effects(project)).toEqual(noEffects);
  });
});
