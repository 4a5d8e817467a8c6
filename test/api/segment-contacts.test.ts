import { describe, expect, it } from "vitest";
import { idSql } from "../support/counts";
import { bearer, call, newProject, type TestProject } from "../support/project";
import { expectInvalid, expectRefusal, isoTime } from "../support/refusal";
import { addMembers, isPro, membersOf, newContact, newSegment, only } from "../support/segment";

const nowhere = "0199a0f2-7a10-7d31-8c42-9e5f6a7b8c9d";

/** Contacts number `first` to `count` straight into the table, of which every `proEvery`th is on the pro plan. */
async function addContacts(
  project: TestProject,
  count: number,
  { proEvery, first = 0 }: { proEvery: number; first?: number },
): Promise<void> {
  for (let from = first; from < count; from += 10_000) {
    await project.db
      .prepare(
        `INSERT INTO contacts (project_id, id, email, subscribed, data, created_at, updated_at)
        WITH RECURSIVE n(i) AS (SELECT ?2 UNION ALL SELECT i + 1 FROM n WHERE i < ?3 - 1)
        SELECT ?1, ${idSql("i")}, printf('%d@example.com', i), 1, iif(i % ?4 = 0, '{"plan":"pro"}', '{}'), i, i FROM n`,
      )
      .bind(project.id, from, Math.min(count, from + 10_000), proEvery)
      .run();
  }
}

async function track(project: TestProject, email: string, event: string): Promise<void> {
  expect((await call("POST", "/v1/track", { email, event }, bearer(project.keys.public))).status).toBe(200);
}

