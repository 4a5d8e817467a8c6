import { describe, expect, it } from "vitest";
import { newProject, type TestProject } from "../support/project";
import { expectInvalid, expectRefusal } from "../support/refusal";
import { eventCounts } from "../support/rows";
import { addMembers, membersOf, newContact, newSegment, removeMembers } from "../support/segment";

async function memberCount(project: TestProject, id: string): Promise<number> {
  return (await project.api.get(`/segments/${id}`)).body.memberCount;
}

const addresses = (count: number) => Array.from({ length: count }, (_, i) => `c${i}@example.com`);

describe("POST /segments/{id}/members", () => {
  it("puts contacts in, each once, and says which addresses it does not know", async () => {
    const project = await newProject();
    await newContact(project, "ada@example.com");
    await newContact(project, "bob@example.com");
    const { id, memberCount: none } = await newSegment(project, { type: "STATIC" });
    expect(none).toBe(0);
    const emails = [" Ada@Example.com", "ada@example.com", "Eve@example.com", "Eve@example.com", "bob@example.com"];
    const { status, body } = await addMembers(project, id, { emails });
    expect(status).toBe(200);
    expect(body).toEqual({ added: 2, created: 0, alreadyMembers: 0, notFound: ["Eve@example.com"] });
    expect(await membersOf(project, id)).toEqual(["bob@example.com", "ada@example.com"]);
    expect((await addMembers(project, id, { emails: ["ada@example.com"] })).body).toEqual({
      added: 0,
      created: 0,
      alreadyMembers: 1,
      notFound: [],
    });
    expect(await memberCount(project, id)).toBe(2);
    // It is not tracked.
    expect(await eventCounts(project)).toEqual({});
    expect((await project.api.get("/contacts")).body.total).toBe(2);
  });

  it("creates who is missing, and leaves those who are there as they are", async () => {
    const project = await newProject();
    const ada = await newContact(project, "ada@example.com", { subscribed: false, data: { plan: "pro" } });
    const { id } = await newSegment(project, { type: "STATIC", trackMembership: true });
    const emails = ["ada@example.com", "new@example.com"];
    const { body } = await addMembers(project, id, { emails, createMissing: true });
    expect(body).toEqual({ added: 2, created: 1, alreadyMembers: 0, notFound: [] });
    expect((await project.api.get(`/contacts/${ada.id}`)).body).toEqual(ada);
    const [created] = (await project.api.get("/contacts?email=new@example.com")).body.data;
    expect(created).toMatchObject({ subscribed: true, data: {} });

    const quiet = { emails: ["ada@example.com", "quiet@example.com"], createMissing: true, subscribed: false };
    expect((await addMembers(project, id, quiet)).body).toMatchObject({ added: 1, created: 1, alreadyMembers: 1 });
    const loud = { emails: ["ada@example.com", "loud@example.com"], createMissing: true, subscribed: true };
    expect((await addMembers(project, id, loud)).body).toMatchObject({ added: 1, created: 1, alreadyMembers: 1 });
    const { results } = await project.db
      .prepare(
        "SELECT email, subscribed, opted_out_at IS NOT NULL AS has_left FROM contacts WHERE project_id = ? ORDER BY email",
      )
      .bind(project.id)
      .all();
    expect(results.map((row) => Object.values(row))).toEqual([
      ["ada@example.com", 0, 1],
      ["loud@example.com", 1, 0],
      ["new@example.com", 1, 0],
      ["quiet@example.com", 0, 1],
    ]);
    expect(await eventCounts(project)).toEqual({ "segment.pro.entry": 4 });
  });

  it("tells of each who enters or leaves a tracked segment, exactly once when sixteen calls come at once", async () => {
    const project = await newProject();
    const emails = addresses(20);
    const { id } = await newSegment(project, { type: "STATIC", trackMembership: true });
    const sixteen = <T>(what: (at: number) => Promise<T>) => Promise.all(Array.from({ length: 16 }, (_, i) => what(i)));
    const added = await sixteen((i) => addMembers(project, id, { emails: emails.slice(i), createMissing: true }));
    expect(added.map(({ status }) => status)).toEqual(added.map(() => 200));
    const sum = (key: string) => added.reduce((total, { body }) => total + body[key], 0);
    expect([sum("added"), sum("created")]).toEqual([20, 20]);
    expect([await memberCount(project, id), await eventCounts(project)]).toEqual([20, { "segment.pro.entry": 20 }]);
    const { data } = (await project.api.get("/events?name=segment.pro.entry&limit=1")).body;
    expect(data[0].data).toEqual({ segmentId: id, segmentName: "Pro" });

    const removed = await sixteen((i) => removeMembers(project, id, { emails: emails.slice(i) }));
    expect(removed.map(({ status }) => status)).toEqual(removed.map(() => 200));
    expect(removed.reduce((total, { body }) => total + body.removed, 0)).toBe(20);
    expect([await memberCount(project, id), await eventCounts(project)]).toEqual([
      0,
      { "segment.pro.entry": 20, "segment.pro.exit": 20 },
    ]);
  });

  it.each<[string, unknown, string, string]>([
    ["no emails", {}, "emails", "required"],
    ["an empty list", { emails: [] }, "emails", "too_small"],
    ["501 addresses", { emails: addresses(501) }, "emails", "too_big"],
    ["what is no address", { emails: ["ada@example.com", "nope"] }, "emails.1", "invalid_string"],
    ["a number", { emails: [42] }, "emails.0", "invalid_type"],
    ["a text for a flag", { emails: ["a@example.com"], createMissing: "yes" }, "createMissing", "invalid_type"],
    ["another", { emails: ["a@example.com"], subscribed: "no" }, "subscribed", "invalid_type"],
  ])("refuses %s", async (_, body, field, code) => {
    const project = await newProject();
    const { id } = await newSegment(project, { type: "STATIC" });
    expectInvalid(await addMembers(project, id, body), field, code);
    if (!/createMissing|subscribed/.test(field)) expectInvalid(await removeMembers(project, id, body), field, code);
    expect([await memberCount(project, id), (await project.api.get("/contacts")).body.total]).toEqual([0, 0]);
  });

  it("takes 500 addresses", async () => {
    const project = await newProject();
    const { id } = await newSegment(project, { type: "STATIC", trackMembership: true });
    const { body } = await addMembers(project, id, { emails: addresses(500), createMissing: true });
    expect(body).toEqual({ added: 500, created: 500, alreadyMembers: 0, notFound: [] });
    expect(await eventCounts(project)).toEqual({ "segment.pro.entry": 500 });
  });

  it("is 400 for a DYNAMIC segment", async () => {
    const project = await newProject();
    await newContact(project, "ada@example.com");
    const { id } = await newSegment(project);
    const body = { emails: ["ada@example.com", "new@example.com"], createMissing: true };
    expectRefusal(await addMembers(project, id, body), 400, "BAD_REQUEST");
    expectRefusal(await removeMembers(project, id, body), 400, "BAD_REQUEST");
    expect((await project.api.get("/contacts")).body.total).toBe(1);
  });
});

