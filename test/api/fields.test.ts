import { describe, expect, it } from "vitest";
import type { References, Referrer } from "../../src/core/audience/references";
import { readId } from "../../src/core/ids";
import { openBatch } from "../../src/db/batch";
import { replaceReferences } from "../../src/engine/audience/record-references";
import { effects } from "../support/effects";
import { admin, newProject, type TestProject } from "../support/project";
import { expectInvalid, expectRefusal } from "../support/refusal";
import { eventCounts } from "../support/rows";
import { World } from "../support/world";

type Data = Record<string, unknown>;

const pathOf = (field: string) => `/contacts/fields/${encodeURIComponent(field)}`;

/** One contact for each data, in this order. */
async function addContacts(project: TestProject, ...contacts: Data[]): Promise<void> {
  for (const [index, data] of contacts.entries()) {
    const answer = await project.api.post("/contacts", { email: `c${index}@example.com`, data });
    expect(answer.status, JSON.stringify(answer.body)).toBeLessThan(300);
  }
}

async function contactRows(project: TestProject): Promise<{ data: Data; version: number; updated_at: number }[]> {
  const { results } = await project.db
    .prepare("SELECT data, version, updated_at FROM contacts WHERE project_id = ? ORDER BY email")
    .bind(project.id)
    .all<{ data: string; version: number; updated_at: number }>();
  return results.map((row) => ({ ...row, data: JSON.parse(row.data) }));
}

/** The custom fields of the list, by name. */
async function customFields(project: TestProject): Promise<Record<string, [type: string, coverage: number]>> {
  const { body } = await project.api.get("/contacts/fields");
  const custom = body.fields.filter((field: { isCustom: boolean }) => field.isCustom);
  return Object.fromEntries(
    custom.map(({ field, type, coverage }: Record<string, unknown>) => [field, [type, coverage]]),
  );
}

async function refer(
  project: TestProject,
  by: { referrer: Referrer; id: string; name: string },
  references: Partial<References>,
): Promise<void> {
  const { ctx } = await new World().context(project);
  const batch = openBatch(ctx);
  batch.addAll(replaceReferences(ctx, { ...by, id: readId(by.id) }, references));
  await batch.commit();
}

const oddKeys = [
  'a "quoted" key',
  "it's",
  "a.b.c",
  ".",
  "..",
  "back\\slash",
  "a/b",
  "50%",
  "%2F",
  "a?b#c&d=e+f",
  "two words",
  "tab\tand\nline",
  "😀",
  "é",
  "$.plan",
  "[0]",
  "1",
  "__proto__",
  "constructor",
  "data.plan",
  "x".repeat(128),
];

const standard = [
  { field: "createdAt", type: "date", isCustom: false, coverage: 1 },
  { field: "email", type: "string", isCustom: false, coverage: 1 },
  { field: "subscribed", type: "boolean", isCustom: false, coverage: 1 },
  { field: "updatedAt", type: "date", isCustom: false, coverage: 1 },
];

describe("GET /contacts/fields", () => {
  it("has the standard fields from the start", async () => {
    const project = await newProject();
    const { status, body } = await project.api.get("/contacts/fields");
    expect([status, body]).toEqual([200, { fields: standard }]);
  });

  it("lists every key by name, with its first type and the share of contacts that have it", async () => {
    const project = await newProject();
    await addContacts(
      project,
      { plan: "pro", age: 42, vip: false, since: "2026-01-31", tags: ["a"], once: { value: 1, persistent: false } },
      { plan: 7, age: "unknown", since: "2026-01-31T09:00:00.000Z" },
      { plan: "", gone: null },
      { Zone: "later in the alphabet, yet before small letters" },
    );
    await addContacts(await newProject(), { theirs: 1 });
    const custom = (key: string, type: string, coverage: number) => ({
      field: `data.${key}`,
      type,
      isCustom: true,
      coverage,
    });
    expect((await project.api.get("/contacts/fields")).body).toEqual({
      fields: [
        standard[0],
        custom("Zone", "string", 0.25),
        custom("age", "number", 0.5),
        custom("plan", "string", 0.5),
        custom("since", "date", 0.5),
        custom("tags", "string", 0.25),
        custom("vip", "boolean", 0.25),
        ...standard.slice(1),
      ],
    });
  });

  it("keeps a field that no contact has any more, as its type stays", async () => {
    const project = await newProject();
    await addContacts(project, { plan: "pro" });
    await addContacts(project, { plan: null });
    expect(await customFields(project)).toEqual({ "data.plan": ["string", 0] });
    await addContacts(project, { plan: 1 });
    expect(await customFields(project)).toEqual({ "data.plan": ["string", 1] });
    await project.db.prepare("DELETE FROM contacts WHERE project_id = ?").bind(project.id).run();
    expect(await customFields(project)).toEqual({ "data.plan": ["string", 0] });
  });

  it("stops at 1,000 custom fields, and says so", async () => {
    const project = await newProject();
    const keys = Array.from({ length: 1_001 }, (_, index) => `k${String(index).padStart(4, "0")}`);
    await addContacts(project, Object.fromEntries(keys.map((key) => [key, 1])));
    const { body } = await project.api.get("/contacts/fields");
    expect([body.fields.length, body.truncated]).toEqual([1_004, true]);
    expect(Object.keys(await customFields(project)).at(-1)).toBe("data.k0999");
    expect((await project.api.get(`${pathOf("data.k1000")}/values`)).body).toMatchObject({ values: [1] });
  });
});

