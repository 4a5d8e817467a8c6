import { describe, expect, it } from "vitest";
import { newProject, type TestProject } from "../support/project";
import { contactOf } from "../support/send-and-wait";

type Data = Record<string, unknown>;

/** Sends one call after another to one address, and reads its contact's data back. */
async function dataAfter(project: TestProject, ...calls: Data[]): Promise<Data> {
  let data: Data = {};
  for (const call of calls) data = (await contactOf(project, await project.api.send({ data: call }))).data;
  return data;
}

const deep = { a: { b: { c: { d: { e: { f: { g: { h: [1, [2, [3, [{}]]]] } } } } } } } };

describe("a value is stored as it was sent", () => {
  const values: [what: string, value: unknown][] = [
    ["a string", "blue"],
    ["a string of blanks", "   "],
    ["a string with quotes and line breaks", "a \"b\" 'c' \\ \r\n\t </p>"],
    ["a string in other scripts, and emoji", "Žofie 李 👩‍👩‍👧 \u2028"],
    ["a string that looks like a number", "0042"],
    ["a string that looks like JSON", '{"a":1}'],
    ["a number", 42],
    ["zero", 0],
    ["a negative number", -7],
    ["a fraction", 3.14],
    ["a fraction of seventeen digits", 0.30000000000000004],
    ["the largest safe whole number", Number.MAX_SAFE_INTEGER],
    ["a number beyond 64 bits", 12345678901234567000],
    ["the largest number", Number.MAX_VALUE],
    ["the smallest number", Number.MIN_VALUE],
    ["true", true],
    ["false", false],
    ["a list", [1, "two", false, null, { three: 3 }]],
    ["an empty list", []],
    ["an object", { tier: "gold", since: { year: 2020 } }],
    ["an empty object", {}],
    ["an object with null and an empty string inside", { a: null, b: "" }],
    ["a deep object", deep],
    ["an object with a value alone", { value: "x" }],
    ["an object with persistent alone, false", { persistent: false }],
    ["an object with persistent alone, true", { persistent: true }],
    ["a wrapper with a word for persistent", { value: "x", persistent: "no" }],
    ["a wrapper with something more in it", { value: "x", persistent: false, more: 1 }],
  ];

  it.each(values)("on a new contact: %s", async (_, value) => {
    expect(await dataAfter(await newProject(), { key: value })).toEqual({ key: value });
  });

  it.each(values)("on an existing contact: %s", async (_, value) => {
    expect(await dataAfter(await newProject(), { other: 1 }, { key: value })).toEqual({ other: 1, key: value });
  });

  it.each(values)("and stays so when another key changes: %s", async (_, value) => {
    expect(await dataAfter(await newProject(), { key: value }, { other: 1 })).toEqual({ key: value, other: 1 });
  });
});

describe("a key is any text", () => {
  it.each([
    'with "quotes"',
    "it's",
    "dotted.key",
    "first name",
    "a\\b",
    "$",
    "$.a",
    "[0]",
    "#",
    "ключ",
    "👋",
    "__proto__",
    "constructor",
    "toString",
    "hasOwnProperty",
    "prototype",
    "null",
    "0",
    "a\nb",
    " ",
    "data",
    "subscribed",
    "createdAt",
    "updatedAt",
    "k".repeat(128),
  ])("stored, changed and deleted as it is: %j", async (key) => {
    const project = await newProject();
    // JSON as text: with some of these keys an object literal would mean something else.
    const textAfter = async (call: string) =>
      JSON.stringify(Object.entries(await dataAfter(project, JSON.parse(call))));
    const name = JSON.stringify(key);
    expect(await textAfter(`{${name}:"one"}`)).toBe(JSON.stringify([[key, "one"]]));
    expect(JSON.parse(await textAfter(`{"z":1,${name}:2}`))).toEqual(
      expect.arrayContaining([
        [key, 2],
        ["z", 1],
      ]),
    );
    expect(await textAfter(`{${name}:null}`)).toBe('[["z",1]]');
  });
});

