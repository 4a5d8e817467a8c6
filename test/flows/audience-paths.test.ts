import { env } from "cloudflare:workers";
import { sql } from "drizzle-orm";
import { beforeAll, describe, expect, it } from "vitest";
import type { FilterCondition } from "../../src/core/audience/condition";
import { firstIdAt } from "../../src/core/ids";
import { audienceOf } from "../../src/db/audience";
import { query } from "../../src/db/commit";
import { findPath, type Path } from "../../src/engine/audience/scan-source";
import { aboveAll, belowAll, stretchDown, stretchUp } from "../../src/engine/audience/scan-window";
import { computeSegment } from "../../src/features/segments/compute";
import { listSegmentContacts } from "../../src/features/segments/contacts";
import { refreshCount } from "../../src/features/segments/count";
import { previewSegment } from "../../src/features/segments/preview";
import { updateSegment } from "../../src/features/segments/update";
import type { Context } from "../../src/platform/context";
import { addContacts, ledgerOf, segmentRow } from "../support/membership";
import { planOf } from "../support/plan";
import { newProject, type TestProject } from "../support/project";
import { expectInvalid } from "../support/refusal";
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
  await env.DB.prepare(
    `INSERT INTO events (id, project_id, name, contact_id, data, created_at, dispatched_at)
      WITH RECURSIVE t(k) AS (SELECT 1 UNION ALL SELECT k + 1 FROM t WHERE k < ?5)
      SELECT substr(?4, 1, 24) || lower(hex(randomblob(6))), ?1, ?2, printf('00000000-%06d-', i.value) || ?1, '{}', ?6, ?6
      FROM json_each(?3) i, t`,
  )
    .bind(project.id, name, JSON.stringify(contacts), firstIdAt(at), times, at)
    .run();
}

const numbers = (from: number, to: number, step = 1) =>
  Array.from({ length: Math.floor((to - from) / step) + 1 }, (_, index) => from + index * step);

