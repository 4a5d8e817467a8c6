import { describe, expect, it } from "vitest";
import { addContacts } from "../support/campaign";
import { admin, call, newProject, type TestProject } from "../support/project";
import { expectInvalid, expectRefusal } from "../support/refusal";
import { addMembers, isPro, newContact, newSegment, only } from "../support/segment";

async function query({ api }: TestProject, body: object) {
  const answer = await api.post("/contacts/query", body);
  expect(answer.status, JSON.stringify(answer.body)).toBe(200);
  return answer.body;
}

const addresses = (page: { data: { email: string }[] }) => page.data.map(({ email }) => email);

async function set() {
  const project = await newProject();
  for (const name of ["ada", "bob", "cyd", "dan"]) {
    await newContact(project, `${name}@example.com`, { data: { plan: name === "bob" ? "free" : "pro" } });
  }
  return project;
}

describe("POST /contacts/query", () => {
  it("lists those who match, newest first, page by page, in either direction", async () => {
    const project = await set();
    const first = await query(project, { condition: isPro, limit: 2 });
    expect(first).toMatchObject({ hasMore: true, total: 3 });
    expect(first.approximate).toBeUndefined();
    expect(addresses(first)).toEqual(["dan@example.com", "cyd@example.com"]);
    const second = await query(project, { condition: isPro, limit: 2, cursor: first.cursor });
    expect(second).toMatchObject({ hasMore: false, cursor: "", total: 0 });
    expect(addresses(second)).toEqual(["ada@example.com"]);
    const oldest = await query(project, { condition: isPro, dir: "asc", limit: 1 });
    expect(addresses(oldest)).toEqual(["ada@example.com"]);
    const next = await query(project, { condition: isPro, dir: "asc", limit: 9, cursor: oldest.cursor });
    expect(addresses(next)).toEqual(["cyd@example.com", "dan@example.com"]);
    expect(Object.keys(first.data[0])).toContain("optedOutAt");
  });

  it("combines a condition with a part of the address, and is the list without a condition", async () => {
    const project = await set();
    expect(addresses(await query(project, { condition: isPro, search: " CY" }))).toEqual(["cyd@example.com"]);
    expect(addresses(await query(project, { search: "b" }))).toEqual(["bob@example.com"]);
    const all = await query(project, { sort: "email", dir: "asc", limit: 3 });
    expect([addresses(all), all.total]).toEqual([["ada@example.com", "bob@example.com", "cyd@example.com"], 4]);
    expect(addresses(await query(project, { sort: "email", dir: "asc", limit: 3, cursor: all.cursor }))).toEqual([
      "dan@example.com",
    ]);
  });

  it("lists those who match by their addresses, page by page, in either direction", async () => {
    const project = await set();
    const asked = { condition: isPro, sort: "email", dir: "asc", limit: 2 };
    const first = await query(project, asked);
    expect([addresses(first), first.total, first.hasMore]).toEqual([["ada@example.com", "cyd@example.com"], 3, true]);
    const second = await query(project, { ...asked, cursor: first.cursor });
    expect(second).toMatchObject({ hasMore: false, cursor: "", total: 0 });
    expect(addresses(second)).toEqual(["dan@example.com"]);
    const down = await query(project, { ...asked, dir: "desc", limit: 1 });
    expect(addresses(down)).toEqual(["dan@example.com"]);
    const rest = await query(project, { ...asked, dir: "desc", limit: 1, cursor: down.cursor });
    expect([addresses(rest), rest.hasMore]).toEqual([["cyd@example.com"], true]);
    expect(addresses(await query(project, { ...asked, search: " CY" }))).toEqual(["cyd@example.com"]);
    expect(await query(project, { ...asked, condition: only("email", "equals", "x@example.com") })).toMatchObject({
      ...{ data: [], cursor: "", total: 0 },
    });
    expectRefusal(
      await project.api.post("/contacts/query", { ...asked, sort: "createdAt", cursor: first.cursor }),
      400,
      "BAD_REQUEST",
    );
  });

  it("comes to everybody by address, however few of each window match", async () => {
    const project = await newProject();
    await addContacts(project, 30_000, { subscribed: 0 });
    for (const name of ["aa", "mm", "zz"]) await newContact(project, `${name}@example.com`);
    const asked = { condition: only("subscribed", "equals", true), sort: "email", dir: "asc", limit: 1 };
    const seen: string[] = [];
    for (let page = await query(project, asked); ; page = await query(project, { ...asked, cursor: page.cursor })) {
      seen.push(...addresses(page));
      if (!page.hasMore) break;
    }
    expect(seen).toEqual(["aa@example.com", "mm@example.com", "zz@example.com"]);
  });

  it("comes to everybody, however many of them match", async () => {
    const project = await newProject();
    await addContacts(project, 3_000);
    await addContacts(project, 1_500, { subscribed: 0 });
    const condition = only("subscribed", "equals", true);
    const seen = new Set<string>();
    let page = await query(project, { condition, limit: 100 });
    expect(page.total).toBe(3_000);
    for (;;) {
      for (const email of addresses(page)) seen.add(email);
      if (!page.hasMore) break;
      page = await query(project, { condition, limit: 100, cursor: page.cursor });
    }
    expect(seen.size).toBe(3_000);
  });

  it("says that a limit is too large, and refuses what it cannot do", async () => {
    const project = await set();
    expect(await query(project, { condition: isPro, limit: 500 })).toMatchObject({
      warnings: [{ field: "limit", message: "The largest value is 100, which was used." }],
    });
    const refused = (body: object) => project.api.post("/contacts/query", body);
    expectInvalid(await refused({ limit: 0 }), "limit", "too_small");
    expectInvalid(await refused({ condition: { logic: "AND", groups: [] } }), "condition.groups", "too_small");
    // As in the query of a list, any other value counts as the default.
    expect(addresses(await query(project, { sort: "age", dir: "up", limit: 1 }))).toEqual(["dan@example.com"]);
    const { cursor } = await query(project, { condition: isPro, limit: 1 });
    expectRefusal(await refused({ condition: isPro, search: "a", cursor }), 400, "BAD_REQUEST");
    expectRefusal(await refused({ condition: isPro, cursor: "nope" }), 400, "BAD_REQUEST");
  });

  it("knows no segment and nobody of another project, and takes a key that only reads", async () => {
    const [project, other] = [await set(), await newProject()];
    const foreign = await newSegment(other);
    const condition = only(`segment.${foreign.id}`, "memberOfSegment");
    expect((await project.api.post("/contacts/query", { condition })).status).toBe(422);
    expect(await query(other, { condition: isPro })).toMatchObject({ data: [], total: 0 });
    const { body } = await admin.post(`/admin/projects/${project.id}/keys`, { kind: "read" });
    const headers = { Authorization: `Bearer ${body.key}` };
    expect((await call("POST", "/contacts/query", { condition: isPro }, { headers })).status).toBe(200);
  });
});