describe("DELETE /segments/{id}/members", () => {
  it("takes contacts out, and tells who is no contact from who is no member", async () => {
    const project = await newProject();
    const { id } = await newSegment(project, { type: "STATIC", trackMembership: true });
    await addMembers(project, id, { emails: addresses(3), createMissing: true });
    await newContact(project, "bob@example.com");
    const emails = ["c0@example.com", "C1@example.com", "bob@example.com", "Eve@example.com"];
    const { status, body } = await removeMembers(project, id, { emails });
    expect([status, body]).toEqual([200, { removed: 2, notFound: ["Eve@example.com"] }]);
    expect(await membersOf(project, id)).toEqual(["c2@example.com"]);
    expect(await memberCount(project, id)).toBe(1);
    expect(await eventCounts(project)).toEqual({ "segment.pro.entry": 3, "segment.pro.exit": 2 });
    expect((await project.api.get("/contacts")).body.total).toBe(4);
  });

  it("needs a body", async () => {
    const project = await newProject();
    const { id } = await newSegment(project, { type: "STATIC" });
    expect([400, 422]).toContain((await removeMembers(project, id)).status);
    expectRefusal(await removeMembers(project, id, "{"), 400, "BAD_REQUEST");
  });
});

it("a contact that is erased is out of its segments, and nobody is told", async () => {
  const project = await newProject();
  const ada = await newContact(project, "ada@example.com");
  const { id } = await newSegment(project, { type: "STATIC", trackMembership: true });
  const other = await newSegment(project, { name: "Other", type: "STATIC" });
  for (const segment of [id, other.id]) {
    await addMembers(project, segment, { emails: ["ada@example.com", "bob@example.com"], createMissing: true });
  }
  const { segments } = (await project.api.get(`/contacts/${ada.id}/export`)).body;
  expect(segments).toEqual([
    { id, name: "Pro" },
    { id: other.id, name: "Other" },
  ]);
  expect((await project.api.delete(`/contacts/${ada.id}`)).status).toBe(204);
  expect([await memberCount(project, id), await memberCount(project, other.id)]).toEqual([1, 1]);
  expect(await membersOf(project, id)).toEqual(["bob@example.com"]);
  expect(await eventCounts(project)).toEqual({ "segment.pro.entry": 2 });
});
