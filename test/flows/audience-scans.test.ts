import { sql } from "drizzle-orm";
import { beforeAll, beforeEach, describe, expect, it } from "vitest";
import type { FilterCondition } from "../../src/core/audience/condition";
import { aboveAllIds, belowAllIds, firstIdAt, readId, timeOf } from "../../src/core/ids";
import { audienceOf } from "../../src/db/audience";
import { asId, columns } from "../../src/db/rows";
import { selectOne } from "../../src/db/statement";
import { type ScanOptions, scan } from "../../src/engine/audience/scan";
import { findParts } from "../../src/engine/audience/scan-parts";
import { findScanSource, type ScanSource } from "../../src/engine/audience/scan-source";
import { windowFrom } from "../../src/engine/audience/scan-window";
import { computeSegment } from "../../src/features/segments/compute";
import { listSegmentContacts } from "../../src/features/segments/contacts";
import { refreshCount } from "../../src/features/segments/count";
import { previewSegment } from "../../src/features/segments/preview/preview";
import { updateSegment } from "../../src/features/segments/update";
import type { Context } from "../../src/platform/context";
import { idSql } from "../support/counts";
import { databaseOf } from "../support/database";
import { FarDatabase } from "../support/far-database";
import { addContacts, ledgerOf, segmentRow } from "../support/membership";
import { expectBounded, matchesOfWindow, namesOfCondition } from "../support/plan";
import { newProject, type TestProject } from "../support/project";
import { expectInvalid } from "../support/refusal";
import { sample } from "../support/sample";
import { addMembers, isPro, newSegment, only } from "../support/segment";
import { World } from "../support/world";

const dayMs = 86_400_000;
const now = Date.parse("2026-02-01T12:00:00.000Z");

/** Events of contact number `i` of each: `times` of them, so many days ago. */
async function addEvents(
  project: TestProject,
  name: string,
  contacts: number[],
  { daysAgo, times = 1 }: { daysAgo: number; times?: number },
): Promise<void> {
  const at = now - daysAgo * dayMs;
  await project.db
    .prepare(
      `INSERT INTO events (project_id, id, name, contact_id, data)
      WITH RECURSIVE t(k) AS (SELECT 1 UNION ALL SELECT k + 1 FROM t WHERE k < ?4)
      SELECT ?1, ${idSql("?5")}, ?2, coalesce(c.id, '!nobody'), '{}'
      FROM json_each(?3) i CROSS JOIN t
        LEFT JOIN contacts c ON c.project_id = ?1 AND c.email = 'c' || i.value || '@example.com'`,
    )
    .bind(project.id, name, JSON.stringify(contacts), times, at)
    .run();
}

const numbers = (from: number, to: number, step = 1) =>
  Array.from({ length: Math.floor((to - from) / step) + 1 }, (_, index) => from + index * step);

