import { expect, it } from "vitest";
import type { ActivityType } from "../../src/core/events/activity-types";
import type { Span } from "../../src/core/events/range";
import { type Id, readId } from "../../src/core/ids";
import { listActivity } from "../../src/features/activity/list";
import { activityStats } from "../../src/features/activity/stats";
import { listUpcoming } from "../../src/features/activity/upcoming";
import { listEvents } from "../../src/features/events/list";
import type { Context } from "../../src/platform/context";
import { addEvents } from "../support/events";
import { expectBounded } from "../support/plan";
import { newProject, type TestProject } from "../support/project";
import { World } from "../support/world";

const dayMs = 86_400_000;

/** 135,000 events: half of them mail, a sixth of one contact; some of one type are rare, some of one are long ago. */
async function fill(project: TestProject, now: number): Promise<Id> {
  const contacts = (await Promise.all(
    ["ada", "bob", "cyd"].map((name) => project.api.post("/contacts", { email: `${name}@example.com` })),
  ).then((made) => made.map(({ body }) => body.id))) as string[];
  const add = (name: string, count: number, daysAgo: number) =>
    addEvents(project, { name, count, at: now - daysAgo * dayMs, contacts });
  for (let n = 0; n < 25; n++) await add(`name ${n}`, 1, 85);
  // The large ones last: the counts are made anew each time.
  await add("email.bounced", 200, 10);
  await add("purchase", 500, 5);
  await add("email.sent", 300, 2);
  await add("email.clicked", 26_000, 80);
  await add("email.delivered", 28_000, 10);
  await add("view", 40_000, 20);
  await add("email.sent", 40_000, 30);
  return readId(contacts[0] ?? "");
}