describe("GET /segments/{id}/contacts", () => {
  it("lists who matches at this moment, newest first", async () => {
    const project = await newProject();
    const { id } = await newSegment(project);
    const [ada, bob, eve] = [
      await newContact(project, "ada@example.com", { data: { plan: "pro" } }),
      await newContact(project, "bob@example.com", { data: { plan: "free" } }),
      await newContact(project, "eve@example.com", { data: { plan: "pro" } }),
    ];
    const { status, body } = await project.api.get(`/segments/${id}/contacts`);
    expect([status, body]).toEqual([200, { data: [eve, ada], total: 2, page: 1, pageSize: 20 }]);
    expect((await project.api.get(`/segments/${id}/contacts?page=2&pageSize=1`)).body).toEqual({
      data: [ada],
      total: 2,
      page: 2,
      pageSize: 1,
    });
    expect((await project.api.get(`/segments/${id}/contacts?page=9&pageSize=1000`)).body).toEqual({
      data: [],
      total: 2,
      page: 9,
      pageSize: 100,
      warnings: [{ field: "pageSize", message: "The largest value is 100, which was used." }],
    });
    await project.api.patch(`/contacts/${bob.id}`, { data: { plan: "pro" } });
    expect(await membersOf(project, id)).toEqual(["eve@example.com", "bob@example.com", "ada@example.com"]);
    for (const query of ["page=0", "page=x", "pageSize=0", "pageSize=1.5"]) {
      const [field = ""] = query.split("=");
      expect((await project.api.get(`/segments/${id}/contacts?${query}`)).body.error.errors[0].field).toBe(field);
    }
  });

  it.each<[way: string, named: (id: string) => object]>([
    ["in the field", (id) => only(`segment.${id.toUpperCase()}`, "memberOfSegment")],
    ["as the value", (id) => only("segment", "memberOfSegment", id.toUpperCase())],
  ])("knows a segment by its id in upper case: %s", async (_, named) => {
    const project = await newProject();
    for (const name of ["ada", "bob"]) await newContact(project, `${name}@example.com`);
    const fixed = await newSegment(project, { name: "Fixed", type: "STATIC" });
    await addMembers(project, fixed.id, { emails: ["ada@example.com"] });
    const outer = await newSegment(project, { name: "Outer", condition: named(fixed.id) });
    expect(await membersOf(project, outer.id)).toEqual(["ada@example.com"]);
    expect((await project.api.delete(`/segments/${fixed.id}`)).status).toBe(409);
  });

  it("asks the members of the segments that a condition names", async () => {
    const project = await newProject();
    for (const name of ["ada", "bob", "eve"])
      await newContact(project, `${name}@example.com`, { data: { plan: "pro" } });
    const fixed = await newSegment(project, { name: "Fixed", type: "STATIC" });
    await addMembers(project, fixed.id, { emails: ["ada@example.com", "bob@example.com"] });
    const inFixed = only(`segment.${fixed.id}`, "memberOfSegment");
    const inner = await newSegment(project, { name: "Inner", condition: inFixed });
    const outside = await newSegment(project, {
      name: "Outside",
      condition: only("segment", "notMemberOfSegment", inner.id),
      trackMembership: true,
    });
    expect(outside.memberCount).toBe(1);
    expect(await membersOf(project, outside.id)).toEqual(["eve@example.com"]);
    // A tracked one that was never computed is asked by its condition, and its rows are asked once there are any.
    const last = await newSegment(project, { condition: only(`segment.${outside.id}`, "notMemberOfSegment") });
    expect(await membersOf(project, last.id)).toEqual(["bob@example.com", "ada@example.com"]);
    await project.api.post(`/segments/${outside.id}/compute`);
    await newContact(project, "new@example.com");
    expect(await membersOf(project, outside.id)).toEqual(["new@example.com", "eve@example.com"]);
    expect(await membersOf(project, last.id)).toEqual(["new@example.com", "bob@example.com", "ada@example.com"]);
  });

  it("pages through a large project, with a total that is exact where it can be", async () => {
    const project = await newProject();
    await addContacts(project, 25_000, { proEvery: 10_000 });
    const { id, memberCount } = await newSegment(project);
    expect(memberCount).toBe(3);
    const exact = await project.api.get(`/segments/${id}/contacts?pageSize=2&page=2`);
    expect(exact.body).toMatchObject({ data: [{ email: "0@example.com" }], total: 3 });
    expect(exact.body).not.toHaveProperty("approximate");

    await newContact(project, "new@example.com", { data: { plan: "pro" } });
    const first = await project.api.get(`/segments/${id}/contacts?pageSize=2`);
    expect(first.body).toMatchObject({
      data: [{ email: "new@example.com" }, { email: "20000@example.com" }],
      total: 3,
      approximate: true,
      countedAt: expect.stringMatching(isoTime),
    });
    // Whoever comes to the end has seen all.
    const last = await project.api.get(`/segments/${id}/contacts?pageSize=3&page=2`);
    expect(last.body).toMatchObject({ data: [{ email: "0@example.com" }], total: 4 });
    expect(last.body).not.toHaveProperty("approximate");
    expect((await project.api.get(`/segments/${id}/contacts?page=1000`)).body).toMatchObject({ data: [], total: 4 });

    const everyone = await newSegment(project, { condition: only("email", "exists") });
    for (const [page, email] of [
      [250, "1@example.com"],
      [251, "0@example.com"],
    ]) {
      const { body } = await project.api.get(`/segments/${everyone.id}/contacts?pageSize=100&page=${page}`);
      expect(body.data.at(-1).email).toBe(email);
    }
    expect((await project.api.post("/segments/preview", { condition: isPro })).body).toMatchObject({
      count: 4,
      sample: [{ email: "new@example.com" }, {}, {}, {}],
    });
  });

  it("pages through many members of a static segment", async () => {
    const project = await newProject();
    await addContacts(project, 25_010, { proEvery: 1 });
    const { id } = await newSegment(project, { type: "STATIC" });
    await project.db
      .prepare("INSERT INTO segment_members SELECT project_id, ?2, id, 0 FROM contacts WHERE project_id = ?1")
      .bind(project.id, id)
      .run();
    expect((await project.api.post(`/segments/${id}/refresh`)).body).toEqual({ memberCount: 25_010 });
    const { body } = await project.api.get(`/segments/${id}/contacts?pageSize=100&page=251`);
    expect(body).toMatchObject({ total: 25_010, page: 251 });
    expect(body.data.map(({ email }: { email: string }) => email)).toEqual(
      Array.from({ length: 10 }, (_, i) => `${9 - i}@example.com`),
    );
    expect(await membersOf(project, id, "?pageSize=1")).toEqual(["25009@example.com"]);
    expect(await membersOf(project, id, "?pageSize=100&page=252")).toEqual([]);
  });
});