describe("a source", () => {
  const contacts = 40;
  let ctx: Context;
  let project: TestProject;
  let list: string;

  beforeAll(async () => {
    project = await newProject();
    await addContacts(project, 1, contacts);
    await addEvents(project, "login", numbers(1, contacts, 3), { daysAgo: 20 });
    await addEvents(project, "login", numbers(1, contacts, 6), { daysAgo: 1, times: 3 });
    // Two with more events than most windows have rows.
    await addEvents(project, "login", [10, 11], { daysAgo: 2, times: 30 });
    // Of somebody who is gone, and of nobody.
    await addEvents(project, "login", [contacts + 5], { daysAgo: 1 });
    await addEvents(await newProject(), "login", [2], { daysAgo: 1 });
    list = (await newSegment(project, { name: "list", type: "STATIC" })).id;
    await addMembers(project, list, { emails: numbers(5, 25).map((i) => `c${i}@example.com`) });
  });
  // A scan is as much as an invocation makes.
  beforeEach(async () => {
    ({ ctx } = await new World().context(project));
  });

  const all: ScanSource = { over: "contacts", rows: 0 };
  /** As `addContacts` makes ids. */
  const numberOf = timeOf;

  /** Whom a scan of the source finds, in windows of so many rows, in the order of the scan. */
  async function find(
    source: ScanSource,
    condition: FilterCondition,
    { rows, ...options }: ScanOptions & { rows: number },
  ): Promise<number[]> {
    const audience = audienceOf(condition, new Map([[list, "members"]]), new Date(now));
    const { ctx } = await new World().context(project);
    const found: number[] = [];
    for await (const window of scan(ctx, audience, source, { maxWindows: 200 }, { ...options, rowsOf: () => rows })) {
      const ids = options.want === "ids" ? window.ids : window.contacts.map(({ id }) => id);
      const ordered = ids.map(numberOf).toSorted((a, b) => (options.direction === "up" ? a - b : b - a));
      found.push(...ordered);
      if (window.isLast) return found;
    }
    throw new Error("The scan has no end");
  }

  const lately = only("login", "triggeredWithin", 7, "days");

  it.each(sample([1, 2, 3, 7, 25, 500]))("leads past everybody, each once, in windows of %i rows", async (rows) => {
    const inList = only(`segment.${list}`, "memberOfSegment");
    const pro = { logic: "AND" as const, groups: [...lately.groups, ...isPro.groups] };
    const listed = { logic: "AND" as const, groups: [...lately.groups, ...inList.groups] };
    const since = firstIdAt(now - 7 * dayMs);
    const byEvent: ScanSource[] = [
      { over: "events", name: "login", firstId: belowAllIds, rows: 0 },
      { over: "events", name: "login", firstId: since, rows: 0 },
    ];
    const byList: ScanSource = { over: "members", segmentId: readId(list), rows: 0 };
    const address = "c7@example.com";
    const seventh = { logic: "AND" as const, groups: [...lately.groups, ...only("email", "equals", address).groups] };
    for (const [condition, sources] of [
      [lately, byEvent],
      [pro, byEvent],
      [listed, [...byEvent, byList]],
      [inList, [byList]],
      [seventh, [...byEvent, { over: "email", email: address, rows: 1 }]],
      [only("login", "triggered"), byEvent.slice(0, 1)],
    ] as const) {
      const expected = await find(all, condition, { rows: 500, direction: "up", want: "ids" });
      expect(expected.length).toBeGreaterThan(0);
      for (const source of [all, ...sources]) {
        const up = await find(source, condition, { rows, direction: "up", want: "ids" });
        const down = await find(source, condition, { rows, direction: "down", want: "ids" });
        expect([up, down.reverse()], source.over).toEqual([expected, expected]);
      }
    }
  });

  it.each(["up", "down"] as const)(
    "is scanned %s for one page, which may begin and end in any window",
    async (direction) => {
      const everybody = await find(all, isPro, { rows: 7, direction, want: "ids" });
      expect(everybody).toHaveLength(contacts / 2);
      for (const want of [
        { skip: 0, take: 4 },
        { skip: 3, take: 9 },
        { skip: 18, take: 5 },
        { skip: 30, take: 5 },
      ]) {
        const page = await find(all, isPro, { rows: 7, direction, want });
        expect(page).toEqual(everybody.slice(want.skip, want.skip + want.take));
      }
    },
  );

  it("is divided into parts by its rows, and no contact is in two", async () => {
    const partsOf = async (source: ScanSource) => (await findParts(ctx, source, 4)).slice(1).map(numberOf);
    expect(await partsOf({ over: "contacts", rows: 40 })).toEqual([31, 21, 11]);
    expect(await partsOf({ over: "members", segmentId: readId(list), rows: 21 })).toEqual([20, 14, 8]);
    // 10 and 11 have more rows than a part.
    expect(await partsOf({ over: "events", name: "login", firstId: belowAllIds, rows: 96 })).toEqual([13, 11, 10]);
    // There are fewer rows than the figure says.
    expect(await partsOf({ over: "contacts", rows: 100 })).toEqual([16]);
  });

  it("ends a window where a source secondSource it has had as many rows", async () => {
    const logins: ScanSource = { over: "events", name: "login", firstId: belowAllIds, rows: 0 };
    const members: ScanSource = { over: "members", segmentId: readId(list), rows: 0 };
    const edgeOf = async (source: ScanSource, secondSource?: ScanSource) => {
      const { edge } = windowFrom(ctx, source, { direction: "up", from: belowAllIds, rows: 8, secondSource });
      const { id } = await selectOne(ctx.db, sql`WITH ${edge} SELECT id FROM edge`, columns({ id: asId }));
      return id === aboveAllIds ? "the end" : numberOf(id);
    };
    // 1 and 7 have four logins each; the list begins with 5.
    expect([await edgeOf(logins), await edgeOf(members)]).toEqual([7, 12]);
    expect([await edgeOf(logins, members), await edgeOf(members, logins)]).toEqual([7, 7]);
    expect(await edgeOf({ ...logins, name: "nothing" }, members)).toBe(12);
    expect(await edgeOf({ ...logins, name: "nothing" })).toBe("the end");
  });
});

