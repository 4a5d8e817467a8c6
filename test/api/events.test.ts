import { describe, expect, it } from "vitest";
import { addEvents, refer } from "../support/events";
import { admin, bearer, call, newProject, type TestProject } from "../support/project";
import { expectInvalid, expectRefusal, isoTime, uuid } from "../support/refusal";
import { eventCounts } from "../support/rows";

const nobody = "0199a0f2-6c1e-7b3a-9d54-0c8f6f1f2a10";
const day = (iso: string) => Date.parse(`${iso}T00:00:00Z`);

/** Tracks an event, and returns the ids. */
async function track(project: TestProject, event: string, email = "ada@example.com", data = {}) {
  const { status, body } = await project.api.post("/events/track", { email, event, data });
  expect(status, JSON.stringify(body)).toBe(200);
  return { id: body.data.event as string, contactId: body.data.contact as string };
}

/** Every page of a list; only the first one counts. */
async function allPages(project: TestProject, path: string, limit: number) {
  const ids: string[] = [];
  for (let cursor = "", total: number | null = null; ; total = 0) {
    const query = new URLSearchParams({ limit: String(limit), ...(cursor ? { cursor } : {}) });
    const { status, body } = await project.api.get(`${path}${path.includes("?") ? "&" : "?"}${query}`);
    expect(status, JSON.stringify(body)).toBe(200);
    ids.push(...body.data.map(({ id }: { id: string }) => id));
    if (total === 0) expect(body.total).toBe(0);
    expect(body.hasMore).toBe(body.cursor !== "");
    if (!body.hasMore) return ids;
    cursor = body.cursor;
  }
}

describe("GET /events", () => {
  it("shows an event whole, with the address that its contact has now, and none when the contact is gone", async () => {
    const project = await newProject();
    const { id, contactId } = await track(project, "purchase", "ada@example.com", { plan: "pro", n: { a: [1, null] } });
    const event = {
      id,
      name: "purchase",
      contactId,
      contactEmail: "ada@example.com",
      emailId: null,
      source: "API",
      data: { plan: "pro", n: { a: [1, null] } },
      createdAt: expect.stringMatching(isoTime),
    };
    const { status, body } = await project.api.get("/events");
    expect(status).toBe(200);
    expect(body).toEqual({ data: [event], cursor: "", hasMore: false, total: 1 });
    await project.db.prepare("UPDATE contacts SET email = 'new@example.com' WHERE id = ?").bind(contactId).run();
    expect((await project.api.get("/events")).body.data).toEqual([{ ...event, contactEmail: "new@example.com" }]);
    await project.db.prepare("DELETE FROM contacts WHERE id = ?").bind(contactId).run();
    expect((await project.api.get("/events")).body.data).toEqual([{ ...event, contactEmail: null }]);
  });

  it("lists newest first, page by page, each once, whatever it is filtered by", async () => {
    const project = await newProject();
    await newProject().then((other) => track(other, "purchase"));
    const made: { id: string; name: string; contactId: string }[] = [];
    const names = ["purchase", "signup", "purchase"];
    for (let index = 0; index < 12; index++) {
      const name = names[index % 3] ?? "";
      made.unshift({ name, ...(await track(project, name, `c${index % 2}@example.com`)) });
    }
    const contactId = made[0]?.contactId ?? "";
    const cases: [string, (event: (typeof made)[number]) => boolean][] = [
      ["/events", () => true],
      ["/events?name=purchase", ({ name }) => name === "purchase"],
      [`/events?contactId=${contactId}`, (event) => event.contactId === contactId],
      [`/events/contact/${contactId}`, (event) => event.contactId === contactId],
      [
        `/events?name=signup&contactId=${contactId}`,
        (event) => event.name === "signup" && event.contactId === contactId,
      ],
      ["/events?name=Purchase", () => false],
      ["/events?name=%00", () => false],
      [`/events?contactId=${nobody}`, () => false],
    ];
    for (const [path, isShown] of cases) {
      // Within a millisecond the order of ids is chance.
      const expected = made.filter(isShown).map(({ id }) => id);
      const ordered = expected.toSorted().reverse();
      for (const limit of [1, 3, 100]) expect(await allPages(project, path, limit), path).toEqual(ordered);
      expect((await project.api.get(path)).body.total, path).toBe(expected.length);
    }
  });

  it("refuses a cursor of another list, and what it cannot read", async () => {
    const project = await newProject();
    const { contactId } = await track(project, "purchase");
    await track(project, "purchase");
    const { cursor } = (await project.api.get("/events?limit=1&name=purchase")).body;
    expectRefusal(await project.api.get(`/events?cursor=${cursor}`), 400, "BAD_REQUEST");
    expectRefusal(await project.api.get(`/events?name=signup&cursor=${cursor}`), 400, "BAD_REQUEST");
    expectRefusal(await project.api.get(`/events/contact/${contactId}?cursor=${cursor}`), 400, "BAD_REQUEST");
    expectRefusal(await project.api.get("/events?cursor=%25"), 400, "BAD_REQUEST");
    expectInvalid(await project.api.get("/events?limit=0"), "limit", "too_small");
    expectInvalid(await project.api.get("/events?limit=x"), "limit", "invalid_string");
    expectInvalid(await project.api.get(`/events/contact/${contactId}?limit=0`), "limit", "too_small");
  });

  it("of a contact who is not there, or is another project's, is 404", async () => {
    const [project, other] = [await newProject(), await newProject()];
    const { contactId } = await track(other, "purchase");
    for (const id of [nobody, "nope", contactId]) {
      const details = { resource: "contact", id };
      expectRefusal(await project.api.get(`/events/contact/${id}`), 404, "CONTACT_NOT_FOUND", { details });
    }
    expect((await project.api.get(`/events?contactId=${contactId}`)).body).toMatchObject({ data: [], total: 0 });
  });
});