describe("a path", () => {
  const contacts = 40;
  let ctx: Context;
  let project: TestProject;
  let list: string;

  beforeAll(async () => {
    project = await newProject();
    await addContacts(project, 1, contacts);
    await addEvents(project, "login", numbers(1, contacts, 3), { daysAgo: 20 });
    await addEvents(project, "login", numbers(1, contacts, 6), { daysAgo: 1, times: 3 });
    // One with more events than any stretch has rows.
    await addEvents(project, "login", [10, 11], { daysAgo: 2, times: 30 });
    // Of somebody who is gone, and of nobody.
    await addEvents(project, "login", [contacts + 5], { daysAgo: 1 });
    await addEvents(await newProject(), "login", [2], { daysAgo: 1 });
    list = (await newSegment(project, { name: "list", type: "STATIC" })).id;
    await addMembers(project, list, { emails: numbers(5, 25).map((i) => `c${i}@example.com`) });
    ({ ctx } = await new World().context(project));
  });

  const number = ({ id }: Record<string, unknown>) => Number(String(id).split("-")[1]);

  /** Whom a walk along the path finds, in stretches of so many rows, and how many stretches there were. */
  async function walk(path: Path, condition: FilterCondition, rows: number, way: "up" | "down") {
    const { values, matches } = audienceOf(condition, new Map([[list, "members"]]), new Date(now));
    const found: number[] = [];
    let from = way === "up" ? belowAll : aboveAll;
    const end = way === "up" ? aboveAll : belowAll;
    for (let stretches = 1; stretches < 200; stretches++) {
      const stretch =
        way === "up" ? stretchUp(ctx, path, { after: from, rows }) : stretchDown(ctx, path, { before: from, rows });
      const seen = await query(
        ctx.db,
        sql`WITH ${values}, ${stretch.edge} SELECT edge.id AS edge, c.id FROM edge
          LEFT JOIN (SELECT c.id ${stretch.contacts} AND ${matches}) c ORDER BY c.id`,
      );
      found.push(...seen.filter(({ id }) => id !== null).map(number));
      from = String(seen[0]?.edge);
      if (from === end) return { found: found.sort((a, b) => a - b), stretches };
    }
    throw new Error("The walk has no end");
  }

  const lately = only("login", "triggeredWithin", 7, "days");

  it.each([1, 2, 3, 7, 25, 500])("leads past everybody, each once, in stretches of %i rows", async (rows) => {
    const inList = only(`segment.${list}`, "memberOfSegment");
    const pro = { logic: "AND" as const, groups: [...lately.groups, ...isPro.groups] };
    const listed = { logic: "AND" as const, groups: [...lately.groups, ...inList.groups] };
    const since = firstIdAt(now - 7 * dayMs);
    const byEvent: Path[] = [
      { along: "events", name: "login", firstId: "", rows: 0 },
      { along: "events", name: "login", firstId: since, rows: 0 },
    ];
    const byList: Path = { along: "members", segmentId: list, rows: 0 };
    const address = "c7@example.com";
    const seventh = { logic: "AND" as const, groups: [...lately.groups, ...only("email", "equals", address).groups] };
    for (const [condition, paths] of [
      [lately, byEvent],
      [pro, byEvent],
      [listed, [...byEvent, byList]],
      [inList, [byList]],
      [seventh, [...byEvent, { along: "email", email: address, rows: 1 }]],
      [only("login", "triggered"), byEvent.slice(0, 1)],
    ] as const) {
      const expected = await walk({ along: "contacts", rows: 0 }, condition, rows, "up");
      expect(expected.found.length).toBeGreaterThan(0);
      for (const path of [{ along: "contacts", rows: 0 } as const, ...paths]) {
        for (const way of ["up", "down"] as const) {
          const { found } = await walk(path, condition, rows, way);
          expect(found, `${path.along}, ${way}`).toEqual(expected.found);
        }
      }
    }
  });

  it("ends a stretch where a path beside it has had as many rows", async () => {
    const logins: Path = { along: "events", name: "login", firstId: "", rows: 0 };
    const members: Path = { along: "members", segmentId: list, rows: 0 };
    const edgeOf = async (path: Path, beside?: Path) => {
      const { edge } = stretchUp(ctx, path, { after: belowAll, rows: 8, beside });
      const [row = {}] = await query(ctx.db, sql`WITH ${edge} SELECT id FROM edge`);
      return row.id === aboveAll ? "the end" : number(row);
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

  async function pathOf(condition: FilterCondition, total = contacts): Promise<Path> {
    const { ctx } = await new World().context(project);
    const segments = new Map([[list, "members"]] as const);
    return findPath(ctx, condition, { segments, contacts: total, now: new Date(now) });
  }

  const and = (...conditions: FilterCondition[]): FilterCondition => ({
    logic: "AND",
    groups: conditions.flatMap(({ groups }) => groups),
  });
  const refunded = only("refund", "triggered");
  const loggedIn = only("login", "triggered");

  it("the shortest path is taken", async () => {
    const refunds = { along: "events", name: "refund", firstId: "", rows: 20 };
    const all = { along: "contacts", rows: contacts };
    expect(await pathOf(refunded)).toEqual(refunds);
    expect(await pathOf(and(isPro, refunded, loggedIn))).toEqual(refunds);
    expect(await pathOf(and(refunded, only(`segment.${list}`, "memberOfSegment")))).toEqual({
      along: "members",
      segmentId: list,
      rows: 2,
    });
    const address = "c9@example.com";
    expect(await pathOf(and(refunded, only("email", "equals", address)))).toEqual({
      along: "email",
      email: address,
      rows: 1,
    });
    expect(await pathOf(loggedIn)).toEqual(all);
    expect(await pathOf(isPro)).toEqual(all);
    // Of all who ever logged in, few did so lately: their rows are passed, and their contacts not looked at.
    expect(await pathOf(only("login", "triggeredWithin", 3, "days"))).toEqual({
      along: "events",
      name: "login",
      firstId: firstIdAt(now - 3 * dayMs),
      rows: contacts + 100,
    });
    for (const days of [30, 365]) expect(await pathOf(only("login", "triggeredWithin", days, "days"))).toEqual(all);
    expect(await pathOf(only("unheard", "triggered"))).toMatchObject({ along: "events", rows: 0 });
    expect(await pathOf(refunded, 25_000)).toEqual({ along: "contacts", rows: 25_000 });
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
    expect(await ledgerOf(segment)).toEqual({ members: 20, entries: 20, exits: 0, wrong: 0 });
    // Those who are members and not on the path at all leave.
    await updateSegment(ctx, segment.id, { condition: only("unheard", "triggered") });
    await computeSegment(ctx, await segmentRow(world, project, segment));
    await world.drain();
    expect(await ledgerOf(segment)).toEqual({ members: 0, entries: 20, exits: 20, wrong: 0 });
  });

  it("a page is filled although all members are among the oldest, in few looks", async () => {
    const world = new World();
    const { ctx } = await world.context(project);
    const segment = await newSegment(project, { condition: only("data.n", "lessThanOrEqual", 800) });
    await refreshCount(ctx, await segmentRow(world, project, segment));
    const { rows, total } = await listSegmentContacts(ctx, segment.id, { page: 1, pageSize: 20 });
    expect([rows.length, rows[0]?.email, total]).toEqual([20, "c800@example.com", 800]);
    expect(world.statements.filter(({ sql: text }) => /^WITH a .* matching \(place/s.test(text)).length).toBeLessThan(
      8,
    );
  });

  it("a page is refused, and not short, when it lies further than a call looks", async () => {
    const other = await newProject();
    for (const from of [1, 10_001, 20_001, 30_001]) await addContacts(other, from, Math.min(36_000, from + 9_999));
    const longAgo = Array.from({ length: 99 }, (_, n) => only(`e${n}`, "triggeredOlderThan", 1, "days").groups).flat();
    const [oldest] = only("data.n", "lessThanOrEqual", 10).groups;
    const condition = { logic: "AND", groups: [{ ...oldest, conditions: { logic: "OR", groups: longAgo } }] };
    const { id } = await newSegment(other, { condition });
    const answer = await other.api.get(`/segments/${id}/contacts`);
    expectInvalid(answer, "page", "too_big");
  });

  it("no statement along a path reads more than its stretch, and all by index", async () => {
    const world = new World();
    const { ctx } = await world.context(project);
    const inList = and(isPro, only(`segment.${list}`, "memberOfSegment"));
    for (const condition of [refunded, inList, only("email", "equals", "c9@example.com")]) {
      const segment = await newSegment(project, { condition, trackMembership: true });
      await listSegmentContacts(ctx, segment.id, { page: 1, pageSize: 10 });
      await previewSegment(ctx, condition);
      await computeSegment(ctx, await segmentRow(world, project, segment));
      await world.drain();
    }
    const ours = world.statements.filter(({ sql: text }) => /edge \(id\)|event_names/.test(text));
    expect(ours.length).toBeGreaterThan(6);
    for (const { sql: text, values } of ours) {
      const steps = await planOf({ sql: text, values: values });
      expect(
        steps.filter((step) => /SCAN (c|contacts|events|e|d|segment_members|s)\b|TEMP B-TREE FOR GROUP/.test(step)),
        text,
      ).toEqual([]);
    }
  });
});