describe("a key of any name", () => {
  it("is listed, looked into and deleted, and no other key with it", async () => {
    const project = await newProject();
    const all = Object.fromEntries(
      oddKeys.map((key, index) => [key, [index, { n: null }, 0.1 + 0.2, 1e21, "é\u2028"]]),
    );
    const values = Object.fromEntries(oddKeys.map((key, index) => [key, `value ${index}`]));
    await addContacts(project, all, values);
    expect(await customFields(project)).toEqual(
      Object.fromEntries(oddKeys.map((key) => [`data.${key}`, ["string", 1]])),
    );
    for (const [index, key] of oddKeys.entries()) {
      const field = `data.${key}`;
      const found = await project.api.get(`${pathOf(field)}/values`);
      expect(found.body).toEqual({ field, values: [`value ${index}`], count: 1, limit: 100 });
      expect((await project.api.get(`${pathOf(field)}/usage`)).body.contactCount).toBe(2);
      const deleted = await project.api.delete(pathOf(field));
      expect([key, deleted.status, deleted.body]).toEqual([key, 200, { deletedFrom: 2 }]);
      const left = (from: Data) => Object.fromEntries(oddKeys.slice(index + 1).map((other) => [other, from[other]]));
      expect((await contactRows(project)).map((row) => row.data)).toEqual([left(all), left(values)]);
    }
    expect(await customFields(project)).toEqual({});
  });
});

describe("GET /contacts/fields/{field}/values", () => {
  it("has each value once, with its type: booleans, numbers, strings", async () => {
    const project = await newProject();
    const values = ["b", 10, "a", 9.5, "10", true, "B", -1, false, "ä", "2026-01-31", 10, "a", 0, 0.1 + 0.2, 1e300];
    const leftOut = [["a"], { a: 1 }, [], "x".repeat(1_001)];
    await addContacts(project, ...[...values, ...leftOut].map((mixed) => ({ mixed })), { other: "c" });
    const sorted = [false, true, -1, 0, 0.1 + 0.2, 9.5, 10, 1e300, "10", "2026-01-31", "B", "a", "b", "ä"];
    const { status, body } = await project.api.get("/contacts/fields/data.mixed/values");
    expect([status, body]).toEqual([200, { field: "data.mixed", values: sorted, count: sorted.length, limit: 100 }]);
    const first = await project.api.get("/contacts/fields/data.mixed/values?limit=3");
    expect(first.body).toEqual({ field: "data.mixed", values: sorted.slice(0, 3), count: sorted.length, limit: 3 });
  });

  it("is empty for a field that no contact has any more, and for texts that count as none", async () => {
    const project = await newProject();
    await addContacts(project, { plan: "pro" });
    await addContacts(project, { plan: null });
    await project.db
      .prepare(`UPDATE contacts SET data = '{"plan":"","none":null}' WHERE project_id = ?`)
      .bind(project.id)
      .run();
    const { status, body } = await project.api.get("/contacts/fields/data.plan/values");
    expect([status, body]).toEqual([200, { field: "data.plan", values: [], count: 0, limit: 100 }]);
  });

  it("knows the standard fields", async () => {
    const project = await newProject();
    await addContacts(project, {}, {});
    await project.api.post("/contacts", { email: "a@example.com", subscribed: false });
    const valuesOf = async (field: string) => (await project.api.get(`${pathOf(field)}/values`)).body;
    expect(await valuesOf("email")).toEqual({
      field: "email",
      values: ["a@example.com", "c0@example.com", "c1@example.com"],
      count: 3,
      limit: 100,
    });
    expect(await valuesOf("subscribed")).toEqual({ field: "subscribed", values: [false, true], count: 2, limit: 100 });
    const contact = (await project.api.post("/contacts", { email: "a@example.com" })).body;
    for (const field of ["createdAt", "updatedAt"]) {
      const { values, count } = await valuesOf(field);
      expect(values).toEqual([...new Set(values)].sort());
      expect(values).toContain(contact[field]);
      expect(count).toBe(values.length);
    }
  });

  it("takes a limit of 1 to 200, and clamps larger ones", async () => {
    const project = await newProject();
    await addContacts(project, { plan: "pro" });
    for (const [asked, limit] of [
      ["1", 1],
      ["200", 200],
      ["201", 200],
      ["99999", 200],
    ]) {
      const { body } = await project.api.get(`/contacts/fields/data.plan/values?limit=${asked}`);
      expect(body).toMatchObject({ values: ["pro"], limit });
    }
    for (const asked of ["0", "abc", "-1", "1.5", ""]) {
      const answer = await project.api.get(`/contacts/fields/data.plan/values?limit=${asked}`);
      expectInvalid(answer, "limit", asked === "0" ? "too_small" : "invalid_string");
    }
  });
});