describe("GET /events/names", () => {
  it("names what happened, most frequent first", async () => {
    const [project, other] = [await newProject(), await newProject()];
    expect((await project.api.get("/events/names")).body).toEqual({ names: [] });
    for (const name of ["a", "b", "b", "Käufe/🎉", "b", "a"]) await track(project, name);
    await track(other, "c");
    const { status, body } = await project.api.get("/events/names");
    expect([status, body]).toEqual([200, { names: ["b", "a", "Käufe/🎉"] }]);
  });
});

describe("GET /events/stats", () => {
  it("counts all of time exactly, without dates", async () => {
    const [project, other] = [await newProject(), await newProject()];
    expect((await project.api.get("/events/stats")).body).toEqual({ data: [], total: 0 });
    await addEvents(project, { name: "purchase", count: 5, at: day("2026-01-10"), contacts: ["a", "b", "a"] });
    await addEvents(project, { name: "signup", count: 7, at: day("2026-01-12"), contacts: ["a", "b", "c"] });
    await addEvents(other, { name: "purchase", count: 2, at: day("2026-01-10") });
    const { status, body } = await project.api.get("/events/stats");
    expect(status).toBe(200);
    expect(body).toEqual({
      data: [
        { name: "signup", count: 7, uniqueContacts: 3, lastAt: "2026-01-12T00:00:00.006Z" },
        { name: "purchase", count: 5, uniqueContacts: 2, lastAt: "2026-01-10T00:00:00.004Z" },
      ],
      total: 12,
    });
  });

  it("counts what lies within the dates, both of them included", async () => {
    const project = await newProject();
    await addEvents(project, { name: "early", count: 3, at: day("2026-01-10") - 3, contacts: ["a", "b"] });
    await addEvents(project, { name: "purchase", count: 4, at: day("2026-01-10"), contacts: ["a", "b"] });
    await addEvents(project, { name: "late", count: 2, at: day("2026-01-11"), contacts: ["a"] });
    const cases: [string, [name: string, count: number, contacts: number][]][] = [
      ["startDate=2026-01-10&endDate=2026-01-10", [["purchase", 4, 2]]],
      ["startDate=2026-01-09&endDate=2026-01-09", [["early", 3, 2]]],
      [
        "startDate=2026-01-10",
        [
          ["purchase", 4, 2],
          ["late", 2, 1],
        ],
      ],
      [
        "endDate=2026-01-10",
        [
          ["purchase", 4, 2],
          ["early", 3, 2],
        ],
      ],
      [
        "startDate=2026-01-10T00:00:00.003Z&endDate=2026-01-11T00:00:00Z",
        [
          ["late", 1, 1],
          ["purchase", 1, 1],
        ],
      ],
      ["startDate=2026-01-10T00:00:00.001%2B00:00&endDate=2026-01-10T00:00:00.001", [["purchase", 1, 1]]],
      ["startDate=2020-01-01&endDate=2020-12-31", []],
      [
        "startDate=0000-01-01&endDate=9999-12-31",
        [
          ["purchase", 4, 2],
          ["early", 3, 2],
          ["late", 2, 1],
        ],
      ],
    ];
    for (const [query, expected] of cases) {
      const { status, body } = await project.api.get(`/events/stats?${query}`);
      expect(status, query).toBe(200);
      const seen = body.data.map((of: Record<string, unknown>) => [of.name, of.count, of.uniqueContacts]);
      expect(seen, query).toEqual(expected);
      expect(body, query).toEqual({ data: body.data, total: expected.reduce((sum, [, count]) => sum + count, 0) });
    }
    const { data } = (await project.api.get("/events/stats?endDate=2026-01-10T00:00:00.001Z")).body;
    expect(data[1]).toEqual({ name: "purchase", count: 2, uniqueContacts: 2, lastAt: "2026-01-10T00:00:00.001Z" });
  });

  it("refuses dates that are none, and an end before the start", async () => {
    const project = await newProject();
    const of = (query: string) => project.api.get(`/events/stats?${query}`);
    expectInvalid(await of("startDate=yesterday"), "startDate", "invalid_string");
    expectInvalid(await of("endDate=2026-02-30"), "endDate", "invalid_string");
    expectInvalid(await of("startDate="), "startDate", "invalid_string");
    expectInvalid(await of("startDate=2026-01-31&endDate=2026-01-30"), "endDate", "custom");
  });
});

