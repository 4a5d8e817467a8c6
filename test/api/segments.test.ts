import { describe, expect, it } from "vitest";
import { idSql } from "../support/counts";
import { type Answer, admin, bearer, call, newProject, type TestProject } from "../support/project";
import { expectInvalid, expectLegacy, expectRefusal, isoTime, uuid } from "../support/refusal";
import { eventCounts } from "../support/rows";
import { addMembers, isPro, newContact, newSegment, only, removeMembers } from "../support/segment";

type Fields = Record<string, unknown>;

const nowhere = "0199a0f2-7a10-7d31-8c42-9e5f6a7b8c9d";
const long = (length: number) => "x".repeat(length);

async function rowsOf(project: TestProject, table: string): Promise<Fields[]> {
  const { results } = await project.db.prepare(`SELECT * FROM ${table} WHERE project_id = ?`).bind(project.id).all();
  return results;
}

async function referencesOf(project: TestProject): Promise<unknown[]> {
  const rows = await rowsOf(project, "audience_references");
  return rows.map(({ kind, name, referrer_name }) => [kind, name, referrer_name]).toSorted();
}

function manyFilters(count: number) {
  const filters = Array.from({ length: count }, (_, i) => ({ field: `data.f${i}`, operator: "exists" }));
  return { logic: "OR", groups: [{ filters }] };
}