describe("GET /contacts/fields/{field}/usage", () => {
  it("tells who names the field, and how many contacts have it", async () => {
    const project = await newProject();
    const other = await newProject();
    await addContacts(project, { plan: "pro", age: 1 }, { plan: "free" }, { age: 2 });
    await addContacts(other, { plan: "pro" });
    const plan = { fields: ["data.plan"] };
    const twice = { fields: ["data.plan", "data.plan"], events: ["paid"], segments: ["data.plan"] };
    await refer(project, { referrer: "segment", id: "s2", name: "Paid" }, twice);
    await refer(project, { referrer: "segment", id: "s1", name: "Free" }, plan);
    await refer(project, { referrer: "segment", id: "s3", name: "Aged" }, { fields: ["data.age"] });
    await refer(project, { referrer: "campaign", id: "s1", name: "Offer" }, plan);
    await refer(project, { referrer: "workflow", id: "w1", name: "Renewal" }, { events: ["data.plan"] });
    await refer(other, { referrer: "workflow", id: "w2", name: "Theirs" }, plan);

    const { status, body } = await project.api.get("/contacts/fields/data.plan/usage");
    expect([status, body]).toEqual([
      200,
      {
        usedInSegments: [
          { id: "s1", name: "Free" },
          { id: "s2", name: "Paid" },
        ],
        usedInCampaigns: [{ id: "s1", name: "Offer" }],
        usedInWorkflows: [],
        contactCount: 2,
        canDelete: true,
      },
    ]);

    // Saved anew, under another name and without the field; and deleted.
    await refer(project, { referrer: "segment", id: "s2", name: "Paid once" }, { fields: ["email"] });
    await refer(project, { referrer: "segment", id: "s1", name: "Free" }, {});
    expect((await project.api.get("/contacts/fields/data.plan/usage")).body).toEqual({
      usedInSegments: [],
      usedInCampaigns: [{ id: "s1", name: "Offer" }],
      usedInWorkflows: [],
      contactCount: 2,
      canDelete: true,
    });
    expect((await project.api.get("/contacts/fields/email/usage")).body).toEqual({
      usedInSegments: [{ id: "s2", name: "Paid once" }],
      usedInCampaigns: [],
      usedInWorkflows: [],
      contactCount: 3,
      canDelete: false,
    });
  });

  it("still tells who names a field after it was deleted", async () => {
    const project = await newProject();
    await addContacts(project, { plan: "pro" });
    await refer(project, { referrer: "segment", id: "s1", name: "Pro" }, { fields: ["data.plan"] });
    expect((await project.api.delete("/contacts/fields/data.plan")).body).toEqual({ deletedFrom: 1 });
    const { status, body } = await project.api.get("/contacts/fields/data.plan/usage");
    expect([status, body]).toEqual([
      200,
      {
        usedInSegments: [{ id: "s1", name: "Pro" }],
        usedInCampaigns: [],
        usedInWorkflows: [],
        contactCount: 0,
        canDelete: true,
      },
    ]);
  });
});