describe("more events than are counted each time", () => {
  it("are counted by whole days, listed and deleted all the same", async () => {
    const project = await newProject();
    const { contactId } = await track(project, "signup");
    const noon = day("2026-01-10") + 43_200_000;
    await addEvents(project, { name: "signup", count: 3, at: day("2026-01-10"), contacts: [contactId] });
    await addEvents(project, { name: "view", count: 25_001, at: noon, contacts: [contactId, "b"] });
    await addEvents(project, { name: "view", count: 24_997, at: noon, contacts: [contactId] });

    const stats = await project.api.get("/events/stats?startDate=2026-01-10T06:00:00Z&endDate=2026-01-10T12:00:30Z");
    expect(stats.body).toEqual({
      data: [
        { name: "view", count: 49_998, uniqueContacts: 2, lastAt: "2026-01-10T12:00:25.000Z" },
        { name: "signup", count: 3, uniqueContacts: 1, lastAt: "2026-01-10T00:00:00.002Z" },
      ],
      total: 50_001,
      approximate: true,
      countedAt: expect.stringMatching(isoTime),
    });
    expect((await project.api.get("/events/stats?endDate=2026-01-09")).body).toEqual({ data: [], total: 0 });

    // More days and names than one statement adds up.
    const numbers = (count: number) =>
      `WITH RECURSIVE n(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i < ${count - 1})`;
    await project.db.batch([
      project.db
        .prepare(
          `INSERT INTO event_days (project_id, day, name, count, last_at)
          ${numbers(29_900)} SELECT ?, i / 100, 'name ' || (i % 100), 2, i / 100 * 86400000 FROM n`,
        )
        .bind(project.id),
      project.db
        .prepare(
          `INSERT INTO event_names (project_id, name, count, contacts, last_at, day, day_count)
          ${numbers(100)} SELECT ?, 'name ' || i, 600, 1, 299 * 86400000, 299, 2 FROM n`,
        )
        .bind(project.id),
    ]);
    expect((await project.api.get("/events/stats?endDate=2026-01-10")).body.total).toBe(50_001 + 60_000);
    expect((await project.api.get("/events/stats?startDate=1970-01-02&endDate=2026-01-10")).body.total).toBe(109_801);

    const ofName = (await project.api.get("/events?name=view&limit=1")).body;
    expect(ofName).toMatchObject({ total: 49_998, hasMore: true });
    expect(ofName).not.toHaveProperty("approximate");
    const ofContact = (await project.api.get(`/events/contact/${contactId}?limit=1`)).body;
    expect(ofContact).toMatchObject({ total: 25_000, approximate: true, countedAt: expect.stringMatching(isoTime) });
    const next = (await project.api.get(`/events/contact/${contactId}?limit=1&cursor=${ofContact.cursor}`)).body;
    expect(next).toMatchObject({ total: 0, hasMore: true });
    expect(next).not.toHaveProperty("approximate");
    expect((await project.api.get(`/events?name=signup&contactId=${contactId}`)).body.total).toBe(4);
    const usage = (await project.api.get("/events/view/usage")).body;
    expect(usage).toMatchObject({ totalCount: 49_998, uniqueContacts: 2 });
  });
});

