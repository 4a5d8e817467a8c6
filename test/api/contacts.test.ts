import { describe, expect, it } from "vitest";
import { publicId, readId } from "../../src/core/ids";
import { UpdateContact } from "../../src/features/contacts/schema";
import { updateContact } from "../../src/features/contacts/update";
import { SendEmail } from "../../src/features/send/schema";
import { sendEmails } from "../../src/features/send/send";
import { effects, noEffects } from "../support/effects";
import { framed } from "../support/framed";
import { type Answer, admin, bearer, call, newProject, type TestProject } from "../support/project";
import { expectInvalid, expectLegacy, expectRefusal, isoTime, uuid } from "../support/refusal";
import { eventCounts } from "../support/rows";
import { World } from "../support/world";

async function newContact(project: TestProject, fields: Record<string, unknown> = {}): Promise<Answer["body"]> {
  const answer = await project.api.post("/contacts", { email: "ada@example.com", ...fields });
  expect(answer.status).toBe(201);
  const { _meta, ...contact } = answer.body;
  return contact;
}

async function optedOutAt(project: TestProject, id: string): Promise<number | null> {
  const row = await project.db
    .prepare("SELECT opted_out_at AS at FROM contacts WHERE id = ?")
    .bind(id)
    .first<{ at: number | null }>();
  return row?.at ?? null;
}

/** The type of each key that the project has seen. */
async function fieldTypes(project: TestProject): Promise<Record<string, string>> {
  const { results } = await project.db
    .prepare("SELECT key, type FROM contact_fields WHERE project_id = ?")
    .bind(project.id)
    .all<{ key: string; type: string }>();
  return Object.fromEntries(results.map(({ key, type }) => [key, type]));
}

