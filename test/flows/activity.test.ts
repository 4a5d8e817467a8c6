import { sql } from "drizzle-orm";
import { describe, expect, it, vi } from "vitest";
import { readId } from "../../src/core/ids";
import { openBatch } from "../../src/db/batch";
import { forgetOldEvents } from "../../src/engine/events/forget-old";
import { insertEvents } from "../../src/engine/events/record";
import { addEvents } from "../support/events";
import { everyPage } from "../support/pages";
import { newProject, type TestProject } from "../support/project";
import { mailOf, sendAndWait } from "../support/send-and-wait";
import { clickUrls, follow, pixelUrlIn } from "../support/tracking";
import { World } from "../support/world";

const dayMs = 86_400_000;
const counts = { sent: 0, delivered: 0, opened: 0, clicked: 0, bounced: 0, complained: 0, events: 0 };

async function track(project: TestProject, event: string, email = "ada@example.com") {
  const { status, body } = await project.api.post("/events/track", { email, event });
  expect(status, JSON.stringify(body)).toBe(200);
  return body.data.contact as string;
}

/** Events as the service records them: in a batch, with their counts. */
async function record(world: World, project: TestProject, name: string, contactId: string) {
  const { ctx } = await world.context(project);
  const batch = openBatch(ctx);
  const rows = sql`SELECT ${ctx.project.number} AS project_id, ${name} AS name, ${readId(contactId)} AS contact_id,
      NULL AS email_id, '{}' AS data FROM json_each('[1, 2, 3]')`;
  batch.add(insertEvents(ctx, { rows }));
  await batch.commit();
}