describe("data is patched (rule 1)", () => {
  it("only the keys sent change", async () => {
    const data = await dataAfter(await newProject(), { a: 1, b: 2 }, { b: 3, c: 4 });
    expect(data).toEqual({ a: 1, b: 3, c: 4 });
  });

  it("a key's value is replaced whole, objects and lists too", async () => {
    const data = await dataAfter(
      await newProject(),
      { profile: { a: 1 }, list: [1, 2] },
      { profile: { b: 2 }, list: [3] },
    );
    expect(data).toEqual({ profile: { b: 2 }, list: [3] });
  });

  it("a call without data changes nothing", async () => {
    const project = await newProject();
    await project.api.send({ data: { a: 1 } });
    const contact = await contactOf(project, await project.api.send());
    expect(contact.data).toEqual({ a: 1 });
    expect((await contactOf(project, await project.api.send({ data: {} }))).updatedAt).toBe(contact.updatedAt);
  });

  it("all recipients of a call get it", async () => {
    const project = await newProject();
    await project.api.send({ to: "bob@example.com", data: { plan: "free", seats: 1 } });
    const sent = await project.api.send({ to: ["ada@example.com", "bob@example.com"], data: { plan: "pro" } });
    const ids: string[] = sent.body.data.emails.map((item: { contact: { id: string } }) => item.contact.id);
    const contacts = await Promise.all(ids.map((id) => project.api.get(`/contacts/${id}`)));
    expect(contacts.map(({ body }) => body.data)).toEqual([{ plan: "pro" }, { plan: "pro", seats: 1 }]);
  });
});

describe("null and empty strings (rules 3 and 4)", () => {
  it("null deletes the key", async () => {
    expect(await dataAfter(await newProject(), { a: 1, b: 2 }, { a: null })).toEqual({ b: 2 });
  });

  it("null for a key that is not there does nothing, on a new contact too", async () => {
    expect(await dataAfter(await newProject(), { a: null }, { b: null })).toEqual({});
  });

  it("null inside an object is a value", async () => {
    expect(await dataAfter(await newProject(), { a: { b: 1 } }, { a: { b: null } })).toEqual({ a: { b: null } });
  });

  it("an empty string keeps the stored value, and is not stored", async () => {
    expect(await dataAfter(await newProject(), { a: "kept" }, { a: "", b: "" })).toEqual({ a: "kept" });
  });
});

describe("a wrapped value (rule 5)", () => {
  it("with persistent true is stored as the value it holds", async () => {
    const kept = (value: unknown) => ({ value, persistent: true });
    const data = await dataAfter(
      await newProject(),
      { a: 1, b: 2, c: 3 },
      { a: kept("x"), b: kept(null), c: kept("") },
    );
    expect(data).toEqual({ a: "x", c: 3 });
  });

  it("with persistent false is not stored, and leaves what is stored", async () => {
    const once = (value: unknown) => ({ value, persistent: false });
    const data = await dataAfter(await newProject(), { a: 1 }, { a: once(2), b: once("x"), c: once(null) });
    expect(data).toEqual({ a: 1 });
  });
});

describe("reserved keys (rule 6)", () => {
  it("are dropped silently, and the others of the call are kept", async () => {
    const reserved = ["id", "service_id", "service_email", "email", "unsubscribeUrl", "subscribeUrl", "manageUrl"];
    const project = await newProject();
    const sent = await project.api.send({
      data: { ...Object.fromEntries(reserved.map((key) => [key, "x"])), plan: "pro" },
    });
    const contact = await contactOf(project, sent);
    expect(contact.data).toEqual({ plan: "pro" });
    expect(contact.email).toBe("ada@example.com");
    expect(await fieldTypes(project)).toEqual({ plan: "string" });
  });

  it("are known by their exact name", async () => {
    expect(await dataAfter(await newProject(), { ID: 1, Email: 2, serviceId: 3 })).toEqual({
      ID: 1,
      Email: 2,
      serviceId: 3,
    });
  });
});