describe("POST /segments", () => {
  it("makes a DYNAMIC segment, counted at once, and says what it names", async () => {
    const project = await newProject();
    await newContact(project, "ada@example.com", { data: { plan: "pro" } });
    await newContact(project, "bob@example.com", { data: { plan: "free" } });
    const { status, body } = await project.api.post("/segments", { name: "On the Pro plan", condition: isPro });
    expect(status).toBe(201);
    expect(body).toEqual({
      id: expect.stringMatching(uuid),
      name: "On the Pro plan",
      description: null,
      type: "DYNAMIC",
      slug: "on-the-pro-plan",
      condition: { logic: "AND", groups: [{ filters: [{ field: "data.plan", operator: "equals", value: "pro" }] }] },
      trackMembership: false,
      memberCount: 1,
      version: 1,
      projectId: project.id,
      createdAt: expect.stringMatching(isoTime),
      updatedAt: body.createdAt,
    });
    expect((await project.api.get(`/segments/${body.id}`)).body).toEqual(body);
    expect(await referencesOf(project)).toEqual([["field", "data.plan", "On the Pro plan"]]);
    const { usedInSegments } = (await project.api.get("/contacts/fields/data.plan/usage")).body;
    expect(usedInSegments).toEqual([{ id: body.id, name: "On the Pro plan" }]);
  });

  it("makes a STATIC segment, and ignores its condition, whatever it is", async () => {
    const project = await newProject();
    for (const condition of [isPro, { logic: "XOR" }, 42, undefined, null]) {
      const made = await newSegment(project, { type: "STATIC", condition });
      expect(made).toMatchObject({ type: "STATIC", condition: null, memberCount: 0 });
    }
    expect(await referencesOf(project)).toEqual([]);
  });

  it("writes neither members nor events for a tracked one, which is for its first computation", async () => {
    const project = await newProject();
    await newContact(project, "ada@example.com", { data: { plan: "pro" } });
    const { id, memberCount } = await newSegment(project, { trackMembership: true });
    expect([memberCount, await rowsOf(project, "segment_members"), await eventCounts(project)]).toEqual([1, [], {}]);
    const { body } = await project.api.post(`/segments/${id}/compute`);
    expect(body).toEqual({ added: 1, removed: 0, total: 1 });
    expect(await eventCounts(project)).toEqual({ "segment.pro.entry": 1 });
  });

  it.each<[string, Fields, string]>([
    ["name", { name: undefined }, "name"],
    ["a null name", { name: null }, "name"],
    ["an empty name", { name: "" }, "name"],
    ["condition", { condition: undefined }, "condition"],
    ["a null condition", { condition: null }, "condition"],
    ["a condition that is a text", { condition: "x", type: "DYNAMIC" }, "condition"],
    ["a condition that is a list", { condition: [isPro], type: null }, "condition"],
  ])("answers 400 { error } for want of %s", async (_, fields, field) => {
    const project = await newProject();
    const answer = await project.api.post("/segments", { name: "Pro", condition: isPro, ...fields });
    expectLegacy(answer, [field]);
    expect(await rowsOf(project, "segments")).toEqual([]);
  });

  it("is 400 when the body is no JSON, and 422 when it is no object", async () => {
    const project = await newProject();
    expectRefusal(await project.api.post("/segments", "{"), 400, "BAD_REQUEST");
    expect((await project.api.post("/segments", [])).status).toBe(422);
  });

  const within = (fields: Fields) => ({
    logic: "AND",
    groups: [{ filters: [{ field: "data.plan", operator: "exists" }, fields] }],
  });
  it.each<[string, Fields, string, string]>([
    ["a name of 101 characters", { name: long(101) }, "name", "too_big"],
    ["a name that is a number", { name: 42 }, "name", "invalid_type"],
    ["a name that cannot be stored", { name: "a\0" }, "name", "invalid_string"],
    ["a description of 501", { description: long(501) }, "description", "too_big"],
    ["half a character", { description: "a\ud800" }, "description", "invalid_string"],
    ["a type that is none", { type: "MAGIC" }, "type", "invalid_enum_value"],
    ["trackMembership that is a text", { trackMembership: "yes" }, "trackMembership", "invalid_type"],
    ["a condition without logic", { condition: { groups: isPro.groups } }, "condition.logic", "required"],
    ["no groups", { condition: { logic: "AND", groups: [] } }, "condition.groups", "too_small"],
    ["an empty group", { condition: { logic: "AND", groups: [{ filters: [] }] } }, "condition.groups.0", "too_small"],
    [
      "a window without a unit",
      { condition: within({ field: "purchase", operator: "triggeredWithin", value: 1 }) },
      "condition.groups.0.filters.1.unit",
      "required",
    ],
    [
      "an unknown operator",
      { condition: within({ field: "email", operator: "like", value: "x" }) },
      "condition.groups.0.filters.1.operator",
      "invalid_enum_value",
    ],
    [
      "a field that is none",
      { condition: within({ field: "plan", operator: "exists" }) },
      "condition.groups.0.filters.1.field",
      "custom",
    ],
    ["101 filters", { condition: manyFilters(101) }, "condition", "too_big"],
    [
      "an unknown segment",
      { condition: within({ field: `segment.${nowhere}`, operator: "memberOfSegment" }) },
      "condition.groups.0.filters.1.field",
      "custom",
    ],
    [
      "an unknown segment as the value",
      { condition: within({ field: "segment", operator: "notMemberOfSegment", value: "nope" }) },
      "condition.groups.0.filters.1.value",
      "custom",
    ],
  ])("refuses %s", async (_, fields, field, code) => {
    const project = await newProject();
    expectInvalid(await project.api.post("/segments", { name: "Pro", condition: isPro, ...fields }), field, code);
    expect([await rowsOf(project, "segments"), await referencesOf(project)]).toEqual([[], []]);
  });

  it("refuses another project's segment in its condition", async () => {
    const [project, other] = [await newProject(), await newProject()];
    const { id } = await newSegment(other);
    const condition = only(`segment.${id}`, "memberOfSegment");
    const answer = await project.api.post("/segments", { name: "Mine", condition });
    expectInvalid(answer, "condition.groups.0.filters.0.field", "custom");
    expect((await project.api.post("/segments/preview", { condition })).status).toBe(422);
  });

  it("counts the filters of the segments that a condition names, a tracked one's too", async () => {
    const project = await newProject();
    const { id } = await newSegment(project, { condition: manyFilters(60), trackMembership: true });
    const twice = {
      logic: "AND",
      groups: [{ filters: [1, 2].map(() => ({ field: `segment.${id}`, operator: "memberOfSegment" })) }],
    };
    expectInvalid(await project.api.post("/segments", { name: "Twice", condition: twice }), "condition", "too_big");
    await newSegment(project, { name: "Once", condition: only(`segment.${id}`, "memberOfSegment") });
  });

  it("gives each of sixteen that come at once with one name a slug of its own", async () => {
    const project = await newProject();
    const made = await Promise.all(Array.from({ length: 16 }, () => newSegment(project, { name: "V.I.P" })));
    const expected = ["vip", ...Array.from({ length: 15 }, (_, i) => `vip-${i + 2}`)];
    expect(made.map(({ slug }) => slug).toSorted()).toEqual(expected.toSorted());
    const [second] = made.filter(({ slug }) => slug === "vip-2");
    await project.api.delete(`/segments/${second.id}`);
    expect((await newSegment(project, { name: "VIP" })).slug).toBe("vip-2");
    expect((await newSegment(project, { name: "???" })).slug).toBe("segment");
  });

  it("refuses the one beyond 1,000", async () => {
    const project = await newProject();
    await project.db
      .prepare(
        `INSERT INTO segments (project_id, id, name, type, slug, track_membership, created_at, updated_at)
        WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 1000)
        SELECT ?1, ${idSql("i")}, 'S', 'STATIC', 's' || i, 0, 0, 0 FROM n`,
      )
      .bind(project.id)
      .run();
    expectRefusal(await project.api.post("/segments", { name: "Pro", condition: isPro }), 409, "CONFLICT");
    expect([(await project.api.get("/segments")).body.length, await referencesOf(project)]).toEqual([1_000, []]);
  });

  it("refuses a condition with which those of the project would come to more than 4 MB", async () => {
    const project = await newProject();
    const { id } = await newSegment(project);
    // 39 conditions that leave room for some 100 KB.
    await project.db
      .prepare(
        `INSERT INTO segments (project_id, id, name, type, slug, condition, track_membership, created_at, updated_at)
        SELECT ?1, ${idSql("n.value")}, 'Large', 'DYNAMIC', 'large-' || n.value, json_object('logic', 'AND', 'x', ?2), 0, 0, 0
        FROM json_each(?3) n`,
      )
      .bind(project.id, long(100_000), JSON.stringify(Array.from({ length: 39 }, (_, n) => n)))
      .run();
    const filters = Array.from({ length: 100 }, () => ({ field: "data.plan", operator: "equals", value: long(1_000) }));
    const large = { logic: "AND", groups: [{ filters }] };
    for (const answer of [
      await project.api.post("/segments", { name: "One more", condition: large }),
      await project.api.patch(`/segments/${id}`, { condition: large }),
    ]) {
      expectRefusal(answer, 409, "CONFLICT");
      expect(answer.body.error.message).toContain("4 MB");
    }
    expect((await project.api.get(`/segments/${id}`)).body.condition).toEqual(isPro);
    expect((await project.api.patch(`/segments/${id}`, { name: "Renamed" })).status).toBe(200);
    await newSegment(project, { name: "Small" });
  });
});