const nowhere = "01990000-0000-7000-8000-000000000000";
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
      optedOutAt: null,
      confirmedAt: null,
      source: "API",
      data: { plan: "pro" },
      version: 1,
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
    for (const data of [undefined, {}, { gone: null }]) {
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

  it("counts an explicit false on creation as leaving, and no default", async () => {
    const project = await newProject();
    const [gone, here] = [
      await newContact(project, { subscribed: false }),
      await newContact(project, { email: "b@b.co" }),
    ];
    expect(await optedOutAt(project, gone.id)).toBe(Date.parse(gone.createdAt));
    expect(await optedOutAt(project, here.id)).toBeNull();
    // Who was subscribed and leaves; and who comes back.
    await project.api.post("/contacts", { email: "b@b.co", subscribed: false });
    expect(await optedOutAt(project, here.id)).not.toBeNull();
    await project.api.post("/contacts", { email: "b@b.co", subscribed: true });
    expect(await optedOutAt(project, here.id)).toBeNull();
  });

  it("answers with the contact as its own call left it, whoever changes it at the same moment", async () => {
    const project = await newProject();
    const answers = await Promise.all(
      times(16, (index) =>
        project.api.post("/contacts", { email: "ada@example.com", subscribed: index % 2 === 0, data: { by: index } }),
      ),
    );
    for (const [index, { body }] of answers.entries()) {
      expect(body).toMatchObject({ subscribed: index % 2 === 0, data: { by: index } });
    }
    const { body } = await project.api.get(`/contacts/${answers[0]?.body.id}`);
    const flips = await eventCounts(project);
    expect((flips["contact.unsubscribed"] ?? 0) - (flips["contact.subscribed"] ?? 0)).toBe(
      Number(answers.find((answer) => answer.status === 201)?.body.subscribed) - Number(body.subscribed),
    );
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
    expectLegacy(answer, ["email"]);
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
    ["data that is null", { email: "a@b.com", data: null }, "data", "invalid_type"],
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

describe("PATCH /contacts/{id}", () => {
  it("changes what is sent, and answers with the whole contact after it", async () => {
    const project = await newProject();
    const before = await newContact(project, { data: { plan: "free", seats: 2 } });
    const change = { email: " Lovelace@Example.com ", subscribed: false, data: { plan: "pro", seats: null, city: "" } };
    const { status, body } = await project.api.patch(`/contacts/${before.id}`, change);
    expect(status).toBe(200);
    expect(body).toEqual({
      id: before.id,
      email: "lovelace@example.com",
      subscribed: false,
      snoozedUntil: null,
      optedOutAt: expect.stringMatching(isoTime),
      confirmedAt: null,
      source: "API",
      data: { plan: "pro" },
      // One for the address, and one for the subscription.
      version: 3,
      createdAt: before.createdAt,
      updatedAt: expect.stringMatching(isoTime),
    });
    expect(body.updatedAt >= before.updatedAt).toBe(true);
    expect((await project.api.get(`/contacts/${before.id}`)).body).toEqual(body);
    expect(await eventCounts(project)).toEqual({ "contact.unsubscribed": 1 });
  });

  it.each([
    ["nothing", {}],
    ["null for what may be null", { subscribed: null }],
    ["data without keys", { data: {} }],
    ["data of which nothing is stored", { data: { id: "x", plan: "", code: { value: 1, persistent: false } } }],
    ["keys it does not know", { name: "Ada", createdAt: "2020-01-01T00:00:00Z", snoozedUntil: null }],
  ])("leaves everything as it is when %s is sent", async (_, change) => {
    const project = await newProject();
    const before = await newContact(project, { data: { plan: "pro" } });
    const counted = await effects(project);
    expect(await project.api.patch(`/contacts/${before.id}`, change)).toMatchObject({ status: 200, body: before });
    expect(await effects(project)).toEqual(counted);
  });

  it("emits one event for each real flip, and none for the rest", async () => {
    const project = await newProject();
    const { id } = await newContact(project);
    const patch = async (subscribed: boolean) => (await project.api.patch(`/contacts/${id}`, { subscribed })).body;
    for (const subscribed of [true, false, false, true, true, false]) {
      expect((await patch(subscribed)).subscribed).toBe(subscribed);
      expect((await optedOutAt(project, id)) === null).toBe(subscribed);
    }
    expect(await eventCounts(project)).toEqual({ "contact.subscribed": 1, "contact.unsubscribed": 2 });
    const { results } = await project.db
      .prepare("SELECT contact_id, data FROM events WHERE project_id = ?")
      .bind(project.id)
      .all();
    expect(results).toEqual(times(3, () => ({ contact_id: id, data: "{}" })));
  });

  it("does not make someone leave who was merely never subscribed", async () => {
    const project = await newProject();
    const { id } = (await project.api.send()).body.data.emails[0].contact;
    await project.api.patch(`/contacts/${id}`, { subscribed: false });
    expect(await optedOutAt(project, id)).toBeNull();
    expect((await eventCounts(project))["contact.unsubscribed"]).toBeUndefined();
  });

  it("refuses an address that another contact has, naming it, and has no effect", async () => {
    const project = await newProject();
    const ada = await newContact(project);
    await newContact(project, { email: "bob@example.com" });
    const before = await effects(project);
    const change = { email: "BOB@example.com", subscribed: false, data: { plan: "pro" } };
    const answer = await project.api.patch(`/contacts/${ada.id}`, change);
    expectRefusal(answer, 409, "CONFLICT");
    expect(answer.body.error.message).toContain("bob@example.com");
    expect(await effects(project)).toEqual(before);
    expect((await project.api.get(`/contacts/${ada.id}`)).body).toEqual(ada);
  });

  it("takes the address that the contact has, and one that another project has", async () => {
    const [project, other] = [await newProject(), await newProject()];
    const { id } = await newContact(project);
    await newContact(other, { email: "bob@example.com" });
    for (const email of ["ada@example.com", "Ada@Example.com", "bob@example.com"]) {
      const { status, body } = await project.api.patch(`/contacts/${id}`, { email });
      expect([status, body.email]).toEqual([200, email.toLowerCase()]);
    }
  });

  it("gives an address that two ask for at once to one of them", async () => {
    const project = await newProject();
    const ids = await Promise.all(times(8, async (n) => (await newContact(project, { email: `r${n}@b.co` })).id));
    const answers = await Promise.all(ids.map((id) => project.api.patch(`/contacts/${id}`, { email: "one@b.co" })));
    expect(answers.map(({ status }) => status).toSorted()).toEqual([200, ...Array(7).fill(409)]);
    expect((await project.api.get("/contacts?email=one@b.co")).body.total).toBe(1);
  });

  it("of sixteen at once with different keys keeps all sixteen, and of eight flips makes one event", async () => {
    const project = await newProject();
    const { id } = await newContact(project, { data: { kept: true } });
    const answers = await Promise.all([
      ...times(16, (index) => project.api.patch(`/contacts/${id}`, { data: { [`k${index}`]: index } })),
      ...times(8, () => project.api.patch(`/contacts/${id}`, { subscribed: false })),
    ]);
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]));
    const { data } = (await project.api.get(`/contacts/${id}`)).body;
    expect(data).toEqual({ kept: true, ...Object.fromEntries(times(16, (index) => [`k${index}`, index])) });
    expect(await eventCounts(project)).toEqual({ "contact.unsubscribed": 1 });
  });

  it("does it all in one round trip", async () => {
    const project = await newProject();
    const { id } = await newContact(project);
    const { ctx, process } = await new World().context(project);
    await updateContact(
      ctx,
      readId(id),
      UpdateContact.parse({ email: "a@b.co", subscribed: false, data: { plan: "pro" } }),
    );
    expect(process.steps).toEqual(["batch"]);
  });

  it("leaves mail that is queued on its way to the address it was accepted for", async () => {
    const project = await newProject();
    const world = new World();
    const { ctx } = await world.context(project);
    const call = { to: "ada@example.com", from: `hi@${project.domain}`, subject: "Hi", body: "{{ email }}" };
    const [accepted] = await sendEmails(ctx, SendEmail.parse(call));
    if (!accepted) throw new Error("Nothing was accepted");
    await project.api.patch(`/contacts/${publicId(accepted.contactId)}`, { email: "new@example.com" });
    await world.drain();
    expect(world.taken.map(({ to, html }) => [to.email, html])).toEqual([
      ["ada@example.com", framed("new@example.com")],
    ]);
  });

  it("takes no mail to a suppressed address by changing to it, nor lets any through by changing from it", async () => {
    const project = await newProject();
    const { id } = await newContact(project);
    await project.api.post("/suppressions", { email: "gone@example.com" });
    expect((await project.api.patch(`/contacts/${id}`, { email: "gone@example.com" })).status).toBe(200);
    expect((await project.api.send({ to: "gone@example.com" })).body.data.emails[0].status).toBe("SUPPRESSED");
    await project.api.patch(`/contacts/${id}`, { email: "ada@example.com" });
    expect((await project.api.send({ to: "gone@example.com" })).body.data.emails[0].status).toBe("SUPPRESSED");
    expect((await project.api.send()).body.data.emails[0].status).toBe("QUEUED");
  });

  it("keeps the no of an erased address that it is given, unless the call says yes itself", async () => {
    const project = await newProject();
    const erase = async (email: string) => {
      const { id } = await newContact(project, { email, subscribed: false });
      await project.api.post("/suppressions", { email, reason: "complaint" });
      expect((await project.api.delete(`/contacts/${id}`)).status).toBe(204);
    };
    const { id } = await newContact(project);
    await erase("gone@example.com");
    expect((await project.api.patch(`/contacts/${nowhere}`, { email: "gone@example.com" })).status).toBe(404);
    expect((await project.api.patch(`/contacts/${id}`, { email: "gone@example.com" })).body.subscribed).toBe(false);
    expect(await optedOutAt(project, id)).not.toBeNull();
    expect(await eventCounts(project)).toEqual({ "contact.unsubscribed": 1 });
    await erase("back@example.com");
    const told = await project.api.patch(`/contacts/${id}`, { email: "back@example.com", subscribed: true });
    expect(told.body.subscribed).toBe(true);
    expect(await optedOutAt(project, id)).toBeNull();
    // Mail to either is refused as before.
    const suppressed = (await project.api.get("/suppressions")).body.data;
    expect(suppressed.map(({ email, reason }: Record<string, string>) => [email, reason])).toEqual([
      ["back@example.com", "complaint"],
      ["gone@example.com", "complaint"],
    ]);
  });

  it.each<[string, Record<string, unknown>, string, string]>([
    ["an email that is none", { email: "nope" }, "email", "invalid_string"],
    ["an empty email", { email: "" }, "email", "invalid_string"],
    ["null for the email", { email: null }, "email", "invalid_type"],
    ["a word for subscribed", { subscribed: "no" }, "subscribed", "invalid_type"],
    ["data that is a list", { data: [] }, "data", "invalid_type"],
    ["data that is a string", { data: "x" }, "data", "invalid_type"],
    ["data that is null", { data: null }, "data", "invalid_type"],
    ["a locale that is a number", { data: { locale: 1 } }, "data.locale", "invalid_type"],
    ["half of a character", { data: { plan: "\ud800" } }, "data.plan", "invalid_string"],
    ["data over 64 KB", { data: { a: "x".repeat(65_536) } }, "data", "too_big"],
    ["data over 64 KB once it is merged", { data: { b: "x".repeat(40_000) } }, "data", "too_big"],
  ])("refuses %s and has no effect", async (_, change, field, code) => {
    const project = await newProject();
    const { id } = await newContact(project, { data: { a: "x".repeat(40_000) } });
    const before = await effects(project);
    // The sound part of it must not happen either.
    const sound = { email: "bob@example.com", subscribed: false };
    expectInvalid(await project.api.patch(`/contacts/${id}`, { ...sound, ...change }), field, code);
    expect(await effects(project)).toEqual(before);
  });

  it("is 400 when the body is no JSON, or none", async () => {
    const project = await newProject();
    const { id } = await newContact(project);
    for (const body of ["{", ""]) expectRefusal(await project.api.patch(`/contacts/${id}`, body), 400, "BAD_REQUEST");
  });

  it("is 404 for an id that is not there, or another project's, and has no effect", async () => {
    const [project, other] = [await newProject(), await newProject()];
    const { id } = await newContact(other);
    const change = { email: "bob@example.com", subscribed: false, data: { plan: "pro" } };
    for (const unknown of [nowhere, id, "nope"]) {
      const details = { resource: "contact", id: unknown };
      expectRefusal(await project.api.patch(`/contacts/${unknown}`, change), 404, "CONTACT_NOT_FOUND", { details });
      expectRefusal(await project.api.patch(`/contacts/${unknown}`, {}), 404, "CONTACT_NOT_FOUND", { details });
    }
    expect(await effects(project)).toEqual(noEffects);
    expect((await other.api.get(`/contacts/${id}`)).body).toMatchObject({ email: "ada@example.com", subscribed: true });
  });

  it("is refused in a disabled project", async () => {
    const project = await newProject();
    const { id } = await newContact(project);
    await admin.patch(`/admin/projects/${project.id}`, { disabled: true });
    expectRefusal(await project.api.patch(`/contacts/${id}`, { subscribed: false }), 403, "PROJECT_DISABLED");
    expect(await eventCounts(project)).toEqual({});
  });
});