it("reads no more of 135,000 events than a page asks for, or one look at most", async () => {
  const project = await newProject();
  const world = new World();
  const ada = await fill(project, world.now);
  const statements: World["statements"] = [];
  const measure = async (read: (ctx: Context) => Promise<unknown>) => {
    const { ctx, process } = await world.context(project);
    await read(ctx);
    statements.push(...process.statements);
    return process.mostRowsRead;
  };
  const feed = async (filters: { types?: ActivityType[]; contactId?: Id; startDate?: Span; endDate?: Span }) => {
    const page = {
      limit: 20,
      types: undefined,
      contactId: undefined,
      startDate: undefined,
      endDate: undefined,
      ...filters,
    };
    let cursor = "";
    const first = await measure(async (ctx) => {
      cursor = (await listActivity(ctx, page)).cursor;
    });
    return { first, second: await measure((ctx) => listActivity(ctx, { ...page, cursor })) };
  };
  const ofPage = 200;
  const ofFirstLook = 1_100;
  const ofLook = 25_200;
  // They are in the index and in the tree that sorts them.
  const ofRare = 2 * 200 + ofPage;

  // In the order of an index: only the page, and for the total of a contact up to 25,000 of theirs.
  expect((await feed({})).first).toBeLessThan(ofPage);
  expect((await feed({})).second).toBeLessThan(ofPage);
  expect((await feed({ contactId: ada })).first).toBeLessThan(ofLook);
  expect((await feed({ contactId: ada })).second).toBeLessThan(ofPage);
  expect((await feed({ contactId: ada, types: ["email.sent"] })).second).toBeLessThan(ofPage);
  expect((await feed({ contactId: ada, types: ["email.sent", "email.bounced"] })).second).toBeLessThan(ofFirstLook);
  // Frequent types: they are soon found, or on the days on which they happened.
  expect((await feed({ types: ["email.sent"] })).first).toBeLessThan(ofFirstLook);
  expect((await feed({ types: ["email.clicked"] })).first).toBeLessThan(ofFirstLook);
  expect((await feed({ types: ["email.sent", "email.clicked"] })).first).toBeLessThan(ofFirstLook);
  expect((await feed({ types: ["email.delivered"] })).first).toBeLessThan(ofFirstLook);
  expect((await feed({ types: ["event.triggered"] })).first).toBeLessThan(ofFirstLook);
  // Of more names than have their days asked for, behind others: one look, and the next page goes on from there.
  const endDate = { from: 0, to: world.now - 9 * dayMs };
  expect((await feed({ types: ["event.triggered"], endDate })).first).toBeLessThan(ofLook);
  expect((await feed({ types: ["event.triggered"], endDate })).second).toBeLessThan(ofLook);
  // Rare ones: all of them, and nothing else.
  expect((await feed({ types: ["email.bounced"] })).first).toBeLessThan(ofRare);
  expect((await feed({ types: ["email.bounced", "email.complained", "segment.entry"] })).second).toBeLessThan(ofRare);
  // With dates, the total is counted up to 25,000.
  const startDate = { from: world.now - 40 * dayMs, to: 0 };
  expect((await feed({ startDate })).first).toBeLessThan(25_001 + ofPage);
  expect((await feed({ startDate })).second).toBeLessThan(ofPage);
  expect((await feed({ startDate, types: ["email.sent"] })).second).toBeLessThan(ofFirstLook);
  // The same machine for events by name.
  expect(await measure((ctx) => listEvents(ctx, { name: "view", limit: 20 }))).toBeLessThan(ofFirstLook);
  // Days, not events.
  expect(await measure((ctx) => activityStats(ctx, {}))).toBeLessThan(200);
  const days = { startDate: { from: world.now - 365 * dayMs, to: 0 }, endDate: { from: 0, to: world.now } };
  expect(await measure((ctx) => activityStats(ctx, days))).toBeLessThan(25_200);

  await expectBounded(statements, [
    // The list of all events walks the project's own part of the key from its end, as far as the page goes.
    { sql: /FROM events e .*WHERE e\.project_id = \? ORDER BY e\.id DESC LIMIT/, step: /^SEARCH e / },
    // One look, at 1,000 or 25,000 events.
    { sql: /FROM events WHERE project_id = \? ORDER BY id DESC LIMIT/, step: /^SEARCH events USING PRIMARY KEY/ },
    // The events of one page, once it is known which.
    { sql: /LIMIT \?\) page CROSS JOIN events e .* ORDER BY e\.id DESC$/, step: /TEMP B-TREE FOR ORDER BY/ },
    // Names and days, 25,000 of them at most.
    { sql: /FROM event_names n|FROM event_names WHERE/, step: /TEMP B-TREE FOR (GROUP BY|ORDER BY)/ },
  ]);
});

it("reads of 30,000 scheduled emails only the page", async () => {
  const project = await newProject();
  const world = new World();
  await project.api.send({ scheduledAt: new Date(world.now + 2 * dayMs).toISOString() });
  const columns = "project_id, content_id, contact_id, to_email, source, status, created_at";
  await project.db
    .prepare(
      `INSERT INTO emails (id, scheduled_at, ${columns}, campaign_id)
      WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 30000)
      SELECT printf('%022d', i), scheduled_at + i / 10000, ${columns}, 'c' || i FROM n CROSS JOIN emails WHERE project_id = ?`,
    )
    .bind(project.id)
    .run();
  const first = await world.context(project);
  const { cursor, total, approximate } = await listUpcoming(first.ctx, { limit: 100 });
  expect([total, approximate]).toEqual([25_000, true]);
  expect(first.process.mostRowsRead).toBeLessThanOrEqual(25_000);
  const second = await world.context(project);
  const page = await listUpcoming(second.ctx, { limit: 100, cursor });
  expect([page.data.length, page.hasMore]).toEqual([100, true]);
  expect(second.process.mostRowsRead).toBeLessThan(1_000);
  await expectBounded(
    [...first.process.statements, ...second.process.statements],
    // The rows of one page.
    [
      { sql: /LIMIT \?\) s .*ORDER BY s\.at, s\.id$/, step: /^(SCAN s|USE TEMP B-TREE FOR ORDER BY)$/ },
      { sql: /LIMIT \(SELECT count\(\*\) FROM/, step: /^SCAN s$/ },
    ],
  );
});