describe("GET /segments", () => {
  it("lists the project's own, newest first, without a wrapper", async () => {
    const [project, other] = [await newProject(), await newProject()];
    expect((await project.api.get("/segments")).body).toEqual([]);
    const one = await newSegment(project, { name: "One" });
    const two = await newSegment(project, { name: "Two", type: "STATIC" });
    await newSegment(other);
    const { status, body } = await project.api.get("/segments");
    expect([status, body]).toEqual([200, [two, one]]);
  });
});

describe("PATCH /segments/{id}", () => {
  it("changes what is sent, and keeps the slug", async () => {
    const project = await newProject();
    const made = await newSegment(project, { description: "Note" });
    const { status, body } = await project.api.patch(`/segments/${made.id}`, { name: "Payers" });
    expect(status).toBe(200);
    expect(body).toEqual({ ...made, name: "Payers", version: 2, updatedAt: expect.stringMatching(isoTime) });
    expect((await project.api.get(`/segments/${made.id}`)).body).toEqual(body);
    expect(await referencesOf(project)).toEqual([["field", "data.plan", "Payers"]]);
    expect((await project.api.patch(`/segments/${made.id}`, { description: "" })).body.description).toBeNull();
    // What it got is what it may be sent back.
    const same = (await project.api.get(`/segments/${made.id}`)).body;
    const sentBack = await project.api.patch(`/segments/${made.id}`, same);
    expect(sentBack.body).toEqual({ ...same, warnings: expect.any(Array) });
    expect((await project.api.patch(`/segments/${made.id}`, {})).body).toEqual(same);
    const fixed = await newSegment(project, { type: "STATIC" });
    expect((await project.api.patch(`/segments/${fixed.id}`, { ...fixed, name: "Fixed" })).body.name).toBe("Fixed");
  });

  it("counts anew, and says what it names now, when the condition changes", async () => {
    const project = await newProject();
    await newContact(project, "ada@example.com", { data: { plan: "pro" } });
    await newContact(project, "bob@example.com", { data: { plan: "free" } });
    const { id, memberCount } = await newSegment(project);
    expect(memberCount).toBe(1);
    const condition = {
      logic: "OR",
      groups: [
        { filters: [{ field: "data.plan", operator: "exists" }] },
        { filters: [{ field: "event.purchase", operator: "triggered" }] },
      ],
    };
    const { body } = await project.api.patch(`/segments/${id}`, { condition });
    expect(body).toMatchObject({ condition, memberCount: 2 });
    expect((await project.api.get(`/segments/${id}`)).body).toEqual(body);
    expect(await referencesOf(project)).toEqual([
      ["event", "purchase", "Pro"],
      ["field", "data.plan", "Pro"],
    ]);
  });

  it("takes the present members without events when tracking is switched on, and forgets it when off", async () => {
    const project = await newProject();
    const ada = await newContact(project, "ada@example.com", { data: { plan: "pro" } });
    const bob = await newContact(project, "bob@example.com");
    const { id } = await newSegment(project);
    const { body } = await project.api.patch(`/segments/${id}`, { trackMembership: true });
    expect(body.trackMembership).toBe(true);
    expect(await rowsOf(project, "segment_members")).toMatchObject([{ contact_id: ada.id }]);
    expect(await eventCounts(project)).toEqual({});
    await project.api.patch(`/contacts/${bob.id}`, { data: { plan: "pro" } });
    expect((await project.api.post(`/segments/${id}/compute`)).body).toEqual({ added: 1, removed: 0, total: 2 });
    expect(await eventCounts(project)).toEqual({ "segment.pro.entry": 1 });

    await project.api.patch(`/segments/${id}`, { trackMembership: false });
    await project.api.patch(`/contacts/${bob.id}`, { data: { plan: null } });
    expectRefusal(await project.api.post(`/segments/${id}/compute`), 400, "BAD_REQUEST");
    await project.api.patch(`/segments/${id}`, { trackMembership: true });
    expect(await rowsOf(project, "segment_members")).toMatchObject([{ contact_id: ada.id }]);
    expect(await eventCounts(project)).toEqual({ "segment.pro.entry": 1 });
  });

  it.each<[string, Fields, Fields, string, string]>([
    ["another type", {}, { type: "STATIC" }, "type", "custom"],
    ["a null condition", {}, { condition: null }, "condition", "invalid_type"],
    ["a condition for a STATIC one", { type: "STATIC" }, { condition: isPro }, "condition", "custom"],
    ["an empty name", {}, { name: "" }, "name", "too_small"],
    ["a null name", {}, { name: null }, "name", "invalid_type"],
    ["a long description", {}, { description: long(501) }, "description", "too_big"],
    ["a condition that is a text", {}, { condition: "x" }, "condition", "invalid_type"],
    ["an unsound one", {}, { condition: only("plan", "exists") }, "condition.groups.0.filters.0.field", "custom"],
  ])("refuses %s", async (_, fields, change, field, code) => {
    const project = await newProject();
    const made = await newSegment(project, fields);
    expectInvalid(await project.api.patch(`/segments/${made.id}`, { description: "x", ...change }), field, code);
    expect((await project.api.get(`/segments/${made.id}`)).body).toEqual(made);
  });

  it("refuses a condition that leads back to itself, also by way of a tracked segment", async () => {
    const project = await newProject();
    const made = await newSegment(project, { name: "A" });
    const inA = only(`segment.${made.id}`, "memberOfSegment");
    const tracked = await newSegment(project, { name: "B", condition: inA, trackMembership: true });
    await project.api.post(`/segments/${tracked.id}/compute`);
    const inB = await newSegment(project, { name: "C", condition: only("segment", "notMemberOfSegment", tracked.id) });
    for (const id of [made.id, tracked.id, inB.id]) {
      const condition = only(`segment.${id}`, "memberOfSegment");
      const answer = await project.api.patch(`/segments/${made.id}`, { condition });
      expectInvalid(answer, "condition.groups.0.filters.0.field", "custom");
    }
    expect((await project.api.get(`/segments/${made.id}`)).body).toEqual(made);
  });

  it("refuses one of two that are made to name each other at the same moment", async () => {
    const project = await newProject();
    for (let round = 0; round < 3; round++) {
      const [one, other] = [await newSegment(project), await newSegment(project)];
      const answers = await Promise.all([
        project.api.patch(`/segments/${one.id}`, { condition: only(`segment.${other.id}`, "memberOfSegment") }),
        project.api.patch(`/segments/${other.id}`, { condition: only(`segment.${one.id}`, "memberOfSegment") }),
      ]);
      expect(answers.map(({ status }) => status).toSorted()).toEqual([200, 422]);
    }
  });

  it("refuses what would be too much for a segment that names it", async () => {
    const project = await newProject();
    const inner = await newSegment(project);
    const { groups } = manyFilters(60);
    const names = { filters: [{ field: `segment.${inner.id}`, operator: "memberOfSegment" }] };
    await newSegment(project, { name: "Outer", condition: { logic: "OR", groups: [...groups, names] } });
    const answer = await project.api.patch(`/segments/${inner.id}`, { condition: manyFilters(50) });
    expectInvalid(answer, "condition", "too_big");
    expect(answer.body.error.errors[0].message).toContain("Outer");
    expect((await project.api.patch(`/segments/${inner.id}`, { condition: manyFilters(40) })).status).toBe(200);
  });

  it("keeps sixteen changes that come at once, and refuses none", async () => {
    const project = await newProject();
    const { id } = await newSegment(project);
    const change: Fields = { name: "N", description: "D", condition: only("email", "exists"), trackMembership: true };
    const fields = Object.keys(change);
    const answers = await Promise.all(
      Array.from({ length: 16 }, (_, index) => fields[index % fields.length] ?? "").map((field) =>
        project.api.patch(`/segments/${id}`, { [field]: change[field] }),
      ),
    );
    expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 200));
    expect((await project.api.get(`/segments/${id}`)).body).toMatchObject(change);
  });
});