describe("data, by POST and by PATCH", () => {
  it.each<[what: string, stored: string, sent: string, after: string]>([
    ["patches: other keys stay", '{"a":1,"b":2}', '{"b":3,"c":4}', '{"a":1,"b":3,"c":4}'],
    ["null deletes, and only at the top", '{"a":1,"b":2}', '{"a":null,"b":{"c":null}}', '{"b":{"c":null}}'],
    ["null for a key that is not there", '{"a":1}', '{"b":null}', '{"a":1}'],
    ["an empty string is ignored", '{"a":"x"}', '{"a":"","b":""}', '{"a":"x"}'],
    ["false, 0 and blanks are values", '{"a":1,"b":1,"c":1}', '{"a":false,"b":0,"c":" "}', '{"a":false,"b":0,"c":" "}'],
    ["an object is replaced whole", '{"p":{"a":1}}', '{"p":{"b":2}}', '{"p":{"b":2}}'],
    [
      "an object over a value, and back",
      '{"p":1,"q":{"a":1}}',
      '{"p":{"a":[1,{"b":null}]},"q":2}',
      '{"p":{"a":[1,{"b":null}]},"q":2}',
    ],
    ["lists, empty ones too", '{"a":[1],"b":[2]}', '{"a":[],"b":["x",null,""]}', '{"a":[],"b":["x",null,""]}'],
    ["values for one call leave what is stored", '{"a":1}', '{"a":{"value":2,"persistent":false}}', '{"a":1}'],
    ["persistent: true stores the value", '{"a":1}', '{"a":{"value":2,"persistent":true}}', '{"a":2}'],
    ["reserved keys are dropped", '{"a":1}', '{"id":"x","email":"y","manageUrl":"z","b":2}', '{"a":1,"b":2}'],
    [
      "the core fields' names are only keys",
      "{}",
      '{"subscribed":"x","createdAt":1}',
      '{"subscribed":"x","createdAt":1}',
    ],
    ["locale is a key", '{"locale":"en"}', '{"locale":"pt-BR"}', '{"locale":"pt-BR"}'],
    [
      "dots, brackets and dollars are letters",
      '{"a.b":1,"$.c":2}',
      '{"a.b":3,"a[0]":4,"$":5}',
      '{"a.b":3,"$.c":2,"a[0]":4,"$":5}',
    ],
    [
      "quotes and backslashes",
      `{"say \\"hi\\"":1,"o'neill":2}`,
      `{"say \\"hi\\"":3,"b\\\\s":4}`,
      `{"say \\"hi\\"":3,"o'neill":2,"b\\\\s":4}`,
    ],
    [
      "quoted keys can be deleted",
      `{"say \\"hi\\"":1,"o'neill":2,"a.b":3}`,
      `{"say \\"hi\\"":null,"o'neill":null,"a.b":null}`,
      "{}",
    ],
    [
      "emoji and blanks",
      '{"😀":1,"first name":"Ada"}',
      '{"😀":2,"👩‍👩‍👧":3}',
      '{"😀":2,"first name":"Ada","👩‍👩‍👧":3}',
    ],
    ["__proto__ is a key like any other", '{"a":1}', '{"__proto__":{"b":1}}', '{"a":1,"__proto__":{"b":1}}'],
    [
      "__proto__ can be deleted",
      '{"__proto__":1,"constructor":2}',
      '{"__proto__":null,"toString":3}',
      '{"constructor":2,"toString":3}',
    ],
    ["a key of 128 characters", "{}", `{"${"k".repeat(128)}":1}`, `{"${"k".repeat(128)}":1}`],
    [
      "control characters and line ends",
      '{"a":"x\\ny\\u0001"}',
      '{"b":"\\u2028\\t"}',
      '{"a":"x\\ny\\u0001","b":"\\u2028\\t"}',
    ],
    [
      "numbers keep every digit",
      '{"a":0.1,"b":0.30000000000000004,"c":9007199254740991,"d":1e21,"e":5e-324,"f":1.7976931348623157e308,"g":12345678901234567890}',
      '{"h":-0.1,"i":123456.78901234567}',
      '{"a":0.1,"b":0.30000000000000004,"c":9007199254740991,"d":1e21,"e":5e-324,"f":1.7976931348623157e308,"g":12345678901234567890,"h":-0.1,"i":123456.78901234567}',
    ],
  ])("%s", async (_, stored, sent, after) => {
    const project = await newProject();
    const post = (data: string) => project.api.post("/contacts", `{"email":"ada@example.com","data":${data}}`);
    const { id } = (await post(stored)).body;
    const answers = [(await post(sent)).body, (await project.api.get(`/contacts/${id}`)).body];
    await project.db.prepare("UPDATE contacts SET data = ? WHERE id = ?").bind(stored, id).run();
    answers.push((await project.api.patch(`/contacts/${id}`, `{"data":${sent}}`)).body);
    // As text, since equality looks past __proto__; the order of keys is nobody's business.
    const inOrder = (data: object) => JSON.stringify(Object.entries(data).toSorted(([a], [b]) => (a < b ? -1 : 1)));
    for (const { data } of answers) expect(inOrder(data)).toBe(inOrder(JSON.parse(after)));
  });

  it.each(["POST", "PATCH"])("keeps the type that a key had first, and stores whatever comes: %s", async (method) => {
    const project = await newProject();
    const { id } = await newContact(project);
    const send = (data: object) =>
      method === "POST"
        ? project.api.post("/contacts", { email: "ada@example.com", data })
        : project.api.patch(`/contacts/${id}`, { data });
    await send({ gone: null, once: { value: 1, persistent: false }, blank: "", id: "x" });
    expect(await fieldTypes(project)).toEqual({});
    await send({ seats: 3, paying: true, renews: "2026-01-31", name: "Ada", tags: [1], "a.b": 1 });
    const types = {
      seats: "number",
      paying: "boolean",
      renews: "date",
      name: "string",
      tags: "string",
      "a.b": "number",
    };
    expect(await fieldTypes(project)).toEqual(types);
    const { body } = await send({ seats: "many", paying: null, renews: 5, name: true });
    expect(body.data).toMatchObject({ seats: "many", renews: 5, name: true });
    expect(await fieldTypes(project)).toEqual(types);
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