describe("core fields and locale (rules 7 and 8)", () => {
  it("a subscribed in data subscribes nobody", async () => {
    const project = await newProject();
    const contact = await contactOf(
      project,
      await project.api.send({ data: { subscribed: true, createdAt: "2020-01-01" } }),
    );
    expect(contact.subscribed).toBe(false);
    expect(new Date(contact.createdAt).getFullYear()).toBeGreaterThan(2020);
  });

  it("locale is stored in data, kept by an empty string and deleted by null", async () => {
    const project = await newProject();
    expect(await dataAfter(project, { locale: "nl" })).toEqual({ locale: "nl" });
    expect(await dataAfter(project, { locale: "" })).toEqual({ locale: "nl" });
    expect(await dataAfter(project, { locale: { value: "fr", persistent: false } })).toEqual({ locale: "nl" });
    expect(await dataAfter(project, { locale: null })).toEqual({});
  });
});

describe("the type of a key (rule 9)", () => {
  it("is inferred from its first value that is not null", async () => {
    const project = await newProject();
    await dataAfter(project, { none: null, empty: "", once: { value: 1, persistent: false } });
    expect(await fieldTypes(project)).toEqual({});
    await dataAfter(project, {
      number: 42,
      fraction: 3.14,
      yes: true,
      no: false,
      day: "2026-01-31",
      time: "2026-01-31T09:00:00Z",
      exact: "2026-01-31T09:00:00.123Z",
      offset: "2026-01-31T09:00:00+01:00",
      text: "hello",
      digits: "42",
      list: [1],
      object: {},
      kept: { value: 7, persistent: true },
    });
    expect(await fieldTypes(project)).toEqual({
      number: "number",
      fraction: "number",
      yes: "boolean",
      no: "boolean",
      day: "date",
      time: "date",
      exact: "date",
      offset: "string",
      text: "string",
      digits: "string",
      list: "string",
      object: "string",
      kept: "number",
    });
  });

  it("stays what it was, and a value of another type is stored all the same", async () => {
    const project = await newProject();
    await project.api.send({ to: "first@example.com", data: { seats: 3 } });
    expect(await dataAfter(project, { seats: "many" })).toEqual({ seats: "many" });
    expect(await dataAfter(project, { seats: null })).toEqual({});
    await dataAfter(project, { seats: true });
    expect(await fieldTypes(project)).toEqual({ seats: "number" });
  });

  it("is the project's own", async () => {
    const [one, two] = [await newProject(), await newProject()];
    await dataAfter(one, { seats: 3 });
    await dataAfter(two, { seats: "three" });
    expect([await fieldTypes(one), await fieldTypes(two)]).toEqual([{ seats: "number" }, { seats: "string" }]);
  });
});

describe("64 KB", () => {
  const limit = 65_536;
  const filler = (bytes: number) => "x".repeat(bytes);

  it("are all stored when they are reached exactly, and with one byte more the contact keeps what it has", async () => {
    const project = await newProject();
    // {"a":"…","b":"…"} is 15 characters around the two values.
    await project.api.send({ data: { a: filler(40_000) } });
    const whole = await contactOf(project, await project.api.send({ data: { b: filler(limit - 40_000 - 15) } }));
    expect(JSON.stringify(whole.data)).toHaveLength(limit);
    const more = await project.api.send({ data: { b: filler(limit - 40_000 - 14) } });
    expect(more.body.warnings).toEqual([{ field: "data", message: expect.stringContaining("was not stored") }]);
    expect(await contactOf(project, more)).toEqual(whole);
  });

  it("count bytes of UTF-8, not characters", async () => {
    const project = await newProject();
    await project.api.send({ data: { a: "é".repeat(16_000) } });
    expect((await project.api.send({ data: { b: "é".repeat(16_000) } })).body).not.toHaveProperty("warnings");
    expect((await project.api.send({ data: { c: "é".repeat(1_000) } })).body.warnings).toHaveLength(1);
  });

  it("leave room again once a key is deleted or replaced", async () => {
    const project = await newProject();
    await dataAfter(project, { a: filler(60_000) });
    expect(Object.keys(await dataAfter(project, { a: null, b: filler(60_000) }))).toEqual(["b"]);
    expect(await dataAfter(project, { b: 1, c: "small" })).toEqual({ b: 1, c: "small" });
  });
});

async function fieldTypes(project: TestProject): Promise<Record<string, string>> {
  const { results } = await project.db
    .prepare("SELECT key, type FROM contact_fields WHERE project_id = ?")
    .bind(project.id)
    .all<{ key: string; type: string }>();
  return Object.fromEntries(results.map(({ key, type }) => [key, type]));
}