describe("DELETE /segments/{id}", () => {
  it("removes the segment and what it named, keeps its members for a restore, and fires nothing", async () => {
    const project = await newProject();
    const ada = await newContact(project, "ada@example.com");
    const { id } = await newSegment(project, { type: "STATIC", trackMembership: true });
    await addMembers(project, id, { emails: ["ada@example.com"] });
    const before = await eventCounts(project);
    const dynamic = await newSegment(project);
    for (const segment of [id, dynamic.id]) {
      const answer = await project.api.delete(`/segments/${segment}`);
      expect([answer.status, answer.body]).toEqual([204, ""]);
      expect((await project.api.delete(`/segments/${segment}`)).status).toBe(404);
    }
    expect((await project.api.get("/segments")).body).toEqual([]);
    expect([(await rowsOf(project, "segment_members")).length, await referencesOf(project)]).toEqual([1, []]);
    expect(await eventCounts(project)).toEqual(before);
    expect((await project.api.get(`/contacts/${ada.id}`)).status).toBe(200);
  });

  it("is 409 while another segment or a campaign names it", async () => {
    const project = await newProject();
    const inner = await newSegment(project);
    const outer = await newSegment(project, {
      name: "Outer",
      condition: only(`segment.${inner.id}`, "memberOfSegment"),
    });
    const named = [{ id: outer.id, name: "Outer" }];
    expectRefusal(await project.api.delete(`/segments/${inner.id}`), 409, "CONFLICT", {
      details: { segments: named, campaigns: [], workflows: [] },
    });
    expect((await project.api.get(`/segments/${inner.id}`)).body).toEqual(inner);
    await project.api.delete(`/segments/${outer.id}`);

    await project.db
      .prepare("INSERT INTO audience_references VALUES (?, 'segment', ?, 'campaign', '!c1', 'News')")
      .bind(project.id, inner.id)
      .run();
    expectRefusal(await project.api.delete(`/segments/${inner.id}`), 409, "CONFLICT", {
      details: { segments: [], campaigns: [{ id: "c1", name: "News" }], workflows: [] },
    });
    await project.db.prepare("DELETE FROM audience_references WHERE project_id = ?").bind(project.id).run();
    expect((await project.api.delete(`/segments/${inner.id}`)).status).toBe(204);
  });

  it("never leaves a condition that names a segment which is gone", async () => {
    const project = await newProject();
    for (let round = 0; round < 3; round++) {
      const { id } = await newSegment(project);
      const condition = only(`segment.${id}`, "memberOfSegment");
      const [made, deleted] = await Promise.all([
        project.api.post("/segments", { name: "Outer", condition }),
        project.api.delete(`/segments/${id}`),
      ]);
      expect([
        [201, 409],
        [422, 204],
      ]).toContainEqual([made.status, deleted.status]);
    }
  });
});