describe("GET /events/{eventName}/usage", () => {
  it("says how often it happened and what refers to it", async () => {
    const [project, other] = [await newProject(), await newProject()];
    await addEvents(project, { name: "purchase", count: 5, at: day("2026-01-10"), contacts: ["a", "b"] });
    await refer(other, "purchase");
    const unused = { usedInSegments: [], usedInCampaigns: [], usedInWorkflows: [] };
    const counts = { totalCount: 5, uniqueContacts: 2 };
    const before = await project.api.get("/events/purchase/usage");
    expect([before.status, before.body]).toEqual([200, { ...unused, ...counts, canDelete: true }]);
    for (const referrer of ["segment", "campaign", "workflow"]) await refer(project, "purchase", referrer);
    expect((await project.api.get("/events/purchase/usage")).body).toEqual({
      usedInSegments: [{ id: "segment-1", name: "The segment" }],
      usedInCampaigns: [{ id: "campaign-1", name: "The campaign" }],
      usedInWorkflows: [{ id: "workflow-1", name: "The workflow" }],
      ...counts,
      canDelete: false,
    });
  });

  it("knows a name that is used and was never seen, and one that only the service gives", async () => {
    const project = await newProject();
    await refer(project, "planned");
    await addEvents(project, { name: "email.sent", count: 1, at: day("2026-01-10") });
    const planned = (await project.api.get("/events/planned/usage")).body;
    expect(planned).toMatchObject({ totalCount: 0, uniqueContacts: 0, canDelete: false });
    const sent = (await project.api.get("/events/email.sent/usage")).body;
    expect(sent).toMatchObject({ totalCount: 1, uniqueContacts: 1, canDelete: false });
  });

  it("is 404 for what was neither seen nor used, also when it was in another project", async () => {
    const [project, other] = [await newProject(), await newProject()];
    await track(other, "purchase");
    for (const id of ["purchase", "email.sent", "x".repeat(300)]) {
      const details = { resource: "event", id };
      expectRefusal(await project.api.get(`/events/${id}/usage`), 404, "RESOURCE_NOT_FOUND", { details });
    }
    // What is no UTF-8 is no name.
    for (const id of ["100%", "%ff", "%ED%A0%80"])
      expect((await project.api.get(`/events/${id}/usage`)).status).toBe(404);
  });
});

