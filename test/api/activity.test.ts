import { afterEach, describe, expect, it, vi } from "vitest";
import { activityTypeOf, activityTypes } from "../../src/core/events/activity-types";
import { addEvents } from "../support/events";
import { everyPage } from "../support/pages";
import { newProject, type TestProject } from "../support/project";
import { expectInvalid, expectRefusal, isoTime } from "../support/refusal";
import { sendAndWait } from "../support/send-and-wait";
import { statementsDuring } from "../support/tenant-check";
import { signedIn } from "../support/visitor";

const nobody = "0199a0f2-6c1e-7b3a-9d54-0c8f6f1f2a10";
const day = (iso: string) => Date.parse(`${iso}T00:00:00Z`);
const today = () => new Date().toISOString().slice(0, 10);
const nothing = { sent: 0, delivered: 0, opened: 0, clicked: 0, bounced: 0, complained: 0, events: 0 };

async function track(project: TestProject, event: string, email = "ada@example.com", data = {}) {
  const { status, body } = await project.api.post("/events/track", { email, event, data });
  expect(status, JSON.stringify(body)).toBe(200);
  return { id: body.data.event as string, contactId: body.data.contact as string };
}

describe("GET /activity", () => {
  it("shows what a caller tracked, under its name and with its data", async () => {
    const project = await newProject();
    const { id, contactId } = await track(project, "purchase", "ada@example.com", { plan: "pro", event: "mine" });
    const { status, body } = await project.api.get("/activity");
    expect(status).toBe(200);
    expect(body).toEqual({
      data: [
        {
          id,
          type: "event.triggered",
          timestamp: expect.stringMatching(isoTime),
          contactId,
          contactEmail: "ada@example.com",
          metadata: { event: "purchase", source: "API", data: { plan: "pro", event: "mine" } },
        },
      ],
      cursor: "",
      hasMore: false,
      total: 1,
    });
  });

  it("shows mail with its email, and what a segment and a subscription did", async () => {
    const project = await newProject();
    const email = await sendAndWait(project, { to: "softbounce@simulator.test" }, "BOUNCED");
    const { id: contactId } = (await project.api.get(`/contacts/${email.contactId}`)).body;
    await project.api.patch(`/contacts/${contactId}`, { subscribed: true });
    await addEvents(project, { name: "segment.vip.entry", count: 1, at: Date.now(), contacts: [contactId] });
    await addEvents(project, { name: "segment.vip.exit", count: 1, at: Date.now() + 1, contacts: [contactId] });

    const entries = await everyPage(project, "/activity", { limit: 2 });
    const ofMail = { emailId: email.id, subject: "Hello", templateId: null, campaignId: null, source: "TRANSACTIONAL" };
    expect(entries.map(({ type, metadata }) => [type, metadata])).toEqual([
      ["segment.exit", { event: "segment.vip.exit", segment: "vip" }],
      ["segment.entry", { event: "segment.vip.entry", segment: "vip" }],
      ["contact.subscribed", expect.any(Object)],
      ["email.bounced", { ...ofMail, bounceType: "soft", reason: email.error }],
      ["email.sent", ofMail],
    ]);
    for (const entry of entries) {
      expect(entry).toMatchObject({ contactId, contactEmail: "softbounce@simulator.test" });
    }
    const ofEvents = (await project.api.get("/events")).body.data;
    expect(entries.map(({ id, timestamp }) => [id, timestamp])).toEqual(
      ofEvents.map(({ id, createdAt }: { id: string; createdAt: string }) => [id, createdAt]),
    );
  });

  it("is filtered by types, contact and dates, page by page, each once", async () => {
    const project = await newProject();
    const { contactId } = await track(project, "signup");
    const others = [contactId, "b"];
    const at = (iso: string, hour: number) => day(iso) + hour * 3_600_000;
    await addEvents(project, { name: "email.sent", count: 6, at: at("2026-01-10", 8), contacts: others });
    await addEvents(project, { name: "email.opened", count: 5, at: at("2026-01-10", 23), contacts: others });
    await addEvents(project, { name: "purchase", count: 4, at: at("2026-01-11", 0), contacts: others });
    await addEvents(project, { name: "segment.vip.entry", count: 3, at: at("2026-01-12", 8), contacts: others });
    await addEvents(project, { name: "segment.entry", count: 2, at: at("2026-01-12", 9), contacts: others });

    interface Event {
      id: string;
      name: string;
      contactId: string;
      createdAt: string;
    }
    const all: Event[] = await everyPage(project, "/events", { limit: 100 });
    const isType =
      (...types: string[]) =>
      ({ name }: Event) =>
        types.includes(activityTypeOf(name));
    const cases: [string, (event: Event) => boolean][] = [
      ["", () => true],
      ["types=email.sent", isType("email.sent")],
      ["types=email.sent,email.opened", isType("email.sent", "email.opened")],
      ["types=email.opened&types=email.sent%2C%20email.opened", isType("email.sent", "email.opened")],
      ["types=event.triggered", isType("event.triggered")],
      ["types=segment.entry", isType("segment.entry")],
      ["types=segment.entry,event.triggered,email.opened", isType("segment.entry", "event.triggered", "email.opened")],
      ["types=email.clicked", () => false],
      [`contactId=${contactId}`, (event) => event.contactId === contactId],
      [
        `contactId=${contactId}&types=email.sent`,
        (event) => event.contactId === contactId && event.name === "email.sent",
      ],
      [
        `contactId=${contactId}&types=email.opened,event.triggered`,
        (event) => event.contactId === contactId && isType("email.opened", "event.triggered")(event),
      ],
      [`contactId=${nobody}`, () => false],
      ["startDate=2026-01-11", ({ createdAt }) => createdAt >= "2026-01-11"],
      ["endDate=2026-01-10", ({ createdAt }) => createdAt < "2026-01-11"],
      ["startDate=2026-01-10&endDate=2026-01-10", ({ createdAt }) => createdAt.startsWith("2026-01-10")],
      [
        "startDate=2026-01-10T23:00:00.002Z&endDate=2026-01-11T00:00:00.001Z",
        ({ createdAt }) => createdAt >= "2026-01-10T23:00:00.002" && createdAt < "2026-01-11T00:00:00.002",
      ],
      [
        "endDate=2026-01-11&types=event.triggered,email.opened",
        (event) => event.createdAt < "2026-01-12" && isType("event.triggered", "email.opened")(event),
      ],
      [
        `startDate=2026-01-11&types=event.triggered&contactId=${contactId}`,
        (event) => event.createdAt >= "2026-01-11" && event.contactId === contactId && isType("event.triggered")(event),
      ],
    ];
    for (const [query, isShown] of cases) {
      const expected = all.filter(isShown).map(({ id }) => id);
      for (const limit of [1, 3, 100]) {
        const entries = await everyPage(project, `/activity?${query}`, { limit });
        expect(
          entries.map(({ id }) => id),
          query,
        ).toEqual(expected);
      }
      const { body } = await project.api.get(`/activity?${query}`);
      expect(body.total, query).toBe(expected.length);
      expect(body, query).not.toHaveProperty("approximate");
    }
  });

  it("shows nothing of another project, whose contact is nobody here", async () => {
    const [project, other] = [await newProject(), await newProject()];
    const { contactId } = await track(other, "purchase");
    for (const query of ["", `?contactId=${contactId}`, "?types=event.triggered"]) {
      expect((await project.api.get(`/activity${query}`)).body).toMatchObject({ data: [], hasMore: false, total: 0 });
    }
  });

  it("refuses types that there are not, naming those that there are", async () => {
    const project = await newProject();
    const answer = await project.api.get("/activity?types=email.sent,email.teleported");
    expectInvalid(answer, "types", "invalid_enum_value");
    const [fault] = answer.body.error.errors;
    expect(fault.message).toContain("email.teleported");
    for (const type of activityTypes) expect(fault.message).toContain(type);
    expectInvalid(await project.api.get("/activity?types="), "types", "invalid_enum_value");
    expectInvalid(await project.api.get("/activity?types=email.sent&types=purchase"), "types", "invalid_enum_value");
  });

  it("refuses what it cannot read, and a cursor of another list", async () => {
    const { api } = await newProject();
    expectInvalid(await api.get("/activity?limit=0"), "limit", "too_small");
    expectInvalid(await api.get("/activity?startDate=yesterday"), "startDate", "invalid_string");
    expectInvalid(await api.get("/activity?startDate=2026-01-31&endDate=2026-01-30"), "endDate", "custom");
    expectInvalid(await api.get("/activity?type=email.sent"), "type", "custom");
    await api.post("/events/track", { email: "a@example.com", event: "a" });
    await api.post("/events/track", { email: "a@example.com", event: "a" });
    const { cursor } = (await api.get("/activity?limit=1&types=event.triggered")).body;
    expectRefusal(await api.get(`/activity?cursor=${cursor}`), 400, "BAD_REQUEST");
    expectRefusal(await api.get(`/activity?types=email.sent&cursor=${cursor}`), 400, "BAD_REQUEST");
    expectRefusal(await api.get("/activity?cursor=%25"), 400, "BAD_REQUEST");
    expectRefusal(await api.get(`/activity/upcoming?cursor=${cursor}`), 400, "BAD_REQUEST");
    expect((await api.get(`/activity?types=event.triggered&cursor=${cursor}`)).status).toBe(200);
  });

  it("shows no address of an erased contact", async () => {
    const project = await newProject();
    const email = await sendAndWait(project, { to: "softbounce@simulator.test", subject: "For Ada" }, "BOUNCED");
    const { contactId } = await track(project, "purchase", "softbounce@simulator.test", { card: "visa" });
    expect((await project.api.delete(`/contacts/${contactId}`)).status).toBe(204);
    const { body } = await project.api.get("/activity");
    const gone = { contactId, contactEmail: null };
    expect(body.total).toBe(3);
    expect(body.data).toEqual([
      expect.objectContaining({ ...gone, metadata: { event: "purchase", source: "API", data: {} } }),
      expect.objectContaining({ ...gone, type: "email.bounced" }),
      expect.objectContaining({ ...gone, type: "email.sent" }),
    ]);
    expect(JSON.stringify(body)).not.toMatch(/simulator|For Ada|visa/);
    expect(body.data[2].metadata).toMatchObject({ emailId: email.id, subject: null });
  });
});