describe("the feed while things happen", () => {
  it.each([
    ["everything", "", 100],
    ["frequent types, which are looked for among all", "types=email.sent,email.opened", 100],
    ["a rare type, which is sorted", "types=email.bounced", 1_000],
    ["what a caller tracked", "types=event.triggered,email.bounced", 1_000],
    ["types of a contact", "contactId=BOB&types=email.bounced,event.triggered", 1_000],
    ["a contact", "contactId=BOB", 100],
  ])("shows nothing twice and leaves out none of those that were there: %s", async (_, asked, enough) => {
    const [project, world] = [await newProject(), new World()];
    const [ada, bob] = [await track(project, "signup"), await track(project, "signup", "bob@example.com")];
    const query = asked.replace("BOB", bob);
    const [now, contacts] = [Date.now(), [ada, bob]];
    await addEvents(project, { name: "email.sent", count: 20_000, at: now - 20 * dayMs, contacts });
    await addEvents(project, { name: "email.opened", count: 5_100, at: now - 20 * dayMs + 5_000, contacts });
    await addEvents(project, { name: "email.sent", count: 30, at: now - 2 * dayMs, contacts });
    await addEvents(project, { name: "email.bounced", count: 25, at: now - 3 * dayMs, contacts });
    await addEvents(project, { name: "purchase", count: 40, at: now - dayMs, contacts });
    await addEvents(project, { name: "view", count: 35, at: now - dayMs, contacts });

    const there = await storedIds(project, query);
    let page = 0;
    const seen: string[] = [];
    for (let cursor = ""; ; page++) {
      const { body } = await project.api.get(`/activity?${query}&limit=7${cursor && `&cursor=${cursor}`}`);
      seen.push(...body.data.map(({ id }: { id: string }) => id));
      if (!body.hasMore || seen.length >= enough) break;
      cursor = body.cursor;
      await track(project, "purchase", `new${page}@example.com`);
      await record(world, project, "email.bounced", bob);
      if (page === 2) expect((await project.api.delete("/events/view")).body).toEqual({ deletedCount: 35 });
    }
    const left = new Set(await storedIds(project, query));
    expect(new Set(seen).size).toBe(seen.length);
    // Those that were deleted are there as far as the pages before had come.
    const expected = there.filter((id) => left.has(id) || seen.includes(id));
    expect(seen).toEqual(enough === 1_000 ? expected : expected.slice(0, seen.length));
    expect(seen.length).toBeGreaterThan(20);
  });

  it("goes on behind a contact that is erased meanwhile", async () => {
    const project = await newProject();
    const ada = await track(project, "signup");
    const bob = await track(project, "signup", "bob@example.com");
    await addEvents(project, { name: "purchase", count: 10, at: Date.now() - 1_000, contacts: [ada, bob] });
    let page = 0;
    const entries = await everyPage(project, "/activity", {
      limit: 3,
      between: async () => {
        if (page++ === 1) expect((await project.api.delete(`/contacts/${ada}`)).status).toBe(204);
      },
    });
    expect(entries).toHaveLength(12);
    expect(new Set(entries.map(({ id }) => id)).size).toBe(12);
    const ofAda = entries.filter(({ contactId }) => contactId === ada).map(({ contactEmail }) => contactEmail);
    expect(ofAda).toEqual(["ada@example.com", "ada@example.com", "ada@example.com", null, null, null]);
  });

  it.each([
    ["of a few names, whose days are known", 1],
    ["of many names, whose days are not", 30],
  ])("finds what happened long ago, behind many others: %s", async (_, names) => {
    const project = await newProject();
    const now = Date.now();
    for (let n = 1; n < names; n++) await addEvents(project, { name: `name ${n}`, count: 1, at: now - 22 * dayMs });
    await addEvents(project, { name: "purchase", count: 25_100, at: now - 22 * dayMs });
    await addEvents(project, { name: "email.sent", count: 27_000, at: now - 20 * dayMs });
    // Among those of others, at the edges of what one look sees.
    for (const at of [0, 1_999, 2_000, 26_000]) {
      await addEvents(project, { name: "purchase", count: 1, at: now - 20 * dayMs + at });
    }
    await addEvents(project, { name: "email.sent", count: 5, at: now - dayMs });
    const there = await storedIds(project, "types=event.triggered");
    const seen: string[] = [];
    let [cursor, pages] = ["", 0];
    while (seen.length < 300 && pages < 12) {
      const { body } = await project.api.get(
        `/activity?types=event.triggered&limit=100${cursor && `&cursor=${cursor}`}`,
      );
      if (pages++ === 0) expect(body.total).toBe(25_104 + names - 1);
      expect(body.hasMore).toBe(true);
      seen.push(...body.data.map(({ id }: { id: string }) => id));
      cursor = body.cursor;
    }
    expect(seen).toEqual(there.slice(0, seen.length));
    expect(seen.length).toBeGreaterThanOrEqual(300);
  });
});

const callersNames = ["purchase", "signup", "view", ...Array.from({ length: 30 }, (_, n) => `name ${n}`)];

/** The events of the same filters, newest first, asked without any of our code. */
async function storedIds(project: TestProject, query: string): Promise<string[]> {
  const asked = new URLSearchParams(query);
  const types = asked.get("types")?.split(",");
  const names = types?.flatMap((type) => (type === "event.triggered" ? callersNames : [type]));
  const { results } = await project.db
    .prepare(
      `SELECT id FROM events WHERE project_id = ?1 AND (?2 IS NULL OR name IN (SELECT value FROM json_each(?2)))
        AND (?3 IS NULL OR contact_id = ?3) ORDER BY events.id DESC`,
    )
    .bind(project.id, names ? JSON.stringify(names) : null, asked.get("contactId"))
    .all<{ id: string }>();
  return results.map(({ id }) => id);
}