describe("POST /segments/preview", () => {
  it("counts who matches, with a sample of the newest, and stores nothing", async () => {
    const project = await newProject();
    for (let i = 0; i < 12; i++) await newContact(project, `c${i}@example.com`, { data: { plan: i ? "pro" : "free" } });
    const { status, body } = await project.api.post("/segments/preview", { condition: isPro });
    expect([status, body.count, Object.keys(body)]).toEqual([200, 11, ["count", "sample"]]);
    expect(body.sample.map(({ email }: { email: string }) => email)).toEqual(
      Array.from({ length: 10 }, (_, i) => `c${11 - i}@example.com`),
    );
    expect((await project.api.get("/segments")).body).toEqual([]);
  });

  it("is exact up to 250,000 contacts, and above never says 0 of those it did not scan", async () => {
    const project = await newProject();
    await addContacts(project, 250_000, { proEvery: 10 });
    const preview = async (condition: object) =>
      (await project.api.post("/segments/preview", { condition })).body as Record<string, unknown> & {
        sample: { email: string }[];
      };
    const oldest = (count: number) => only("createdAt", "lessThan", new Date(count).toISOString());
    const newestOf = (count: number) => Array.from({ length: 10 }, (_, i) => `${count - 1 - i}@example.com`);

    const few = await preview(oldest(1_500));
    expect([few.count, Object.keys(few)]).toEqual([1_500, ["count", "sample"]]);
    expect(few.sample.map(({ email }) => email)).toEqual(newestOf(1_500));
    expect(await preview(oldest(0))).toEqual({ count: 0, sample: [] });

    await addContacts(project, 260_000, { proEvery: 10, first: 250_000 });
    const pro = await preview(isPro);
    expect(pro).toMatchObject({ count: 26_000, approximate: true });
    expect(pro.sample.map(({ email }) => email)).toEqual(
      Array.from({ length: 10 }, (_, i) => `${259_990 - 10 * i}@example.com`),
    );
    // It scans 12,500 of each 13,000: the newest 9,500 of these.
    const many = await preview(oldest(10_000));
    expect(many).toMatchObject({ count: 9_880, approximate: true });
    expect(many).not.toHaveProperty("atLeast");
    expect(many.sample.map(({ email }) => email)).toEqual(newestOf(10_000));
    expect(await preview(oldest(400))).toEqual({ count: null, atLeast: 0, sample: [], approximate: true });
    // What is looked up is exact in a project of any size.
    expect(await preview(only("email", "equals", "nobody@example.com"))).toEqual({ count: 0, sample: [] });
    expect(await preview(only("email", "equals", "7@example.com"))).toMatchObject({ count: 1 });
  });

  it.each<[string, unknown, string, string]>([
    ["no condition", {}, "condition", "required"],
    ["a text", { condition: "x" }, "condition", "invalid_type"],
    ["an unsound one", { condition: only("plan", "exists") }, "condition.groups.0.filters.0.field", "custom"],
    [
      "an unknown segment",
      { condition: only(`segment.${nowhere}`, "memberOfSegment") },
      "condition.groups.0.filters.0.field",
      "custom",
    ],
  ])("refuses %s", async (_, body, field, code) => {
    const project = await newProject();
    expectInvalid(await project.api.post("/segments/preview", body), field, code);
  });
});