describe("GET /activity/types", () => {
  it("lists what `types` takes", async () => {
    const { api } = await newProject();
    const { status, body } = await api.get("/activity/types");
    expect([status, body]).toEqual([200, { types: [...activityTypes] }]);
    expect((await api.get(`/activity?types=${body.types.join()}`)).status).toBe(200);
  });
});

describe("GET /activity/stats", () => {
  it("has the last 30 days, today included, when nothing happened", async () => {
    const { api } = await newProject();
    const { status, body } = await api.get("/activity/stats");
    expect(status).toBe(200);
    expect(body).toEqual({ totals: nothing, series: expect.any(Array) });
    expect(body.series).toHaveLength(30);
    expect(body.series.at(-1)).toEqual({ date: today(), ...nothing });
    const dates = body.series.map(({ date }: { date: string }) => date);
    expect(dates).toEqual(dates.toSorted());
    expect(new Set(dates).size).toBe(30);
  });

  it("counts each day, also those without events, and sums them up", async () => {
    const [project, other] = [await newProject(), await newProject()];
    const names = [
      "email.sent",
      "email.delivered",
      "email.opened",
      "email.clicked",
      "email.bounced",
      "email.complained",
    ];
    for (const [index, name] of names.entries()) {
      await addEvents(project, { name, count: index + 1, at: day("2026-01-10") });
      await addEvents(project, { name, count: 10, at: day("2026-01-12") - 1 });
    }
    // 9 of these are on the day after.
    await addEvents(project, { name: "contact.subscribed", count: 7, at: day("2026-01-10") });
    await addEvents(project, { name: "segment.vip.entry", count: 7, at: day("2026-01-10") });
    await addEvents(project, { name: "purchase", count: 3, at: day("2026-01-10") });
    await addEvents(project, { name: "signup", count: 4, at: day("2026-01-10") });
    await addEvents(other, { name: "purchase", count: 5, at: day("2026-01-10") });

    const { body } = await project.api.get("/activity/stats?startDate=2026-01-09&endDate=2026-01-12");
    const of = (each: number) =>
      Object.fromEntries(
        Object.keys(nothing)
          .slice(0, 6)
          .map((column) => [column, each]),
      );
    const first = { sent: 1, delivered: 2, opened: 3, clicked: 4, bounced: 5, complained: 6, events: 7 };
    expect(body).toEqual({
      totals: { sent: 11, delivered: 12, opened: 13, clicked: 14, bounced: 15, complained: 16, events: 7 },
      series: [
        { date: "2026-01-09", ...nothing },
        { date: "2026-01-10", ...first },
        { date: "2026-01-11", ...of(1), events: 0 },
        { date: "2026-01-12", ...of(9), events: 0 },
      ],
    });
  });

  it("counts parts of days exactly", async () => {
    const project = await newProject();
    for (const name of ["email.sent", "purchase", "contact.subscribed"]) {
      for (const hour of [1, 12, 23]) {
        await addEvents(project, { name, count: hour, at: day("2026-01-10") + hour * 3_600_000 });
        await addEvents(project, { name, count: hour, at: day("2026-01-11") + hour * 3_600_000 });
      }
    }
    const cases: [string, number[]][] = [
      ["startDate=2026-01-10T02:00:00Z&endDate=2026-01-11", [35, 36]],
      ["startDate=2026-01-10&endDate=2026-01-11T11:59:59.999Z", [36, 1]],
      ["startDate=2026-01-10T12:00:00.001Z&endDate=2026-01-11T12:00:00.001Z", [34, 3]],
      ["startDate=2026-01-10T12:00:00Z&endDate=2026-01-10T12:00:00Z", [1]],
      ["startDate=2026-01-10T00:00:00Z&endDate=2026-01-10T23:59:59.999Z", [36]],
    ];
    for (const [query, expected] of cases) {
      const { body } = await project.api.get(`/activity/stats?${query}`);
      expect(
        body.series.map(({ sent }: { sent: number }) => sent),
        query,
      ).toEqual(expected);
      expect(
        body.series.map(({ events }: { events: number }) => events),
        query,
      ).toEqual(expected);
      expect(body, query).not.toHaveProperty("approximate");
    }
  });

  it("counts a part of a day with too many events as a whole, and says so", async () => {
    const project = await newProject();
    await addEvents(project, { name: "view", count: 25_001, at: day("2026-01-10") + 43_200_000 });
    await addEvents(project, { name: "view", count: 5, at: day("2026-01-10") });
    const whole = (await project.api.get("/activity/stats?startDate=2026-01-10&endDate=2026-01-10")).body;
    expect(whole.totals.events).toBe(25_006);
    expect(whole).not.toHaveProperty("approximate");
    const part = (await project.api.get("/activity/stats?startDate=2026-01-10T06:00:00Z&endDate=2026-01-11")).body;
    expect(part).toMatchObject({ totals: { events: 25_006 }, approximate: true });
    expect(part.countedAt).toMatch(isoTime);

    const within = "startDate=2026-01-10T06:00:00Z&endDate=2026-01-10T20:00:00Z";
    const feed = (await project.api.get(`/activity?${within}&limit=1`)).body;
    expect(feed).toMatchObject({ total: 25_006, hasMore: true, approximate: true });
    const dated = (await project.api.get("/activity?startDate=2026-01-10&endDate=2026-01-10&limit=1")).body;
    expect(dated.total).toBe(25_006);
    expect(dated).not.toHaveProperty("approximate");
    const typed = (await project.api.get(`/activity?${within}&types=email.sent`)).body;
    expect(typed).toMatchObject({ data: [], total: 0, hasMore: false });
  });

  it("forgets what is deleted by name", async () => {
    const project = await newProject();
    await addEvents(project, { name: "purchase", count: 4, at: day("2026-01-10") });
    await addEvents(project, { name: "signup", count: 3, at: day("2026-01-10") });
    expect((await project.api.delete("/events/purchase")).body).toEqual({ deletedCount: 4 });
    const stats = (await project.api.get("/activity/stats?startDate=2026-01-10&endDate=2026-01-10")).body;
    expect(stats.totals.events).toBe(3);
    const feed = (await project.api.get("/activity?types=event.triggered")).body;
    expect(feed.total).toBe(3);
    expect(feed.data.map(({ metadata }: { metadata: { event: string } }) => metadata.event)).toEqual(
      Array(3).fill("signup"),
    );
  });

  it("takes at most 366 days, and refuses dates that are none", async () => {
    const { api } = await newProject();
    const year = await api.get("/activity/stats?startDate=2024-01-01&endDate=2024-12-31");
    expect(year.body.series).toHaveLength(366);
    for (const query of ["startDate=2024-01-01&endDate=2025-01-01", "startDate=2020-01-01"]) {
      const answer = await api.get(`/activity/stats?${query}`);
      expectInvalid(answer, "startDate", "too_big");
      expect(answer.body.error.message).toContain("366");
    }
    expectInvalid(await api.get("/activity/stats?startDate=x"), "startDate", "invalid_string");
    expectInvalid(await api.get("/activity/stats?startDate=2026-01-31&endDate=2026-01-30"), "endDate", "custom");
    expectInvalid(await api.get("/activity/stats?days=7"), "days", "custom");
    expect((await api.get("/activity/stats?endDate=2026-01-31")).body.series[0].date).toBe("2026-01-02");
  });

  it.each([
    ["ends today", `${new Date().toISOString().slice(0, 10)}`],
    ["ends on the day of a start that is to come", "9999-12-31"],
  ])("without an end, %s", async (_, day) => {
    const { api } = await newProject();
    const { body } = await api.get(`/activity/stats?startDate=${day}T23:59:59Z`);
    expect(body.series.map(({ date }: { date: string }) => date)).toEqual([day]);
  });
});