describe("the figures", () => {
  it("are those of the log after EVENT_RETENTION_DAYS", async () => {
    const [project, world] = [await newProject(), new World()];
    world.settings = { EVENT_RETENTION_DAYS: "25" };
    const today = Math.floor(world.now / dayMs) * dayMs;
    await project.api.post("/contacts", { email: "ada@example.com", subscribed: false });
    await addEvents(project, { name: "purchase", count: 5, at: today - 27 * dayMs });
    await addEvents(project, { name: "email.sent", count: 4, at: today - 27 * dayMs });
    await addEvents(project, { name: "email.sent", count: 3, at: today - 2 * dayMs });
    const before = (await project.api.get("/activity/stats")).body.totals;
    expect(before).toEqual({ ...counts, sent: 7, events: 5 });
    await forgetOldEvents(world.process().platform);
    const { totals, series } = (await project.api.get("/activity/stats")).body;
    expect(totals).toEqual({ ...counts, sent: 3 });
    expect(series).toHaveLength(30);
    for (const [query, total] of [
      ["", 3],
      ["types=event.triggered", 0],
      ["types=email.sent", 3],
    ] as const) {
      expect((await project.api.get(`/activity?${query}`)).body).toMatchObject({ total, hasMore: false });
    }
  });

  it("agree, whoever is asked: activity, events, and the email itself", async () => {
    const project = await newProject({ tracking: "ENABLED" });
    const link = '<p>Hello</p><a href="https://shop.example/sale">Sale</a>';
    const delivered = await sendAndWait(project, { to: "ada@example.com", body: link });
    const { html } = await mailOf(project, delivered.id);
    const [click = ""] = clickUrls(html);
    for (const [url, agent] of [[pixelUrlIn(html)], [click], [click], [click, "Barracuda Sentinel (EE)"]]) {
      await follow(url ?? "", agent === undefined ? {} : { agent });
    }
    const names = ["sent", "delivered", "opened", "clicked", "clicked", "clicked"].map((name) => `email.${name}`);
    // Each request is told by a message of its own, so they may be recorded in another order.
    await vi.waitFor(
      async () => {
        const { body } = await project.api.get(`/emails/${delivered.id}`);
        expect(body.events.map(({ name }: { name: string }) => name).toSorted()).toEqual(names.toSorted());
        // The log has what a scanner did too; the email counts people.
        expect(body).toMatchObject({ status: "CLICKED", opens: 1, clicks: 2 });
      },
      { timeout: 15_000, interval: 20 },
    );
    await sendAndWait(project, { to: "bounce@simulator.test" }, "BOUNCED");
    await sendAndWait(project, { to: "complaint@simulator.test" }, "COMPLAINED");
    await track(project, "purchase");
    const stats = (await project.api.get("/activity/stats")).body;
    const totals = { sent: 3, delivered: 2, opened: 1, clicked: 3, bounced: 1, complained: 1, events: 1 };
    expect(stats.totals).toEqual(totals);
    expect(stats.series.at(-1)).toEqual({ date: stats.series.at(-1).date, ...totals });

    const byName = (await project.api.get("/events/stats")).body;
    const count = (name: string) => byName.data.find((of: { name: string }) => of.name === name)?.count ?? 0;
    for (const [of, total] of Object.entries({ ...totals, events: 0 })) expect(count(`email.${of}`), of).toBe(total);
    expect(count("purchase")).toBe(1);

    const feed = await everyPage(project, "/activity", { limit: 3 });
    expect(feed).toHaveLength(byName.total);
    const events = (await project.api.get("/events?limit=100")).body.data;
    expect(feed.map(({ id, timestamp }) => ({ id, timestamp }))).toEqual(
      events.map(({ id, createdAt: timestamp }: Record<string, string>) => ({ id, timestamp })),
    );
    const ofMail = feed.filter(({ metadata }) => metadata.emailId === delivered.id).reverse();
    const { body } = await project.api.get(`/emails/${delivered.id}`);
    expect(body.events).toEqual(
      ofMail.map(({ type, timestamp, metadata }) => ({ name: type, at: timestamp, data: metadata })),
    );
    for (const type of [...new Set(names), "event.triggered"]) {
      const { total } = (await project.api.get(`/activity?types=${type}`)).body;
      expect(total, type).toBe(feed.filter((entry) => entry.type === type).length);
    }
  });
});