describe("DELETE /events/{eventName}", () => {
  it("deletes every event of that very name, and no other", async () => {
    const [project, other] = [await newProject(), await newProject()];
    for (const name of ["purchase", "purchase", "Purchase", "purchases"]) await track(project, name);
    await track(other, "purchase");
    const { status, body } = await project.api.delete("/events/purchase");
    expect([status, body]).toEqual([200, { deletedCount: 2 }]);
    expect(await eventCounts(project)).toEqual({ Purchase: 1, purchases: 1 });
    expect(await eventCounts(other)).toEqual({ purchase: 1 });
    const details = { resource: "event", id: "purchase" };
    expectRefusal(await project.api.delete("/events/purchase"), 404, "RESOURCE_NOT_FOUND", { details });
    expect((await project.api.get("/events/names")).body.names.toSorted()).toEqual(["Purchase", "purchases"]);
  });

  it.each([
    "a/b",
    "a b+c",
    "100%",
    "%2F",
    "%252F",
    "Käufe 🎉",
    "?#&=;,",
    "a.b..c",
    "names",
    "stats",
    "contact",
    "track",
  ])("takes the name %j out of the path, decoded once", async (name) => {
    const project = await newProject();
    await track(project, name);
    await track(project, "other");
    const path = `/events/${encodeURIComponent(name)}`;
    expect((await project.api.get(`${path}/usage`)).body).toMatchObject({ totalCount: 1, canDelete: true });
    expect((await project.api.get(`/events?name=${encodeURIComponent(name)}`)).body.total).toBe(1);
    expect((await project.api.delete(path)).body).toEqual({ deletedCount: 1 });
    expect(await eventCounts(project)).toEqual({ other: 1 });
  });

  it("refuses what is the service's own, what is used, and any call on a disabled project", async () => {
    const project = await newProject();
    await addEvents(project, { name: "email.sent", count: 1, at: day("2026-01-10") });
    await track(project, "purchase");
    for (const name of ["email.sent", "email.opened", "contact.subscribed", "segment.vip.exit"]) {
      expectInvalid(await project.api.delete(`/events/${name}`), "eventName", "reserved_event");
    }
    await refer(project, "purchase");
    await refer(project, "planned", "workflow");
    expectRefusal(await project.api.delete("/events/purchase"), 409, "CONFLICT", {
      details: {
        usedInSegments: [{ id: "segment-1", name: "The segment" }],
        usedInCampaigns: [],
        usedInWorkflows: [],
      },
    });
    expect((await project.api.delete("/events/planned")).status).toBe(409);
    await admin.patch(`/admin/projects/${project.id}`, { disabled: true });
    expectRefusal(await project.api.delete("/events/purchase"), 403, "PROJECT_DISABLED");
    expect(await eventCounts(project)).toEqual({ "email.sent": 1, purchase: 1 });
  });

  it("deletes 10,000 at once, and more of them by a job that can be followed", async () => {
    const project = await newProject();
    await addEvents(project, { name: "few", count: 10_000, at: day("2026-01-10") });
    expect((await project.api.delete("/events/few")).body).toEqual({ deletedCount: 10_000 });
    await addEvents(project, { name: "many", count: 10_001, at: day("2026-01-10") });
    const { status, body } = await project.api.delete("/events/many");
    expect([status, body]).toEqual([202, { jobId: expect.stringMatching(uuid) }]);
    await expect
      .poll(async () => (await project.api.get(`/jobs/${body.jobId}`)).body, { timeout: 15_000, interval: 50 })
      .toMatchObject({ type: "events.delete", status: "completed", progress: 100, result: { deletedCount: 10_001 } });
    expect((await project.api.get("/events/stats")).body).toEqual({ data: [], total: 0 });
  });
});

it("is for secret keys, and knows no other methods", async () => {
  const project = await newProject();
  expectRefusal(await call("GET", "/events", undefined, bearer(project.keys.public)), 401, "INVALID_API_KEY");
  const answer = await project.api.post("/events/names", {});
  expect([answer.status, answer.headers.get("Allow")?.split(", ").toSorted()]).toEqual([405, ["DELETE", "GET"]]);
});