describe("GET /activity/version", () => {
  afterEach(() => void vi.useRealTimers());

  it("is another one after mail and after an event, and the same while nothing happens", async () => {
    const project = await newProject();
    vi.useFakeTimers({ toFake: ["Date"] });
    const version = async () => {
      // Past the answers that are kept.
      vi.setSystemTime(Date.now() + 3_000);
      const { status, body } = await project.api.get("/activity/version");
      expect(status).toBe(200);
      return body as { version: string; emailId: string | null };
    };
    expect(await version()).toEqual({ version: expect.any(String), emailId: null });
    const email = await sendAndWait(project, { to: "ada@example.com" }, "DELIVERED");
    const afterMail = await version();
    expect(afterMail.emailId).toBe(email.id);
    expect(await version()).toEqual(afterMail);
    await track(project, "signed_up");
    const afterEvent = await version();
    expect(afterEvent.version).not.toBe(afterMail.version);
    expect(afterEvent.emailId).toBe(email.id);
    const viewer = await signedIn({ project, as: { role: "viewer", seesPersonalData: false } });
    expect((await viewer.call("GET", "/activity/version", undefined, project)).body).toEqual(afterEvent);
    const other = await newProject();
    expect((await other.api.get("/activity/version")).body.emailId).toBeNull();
  });

  it("reads one row of mail and one of events, and nothing while its answer is fresh", async () => {
    const project = await newProject();
    await track(project, "signed_up");
    const [first, again] = [
      await statementsDuring(() => project.api.get("/activity/version")),
      await statementsDuring(() => project.api.get("/activity/version")),
    ];
    const ofVersion = (said: string[]) =>
      said.filter((one) => one.includes("FROM emails") && one.includes("FROM events"));
    expect([ofVersion(first).length, ofVersion(again).length]).toEqual([1, 0]);
  });
});