describe("GET /contacts/{id}/segments", () => {
  it("lists static and tracked segments by their members, and others by the contact as it is now", async () => {
    const project = await set();
    const ada = (await project.api.get("/contacts?email=ada@example.com")).body.data[0];
    const pro = await newSegment(project, { name: "Pro" });
    const free = await newSegment(project, { name: "Free", condition: only("data.plan", "equals", "free") });
    const vip = await newSegment(project, { name: "Vip", type: "STATIC", condition: undefined });
    await newSegment(project, { name: "Empty", type: "STATIC", condition: undefined });
    await addMembers(project, vip.id, { emails: ["ada@example.com"] });
    const nested = await newSegment(project, {
      name: "Both",
      condition: {
        logic: "AND",
        groups: [
          {
            filters: [
              { field: `segment.${pro.id}`, operator: "memberOfSegment" },
              { field: `segment.${vip.id}`, operator: "memberOfSegment" },
            ],
          },
        ],
      },
    });
    const { body } = await project.api.get(`/contacts/${ada.id}/segments`);
    expect(body).toEqual({
      data: [
        { id: nested.id, name: "Both", slug: "both", type: "DYNAMIC", since: null },
        { id: vip.id, name: "Vip", slug: "vip", type: "STATIC", since: expect.stringMatching(/Z$/) },
        { id: pro.id, name: "Pro", slug: "pro", type: "DYNAMIC", since: null },
      ],
    });
    const bob = (await project.api.get("/contacts?email=bob@example.com")).body.data[0];
    const ofBob = (await project.api.get(`/contacts/${bob.id}/segments`)).body;
    expect(ofBob.data.map(({ id }: { id: string }) => id)).toEqual([free.id]);
  });

  it("asks many segments, and is 404 for another project's contact", async () => {
    const [project, other] = [await set(), await newProject()];
    const ada = (await project.api.get("/contacts?email=ada@example.com")).body.data[0];
    for (let n = 0; n < 60; n++) {
      await newSegment(project, { name: `s${n}`, condition: only("data.plan", "equals", n % 2 ? "pro" : "free") });
    }
    const { body } = await project.api.get(`/contacts/${ada.id}/segments`);
    expect(body.data).toHaveLength(30);
    const answer = await other.api.get(`/contacts/${ada.id}/segments`);
    expectRefusal(answer, 404, "CONTACT_NOT_FOUND", { details: { resource: "contact", id: ada.id } });
  });
});