describe("POST /segments/{id}/explain", () => {
  it("says of each filter whether it holds, and what the contact has", async () => {
    const project = await newProject();
    const data = { plan: "free", age: 42, profile: { tier: "gold" } };
    const ada = await newContact(project, "ada@example.com", { data });
    const fixed = await newSegment(project, { name: "Fixed", type: "STATIC" });
    await addMembers(project, fixed.id, { emails: ["ada@example.com"] });
    await track(project, "ada@example.com", "purchase");
    const [purchase] = (await project.api.get("/events?name=purchase")).body.data;
    const condition = {
      logic: "OR",
      groups: [
        {
          filters: [
            { field: "data.plan", operator: "equals", value: "pro" },
            { field: "data.age", operator: "greaterThan", value: 40 },
          ],
        },
        {
          filters: [{ field: "data.profile.tier", operator: "equals", value: "gold" }],
          conditions: {
            logic: "AND",
            groups: [
              { filters: [{ field: "event.purchase", operator: "triggeredWithin", value: 1, unit: "hours" }] },
              { filters: [{ field: "refund", operator: "notTriggered" }] },
              { filters: [{ field: `segment.${fixed.id}`, operator: "notMemberOfSegment" }] },
              { filters: [{ field: "data.city", operator: "notExists" }] },
              { filters: [{ field: "source", operator: "equals", value: "IMPORT" }] },
            ],
          },
        },
      ],
    };
    const { id } = await newSegment(project, { condition });
    const { status, body } = await project.api.post(`/segments/${id}/explain`, { contactId: ada.id });
    expect(status).toBe(200);
    expect(body).toEqual({
      contactId: ada.id,
      matches: false,
      condition: {
        logic: "OR",
        groups: [
          {
            filters: [
              { field: "data.plan", operator: "equals", value: "pro", matches: false, actual: "free" },
              { field: "data.age", operator: "greaterThan", value: 40, matches: true, actual: 42 },
            ],
          },
          {
            filters: [{ field: "data.profile.tier", operator: "equals", value: "gold", matches: true, actual: "gold" }],
            conditions: {
              logic: "AND",
              groups: [
                {
                  filters: [
                    {
                      field: "event.purchase",
                      operator: "triggeredWithin",
                      value: 1,
                      unit: "hours",
                      matches: true,
                      actual: purchase.createdAt,
                    },
                  ],
                },
                { filters: [{ field: "refund", operator: "notTriggered", matches: true, actual: null }] },
                {
                  filters: [
                    { field: `segment.${fixed.id}`, operator: "notMemberOfSegment", matches: false, actual: true },
                  ],
                },
                { filters: [{ field: "data.city", operator: "notExists", matches: true, actual: null }] },
                { filters: [{ field: "source", operator: "equals", value: "IMPORT", matches: false, actual: "API" }] },
              ],
            },
          },
        ],
      },
    });
    await project.api.patch(`/contacts/${ada.id}`, { data: { plan: "pro" } });
    const now = await project.api.post(`/segments/${id}/explain`, { contactId: ada.id });
    expect([now.body.matches, now.body.condition.groups[0].filters[0].matches]).toEqual([true, true]);
  });

  it("takes an address in the place of an id, and one of the two", async () => {
    const project = await newProject();
    const { id } = await newSegment(project);
    const ada = await newContact(project, "ada@example.com", { data: { plan: "pro" } });
    const explain = (body: object) => project.api.post(`/segments/${id}/explain`, body);
    expect((await explain({ email: "Ada@Example.com" })).body).toMatchObject({ contactId: ada.id, matches: true });
    expectInvalid(await explain({}), "contactId", "required");
    expectInvalid(await explain({ contactId: ada.id, email: "ada@example.com" }), "email", "custom");
    expectRefusal(await explain({ email: "bob@example.com" }), 404, "CONTACT_NOT_FOUND", {
      details: { resource: "contact", id: "bob@example.com" },
    });
  });

  it("says of a STATIC segment whether the contact is in it", async () => {
    const project = await newProject();
    const { id } = await newSegment(project, { type: "STATIC" });
    const ada = await newContact(project, "ada@example.com");
    const explain = async () => (await project.api.post(`/segments/${id}/explain`, { contactId: ada.id })).body;
    expect(await explain()).toEqual({ contactId: ada.id, matches: false, condition: null });
    await addMembers(project, id, { emails: ["ada@example.com"] });
    expect(await explain()).toEqual({ contactId: ada.id, matches: true, condition: null });
  });

  it("takes the largest condition there may be", async () => {
    const project = await newProject();
    const ada = await newContact(project, "ada@example.com", { data: { f7: 1 } });
    const filters = (from: number, count: number) =>
      Array.from({ length: count }, (_, i) => ({ field: `data.f${from + i}`, operator: "equals", value: 1 }));
    const inner = await newSegment(project, {
      name: "Inner",
      condition: { logic: "OR", groups: filters(0, 50).map((filter) => ({ filters: [filter] })) },
    });
    const condition = {
      logic: "OR",
      groups: [
        { filters: [...filters(50, 49), { field: `segment.${inner.id}`, operator: "memberOfSegment" }] },
        { filters: filters(99, 2) },
      ],
    };
    expect((await project.api.post("/segments", { name: "Too large", condition })).status).toBe(422);
    const { id } = await newSegment(project, { condition: { logic: "OR", groups: condition.groups.slice(0, 1) } });
    const { body } = await project.api.post(`/segments/${id}/explain`, { contactId: ada.id });
    expect(body.matches).toBe(false);
    expect(body.condition.groups[0].filters).toHaveLength(50);
    expect(body.condition.groups[0].filters.at(-1)).toMatchObject({ matches: true, actual: true });

    const all = await newSegment(project, { condition: { logic: "OR", groups: [{ filters: filters(0, 100) }] } });
    const whole = await project.api.post(`/segments/${all.id}/explain`, { contactId: ada.id });
    const matching = whole.body.condition.groups[0].filters.filter(({ matches }: { matches: boolean }) => matches);
    expect(matching).toEqual([{ field: "data.f7", operator: "equals", value: 1, matches: true, actual: 1 }]);

    // The filter with the longest text in SQL, on a name that is a key or a path.
    const longest = Array.from({ length: 100 }, (_, i) => ({
      field: `data.a.b${i}`,
      operator: "notContains",
      value: "x",
    }));
    const longestOne = await newSegment(project, { condition: { logic: "OR", groups: [{ filters: longest }] } });
    const explained = await project.api.post(`/segments/${longestOne.id}/explain`, { contactId: ada.id });
    expect([explained.status, explained.body.condition?.groups[0].filters.length]).toEqual([200, 100]);
  });

  it("is 404 for a contact that is not there, or another project's", async () => {
    const [project, other] = [await newProject(), await newProject()];
    const foreign = await newContact(other, "ada@example.com");
    const { id } = await newSegment(project);
    for (const contactId of [nowhere, "nope", foreign.id]) {
      const answer = await project.api.post(`/segments/${id}/explain`, { contactId });
      expectRefusal(answer, 404, "CONTACT_NOT_FOUND", { details: { resource: "contact", id: contactId } });
    }
    expectInvalid(await project.api.post(`/segments/${id}/explain`, {}), "contactId", "required");
  });
});