describe("in a large project", () => {
  const contacts = 26_000;
  const [rare, common] = [numbers(1_000, 20_000, 1_000), numbers(1, contacts)];
  let project: TestProject;
  let list: string;

  beforeAll(async () => {
    project = await newProject();
    for (const from of [1, 10_001, 20_001]) await addContacts(project, from, Math.min(contacts, from + 9_999));
    await addEvents(project, "refund", rare, { daysAgo: 2 });
    await addEvents(project, "login", common, { daysAgo: 20 });
    await addEvents(project, "login", common.slice(0, 100), { daysAgo: 1 });
    list = (await newSegment(project, { name: "list", type: "STATIC" })).id;
    await addMembers(project, list, { emails: ["c5@example.com", "c6@example.com"] });
  });

  async function sourceOf(condition: FilterCondition, total = contacts): Promise<ScanSource> {
    const { ctx } = await new World().context(project);
    const segments = new Map([[list, "members"]] as const);
    const audience = audienceOf(condition, segments, new Date(now));
    return findScanSource(ctx, audience, { contacts: total, now: new Date(now) });
  }

  const and = (...conditions: FilterCondition[]): FilterCondition => ({
    logic: "AND",
    groups: conditions.flatMap(({ groups }) => groups),
  });
  const refunded = only("refund", "triggered");
  const loggedIn = only("login", "triggered");

  it("the cheapest source is taken", async () => {
    const refunds = { over: "events", name: "refund", firstId: belowAllIds, rows: 20 };
    const all = { over: "contacts", rows: contacts };
    expect(await sourceOf(refunded)).toEqual(refunds);
    expect(await sourceOf(and(isPro, refunded, loggedIn))).toEqual(refunds);
    expect(await sourceOf(and(refunded, only(`segment.${list}`, "memberOfSegment")))).toEqual({
      over: "members",
      segmentId: readId(list),
      rows: 2,
    });
    const address = "c9@example.com";
    expect(await sourceOf(and(refunded, only("email", "equals", address)))).toEqual({
      over: "email",
      email: address,
      rows: 1,
    });
    expect(await sourceOf(loggedIn)).toEqual(all);
    expect(await sourceOf(isPro)).toEqual(all);
    // Of all who ever logged in, few did so lately: the rows of all are read, and the contacts of few.
    expect(await sourceOf(only("login", "triggeredWithin", 3, "days"))).toEqual({
      over: "events",
      name: "login",
      firstId: firstIdAt(now - 3 * dayMs),
      rows: contacts + 100,
    });
    for (const days of [30, 365]) expect(await sourceOf(only("login", "triggeredWithin", days, "days"))).toEqual(all);
    expect(await sourceOf(only("unheard", "triggered"))).toMatchObject({ over: "events", rows: 0 });
    expect(await sourceOf(refunded, 25_000)).toEqual({ over: "contacts", rows: 25_000 });
  });

  it("whoever has a rare event is found at once, counted exactly, and computed", async () => {
    const condition = and(refunded, isPro);
    const emails = rare.map((i) => `c${i}@example.com`).reverse();
    const segment = await newSegment(project, { name: "Refunded", condition, trackMembership: true });
    expect(segment.memberCount).toBe(20);
    const { body } = await project.api.get(`/segments/${segment.id}/contacts?pageSize=5&page=2`);
    expect(body).toMatchObject({ total: 20, page: 2 });
    expect(body).not.toHaveProperty("approximate");
    expect(body.data.map(({ email }: { email: string }) => email)).toEqual(emails.slice(5, 10));
    const preview = await project.api.post("/segments/preview", { condition });
    expect(preview.body).toMatchObject({ count: 20, sample: { length: 10 } });

    const world = new World();
    const { ctx } = await world.context(project);
    const row = await segmentRow(world, project, segment);
    const started = await computeSegment(ctx, row);
    expect(started).toEqual({ jobId: expect.any(String) });
    await world.drain();
    expect(await ledgerOf(project, segment)).toEqual({ members: 20, entries: 20, exits: 0, wrong: 0 });
    // Members who are not in the source at all leave.
    await updateSegment(ctx, readId(segment.id), { condition: only("unheard", "triggered") });
    await computeSegment(ctx, await segmentRow(world, project, segment));
    await world.drain();
    expect(await ledgerOf(project, segment)).toEqual({ members: 0, entries: 20, exits: 20, wrong: 0 });
  });

  it("a page is filled although all members are among the oldest, in few windows", async () => {
    const world = new World();
    const { ctx } = await world.context(project);
    const segment = await newSegment(project, { condition: only("data.n", "lessThanOrEqual", 800) });
    await refreshCount(ctx, await segmentRow(world, project, segment));
    const { rows, total } = await listSegmentContacts(ctx, readId(segment.id), { page: 1, pageSize: 20 });
    expect([rows.length, rows[0]?.email, total]).toEqual([20, "c800@example.com", 800]);
    expect(world.statements.filter(({ sql: text }) => /^WITH a .* matching \(place/s.test(text)).length).toBeLessThan(
      8,
    );
  });

  it("a page is refused, and not short, when it lies further than a call looks", async () => {
    const other = await newProject();
    for (let from = 1; from < 75_000; from += 15_000) await addContacts(other, from, from + 14_999);
    const longAgo = Array.from({ length: 40 }, (_, n) => only(`e${n}`, "triggeredOlderThan", 1, "days").groups).flat();
    const [oldest] = only("data.n", "lessThanOrEqual", 10).groups;
    const condition = { logic: "AND", groups: [{ ...oldest, conditions: { logic: "OR", groups: longAgo } }] };
    const { id } = await newSegment(other, { condition });
    const answer = await other.api.get(`/segments/${id}/contacts`);
    expectInvalid(answer, "page", "too_big");
  });

  /** A condition that takes some 90 µs a contact, so that one statement evaluates it for 275 of them. */
  const costly = (condition: FilterCondition): FilterCondition => {
    const [group] = condition.groups;
    const never = Array.from({ length: 98 }, (_, n) => only(`e${n}`, "notTriggered").groups).flat();
    return { logic: "AND", groups: [{ filters: [], ...group, conditions: { logic: "OR", groups: never } }] };
  };

  it("a preview of a condition with many lookups is exact too, in few round trips", async () => {
    const far = new FarDatabase(0);
    const world = new World();
    world.settings = { DB: far.of(databaseOf("DB")), DB_01: far.of(databaseOf("DB_01")) };
    const { ctx } = await world.context(project);
    far.trips = 0;
    const found = await previewSegment(ctx, costly(only("data.n", "lessThanOrEqual", 800)));
    expect(found).toMatchObject({ count: 800, isApproximate: false, sample: { length: 10 } });
    expect(found.sample.map(({ email }) => email)).toEqual(numbers(0, 9).map((i) => `c${800 - i}@example.com`));
    // 95 windows, four a batch; and where they begin, how many contacts there are, and what the condition needs.
    expect(far.trips).toBeLessThan(30);
  });

  it("a preview scans contacts where the rows of a few people's event are more than it may read", async () => {
    for (const daysAgo of numbers(3, 8)) await addEvents(project, "spree", [7], { daysAgo, times: 10_000 });
    const condition = costly(only("spree", "triggered"));
    expect(await sourceOf(condition)).toMatchObject({ over: "events", rows: 60_000 });
    const { ctx } = await new World().context(project);
    expect(await previewSegment(ctx, condition)).toMatchObject({ count: 1, isApproximate: false });
  });

  it("a preview does not say 0 when a segment has more members than it was counted with", async () => {
    const { id } = await newSegment(project, { name: "Growing", type: "STATIC" });
    await project.db
      .prepare("INSERT INTO segment_members SELECT project_id, ?2, id, 0 FROM contacts WHERE project_id = ?1")
      .bind(project.id, id)
      .run();
    const { ctx } = await new World().context(project);
    const [member] = only(`segment.${id}`, "memberOfSegment").groups;
    const oldest = and(only("data.n", "lessThanOrEqual", 10), { logic: "AND", groups: member ? [member] : [] });
    expect(await previewSegment(ctx, oldest)).toEqual({ count: null, isApproximate: true, sample: [] });
    await project.api.post(`/segments/${id}/refresh`);
    expect(await previewSegment(ctx, oldest)).toMatchObject({ count: 10, isApproximate: false });
  });

  it("no statement of a scan reads more than its window, and all by index", async () => {
    const world = new World();
    const { ctx } = await world.context(project);
    const inList = and(isPro, only(`segment.${list}`, "memberOfSegment"));
    for (const condition of [refunded, inList, only("email", "equals", "c9@example.com")]) {
      const segment = await newSegment(project, { condition, trackMembership: true });
      await listSegmentContacts(ctx, readId(segment.id), { page: 1, pageSize: 10 });
      await previewSegment(ctx, condition);
      await findParts(ctx, await sourceOf(condition), 2);
      await computeSegment(ctx, await segmentRow(world, project, segment));
      await world.drain();
    }
    await previewSegment(ctx, costly(isPro));
    const ours = world.statements.filter(({ sql: text }) => /edges? \((n, )?id\)|JOIN event_names e/.test(text));
    expect(ours.length).toBeGreaterThan(90);
    await expectBounded(ours, [namesOfCondition, matchesOfWindow]);
  });
});