describe("DELETE /contacts/fields/{field}", () => {
  it("takes the key from every contact that has it, and touches no other", async () => {
    const project = await newProject();
    const other = await newProject();
    await addContacts(project, { plan: "pro", age: 1 }, { age: 2 }, { plan: ["a"] });
    await addContacts(other, { plan: "theirs" });
    // Another machine's clock may be ahead: times never go back.
    await project.db
      .prepare("UPDATE contacts SET updated_at = updated_at + 60000 WHERE project_id = ?")
      .bind(project.id)
      .run();
    const [first, second, third] = await contactRows(project);
    const theirs = await contactRows(other);

    const { status, body } = await project.api.delete("/contacts/fields/data.plan");
    expect([status, body]).toEqual([200, { deletedFrom: 2 }]);
    const now = expect.any(Number);
    const after = await contactRows(project);
    expect(after).toEqual([
      { data: { age: 1 }, version: 2, updated_at: now },
      second,
      { data: {}, version: 2, updated_at: now },
    ]);
    expect(after[0]?.updated_at).toBeGreaterThanOrEqual(first?.updated_at ?? Infinity);
    expect(after[2]?.updated_at).toBeGreaterThanOrEqual(third?.updated_at ?? Infinity);
    expect(await contactRows(other)).toEqual(theirs);
    expect(await eventCounts(project)).toEqual({});
    expect(await customFields(project)).toEqual({ "data.age": ["number", 2 / 3] });
    expect(await customFields(other)).toEqual({ "data.plan": ["string", 1] });
  });

  it("lets the next value set the type anew", async () => {
    const project = await newProject();
    await addContacts(project, { plan: "pro" });
    await project.api.delete("/contacts/fields/data.plan");
    expectRefusal(await project.api.delete("/contacts/fields/data.plan"), 404, "RESOURCE_NOT_FOUND", {
      details: { resource: "field", id: "data.plan" },
    });
    await addContacts(project, { plan: 7 });
    expect(await customFields(project)).toEqual({ "data.plan": ["number", 1] });
  });

  it("forgets a field that no contact has any more", async () => {
    const project = await newProject();
    await addContacts(project, { plan: "pro" });
    await addContacts(project, { plan: null });
    const before = await contactRows(project);
    const { status, body } = await project.api.delete("/contacts/fields/data.plan");
    expect([status, body]).toEqual([200, { deletedFrom: 0 }]);
    expect(await contactRows(project)).toEqual(before);
    expect(await customFields(project)).toEqual({});
  });

  it("never leaves a value that the list does not know, whoever writes meanwhile", async () => {
    const project = await newProject();
    await addContacts(project, { plan: 0 });
    const writes = Array.from({ length: 8 }, (_, index) =>
      project.api.post("/contacts", { email: `w${index}@example.com`, data: { plan: index } }),
    );
    const deletes = Array.from({ length: 4 }, () => project.api.delete("/contacts/fields/data.plan"));
    const answers = await Promise.all([...deletes, ...writes]);
    expect(answers.filter(({ status }) => status >= 500)).toEqual([]);
    const kept = (await contactRows(project)).filter(({ data }) => "plan" in data).length;
    if (kept > 0) expect(await customFields(project)).toEqual({ "data.plan": ["number", kept / 9] });
  });
});

describe("a field that is not there", () => {
  it.each<[method: "get" | "delete", rest: string]>([
    ["get", "/values"],
    ["delete", ""],
    ["get", "/usage"],
  ])("%s …%s is 404 when the project never saw it, and 422 when it is none", async (method, rest) => {
    const project = await newProject();
    const other = await newProject();
    await addContacts(other, { plan: "theirs" });
    await addContacts(project, { Plan: "pro", once: { value: 1, persistent: false } });
    const before = [await effects(project), await effects(other)];
    for (const field of ["data.plan", "data.once", "data.data.Plan", "data.email", `data.${"x".repeat(500)}`]) {
      expectRefusal(await project.api[method](pathOf(field) + rest), 404, "RESOURCE_NOT_FOUND", {
        details: { resource: "field", id: field },
      });
    }
    const standardToo = method === "delete" ? ["email", "subscribed", "createdAt", "updatedAt"] : [];
    for (const field of ["Plan", "data", "data.", "Email", "constructor", "data.Plan\0", ...standardToo]) {
      expectInvalid(await project.api[method](pathOf(field) + rest), "field", "invalid_string");
    }
    expect([await effects(project), await effects(other)]).toEqual(before);
  });

  it("is not deleted in a disabled project, which can still be read", async () => {
    const project = await newProject();
    await addContacts(project, { plan: "pro" });
    await admin.patch(`/admin/projects/${project.id}`, { disabled: true });
    const before = await effects(project);
    expectRefusal(await project.api.delete("/contacts/fields/data.plan"), 403, "PROJECT_DISABLED");
    expect(await effects(project)).toEqual(before);
    expect(await customFields(project)).toEqual({ "data.plan": ["string", 1] });
  });
});