describe("every operation on one segment", () => {
  const operations: [string, (project: TestProject, id: string) => Promise<Answer>][] = [
    ["GET", ({ api }, id) => api.get(`/segments/${id}`)],
    ["PATCH", ({ api }, id) => api.patch(`/segments/${id}`, { name: "Mine" })],
    ["DELETE", ({ api }, id) => api.delete(`/segments/${id}`)],
    ["contacts", ({ api }, id) => api.get(`/segments/${id}/contacts`)],
    ["add members", (project, id) => addMembers(project, id, { emails: ["a@example.com"], createMissing: true })],
    ["remove members", (project, id) => removeMembers(project, id, { emails: ["a@example.com"] })],
    ["compute", ({ api }, id) => api.post(`/segments/${id}/compute`)],
    ["refresh", ({ api }, id) => api.post(`/segments/${id}/refresh`)],
    ["explain", ({ api }, id) => api.post(`/segments/${id}/explain`, { contactId: nowhere })],
  ];

  it.each(operations)("%s: 404 for one that is not there, or another project's", async (_, operation) => {
    const [project, other] = [await newProject(), await newProject()];
    const foreign = await newSegment(other, { type: "STATIC" });
    for (const id of [nowhere, "nope", foreign.id]) {
      expectRefusal(await operation(project, id), 404, "SEGMENT_NOT_FOUND", { details: { resource: "segment", id } });
    }
    expect((await other.api.get(`/segments/${foreign.id}`)).body).toEqual(foreign);
    expect((await project.api.get("/contacts")).body.total).toBe(0);
  });

  it("reads in a disabled project, and changes nothing there", async () => {
    const project = await newProject();
    const ada = await newContact(project, "ada@example.com", { data: { plan: "pro" } });
    const { id } = await newSegment(project);
    await admin.patch(`/admin/projects/${project.id}`, { disabled: true });
    for (const answer of [
      await project.api.get("/segments"),
      await project.api.get(`/segments/${id}/contacts`),
      await project.api.post("/segments/preview", { condition: isPro }),
      await project.api.post(`/segments/${id}/explain`, { contactId: ada.id }),
    ]) {
      expect(answer.status).toBe(200);
    }
    for (const answer of [
      await project.api.post("/segments", { name: "Pro", condition: isPro }),
      await project.api.patch(`/segments/${id}`, { name: "Other" }),
      await project.api.delete(`/segments/${id}`),
      await addMembers(project, id, { emails: ["ada@example.com"] }),
      await removeMembers(project, id, { emails: ["ada@example.com"] }),
      await project.api.post(`/segments/${id}/compute`),
      await project.api.post(`/segments/${id}/refresh`),
    ]) {
      expectRefusal(answer, 403, "PROJECT_DISABLED");
    }
  });

  it("takes a secret key only", async () => {
    const project = await newProject();
    expectRefusal(await call("GET", "/segments"), 401, "INVALID_API_KEY");
    expectRefusal(await call("GET", "/segments", undefined, bearer(project.keys.public)), 401, "INVALID_API_KEY");
  });
});
