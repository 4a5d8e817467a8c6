import { type SQL, sql } from "drizzle-orm";
import { describe, expect, it } from "vitest";
import { firstIdAt, newId, publicId, readId } from "../../src/core/ids";
import { dayMs } from "../../src/core/time";
import { announcements, openBatch } from "../../src/db/batch";
import { asNumber, columns } from "../../src/db/rows";
import { select, statement } from "../../src/db/statement";
import type { AnnouncedEvent, EventListener } from "../../src/engine/events/listener";
import { insertEvents } from "../../src/engine/events/record";
import { announceJob, insertJob } from "../../src/engine/jobs/queue-job";
import { deleteContact } from "../../src/features/contacts/delete";
import { upsertContact } from "../../src/features/contacts/upsert";
import { deleteEvents } from "../../src/features/events/delete";
import { TrackEvent } from "../../src/features/events/schema";
import { trackEvent } from "../../src/features/events/track";
import { SendEmail } from "../../src/features/send/schema";
import { sendEmails } from "../../src/features/send/send";
import type { Context } from "../../src/platform/context";
import { timeSql } from "../support/counts";
import { addEvents, listen, refer } from "../support/events";
import { type Death, wasKilled } from "../support/killable";
import { newProject, type TestProject } from "../support/project";
import { uuid } from "../support/refusal";
import { World } from "../support/world";

/** A listener whose taking of an event is a step of the process, and that counts what it took. */
class Ears implements EventListener {
  heard: AnnouncedEvent[] = [];
  calls = 0;
  /** Names that it cannot take. */
  refuses = new Set<string>();

  constructor(
    world: World,
    readonly kind = "ears",
  ) {
    world.listeners.push(this);
  }

  async receive(ctx: Context, events: AnnouncedEvent[]): Promise<void> {
    this.calls++;
    if (events.some(({ name }) => this.refuses.has(name))) throw new Error("Out of order");
    await select(ctx.db, sql`SELECT 1 AS n`, columns({ n: asNumber }));
    this.heard.push(...events);
  }

  times(id: string): number {
    return this.heard.filter((event) => publicId(event.id) === id).length;
  }
}

async function track(world: World, project: TestProject, event = "purchase", fields: Record<string, unknown> = {}) {
  const { ctx, process } = await world.context(project);
  const call = TrackEvent.parse({ email: "ada@example.com", event, ...fields });
  const { eventId } = await trackEvent(ctx, call, "POST /v1/track");
  return { id: publicId(eventId), steps: process.steps };
}

/** Many events in one batch, as a campaign or a segment writes them. */
async function recordMany(ctx: Context, name: string, count: number) {
  const rows = sql`SELECT ${ctx.project.number} AS project_id, ${name} AS name, 'c' || value AS contact_id, NULL AS email_id,
      '{}' AS data FROM json_each(${JSON.stringify(Array.from({ length: count }, (_, index) => index))})`;
  await insert(ctx, rows);
}

async function insert(ctx: Context, rows: SQL) {
  const batch = openBatch(ctx);
  batch.add(insertEvents(ctx, { rows }));
  await batch.commit();
}

interface Waiting {
  id: string;
  name: string;
  announcements: number;
  next_announce_at: number | null;
}

async function rowsOf(project: TestProject): Promise<Waiting[]> {
  const { results } = await project.db
    .prepare("SELECT * FROM events WHERE project_id = ? ORDER BY id")
    .bind(project.id)
    .all<Waiting>();
  return results;
}

async function undispatched(project: TestProject): Promise<string[]> {
  return (await rowsOf(project)).filter((row) => row.next_announce_at !== null).map(({ name }) => name);
}

function announced(world: World): string[][] {
  return world.queue.map(({ queued }) =>
    queued.message.type === "events.dispatch" ? queued.message.eventIds.map(publicId) : [],
  );
}

const deathsUpTo = (steps: number) =>
  Array.from({ length: steps }, (_, index) => [
    { atStep: index + 1, when: "before" as const },
    { atStep: index + 1, when: "after" as const },
  ]).flat();
const titled = (deaths: Death[]) => deaths.map((death) => [`${death.when} step ${death.atStep}`, death] as const);

describe("an event that nobody listens for", () => {
  it("is one round trip and no message, be it one or a thousand", async () => {
    const [project, neighbour] = [await newProject(), await newProject()];
    await listen(neighbour, ["*", "ears:1"]);
    await listen(project, ["signup", "ears:1"], ["email.*", "ears:1"], ["order", "ears:1"], ["order.item.*", "ears:1"]);
    const world = new World();
    expect((await track(world, project, "purchase", { subscribed: true, data: { plan: "pro" } })).steps).toEqual([
      "batch",
    ]);
    for (const name of ["emailed", "Signup", "sign", "order.item.added", "contact.subscribed"]) {
      const { ctx, process } = await world.context(project);
      await recordMany(ctx, name, 1_000);
      expect(process.steps, name).toEqual(["batch"]);
    }
    expect(world.queue).toEqual([]);
    await world.pass(3);
    const rows = await rowsOf(project);
    expect(rows.filter((row) => row.next_announce_at !== null || row.announcements > 0)).toEqual([]);
    // Ids that were made in SQL are as good as others: UUIDs v7, of the event's own time.
    for (const { id } of rows) expect(id).toMatch(uuid);
  });
});

describe("an event that somebody listens for", () => {
  it.each([
    ["purchase", "purchase"],
    ["email.opened", "email.opened"],
    ["email.opened", "email.*"],
    ["segment.vip.entry", "segment.*"],
    ["segment.vip.entry", "segment.vip.entry"],
    ["purchase", "*"],
    ["a.b", "*"],
  ])("%s is announced to %s after its commit, and dispatched", async (name, listened) => {
    const project = await newProject();
    const world = new World();
    const ears = new Ears(world);
    await listen(project, [listened, "ears:1"]);
    const { ctx, process } = await world.context(project);
    await recordMany(ctx, name, 1);
    expect(process.steps).toEqual(["batch", "enqueue"]);
    const [row] = await rowsOf(project);
    expect(announced(world)).toEqual([[row?.id]]);
    await world.drain();
    expect(ears.heard.map(({ id }) => publicId(id))).toEqual([row?.id]);
    expect(await undispatched(project)).toEqual([]);
  });

  it("comes whole, once to each kind, with those who listen", async () => {
    const project = await newProject();
    const world = new World();
    const [hooks, flows] = [new Ears(world, "hook"), new Ears(world, "flow")];
    await listen(project, ["purchase", "hook:1"], ["*", "hook:1"], ["*", "hook:2"], ["purchase", "flow:a:b"]);
    const { id } = await track(world, project, "purchase", {
      data: { plan: "pro", once: { value: 1, persistent: false } },
    });
    await world.drain();
    const [contact] = (await project.api.get("/events")).body.data;
    const event = {
      id: readId(id),
      name: "purchase",
      contactId: readId(contact.contactId),
      emailId: null,
      source: "API",
      isPublic: false,
      data: { plan: "pro", once: 1 },
      causes: [],
      starts: [],
      createdAt: world.now,
    };
    expect(hooks.heard).toEqual([{ ...event, listenerIds: ["hook:1", "hook:2"] }]);
    expect(flows.heard).toEqual([{ ...event, listenerIds: ["flow:a:b"] }]);
  });

  it("is handed over with the others of its message, which stays small", async () => {
    const project = await newProject();
    const world = new World();
    const ears = new Ears(world);
    await listen(project, ["*", "ears:1"]);
    const { ctx } = await world.context(project);
    await recordMany(ctx, "view", 120);
    expect(announced(world).map((ids) => ids.length)).toEqual([50, 50, 20]);
    await world.drain();
    expect([ears.calls, ears.heard.length, await undispatched(project)]).toEqual([3, 120, []]);

    // The queue takes a hundred messages a call, and 256 KB, of which it needs a hundred bytes a message itself.
    const many = Array.from({ length: 50 }, () => ({ projectId: project.number, id: newId() }));
    const [message] = announcements(many);
    expect(100 * (JSON.stringify(message?.message).length + 100)).toBeLessThan(256_000);
  });

  it("is simply marked when whoever listened is gone", async () => {
    const project = await newProject();
    const world = new World();
    const ears = new Ears(world);
    await listen(project, ["*", "ears:1"]);
    await track(world, project);
    await project.db.prepare("DELETE FROM event_listeners WHERE project_id = ?").bind(project.id).run();
    await world.drain();
    expect([ears.heard, await undispatched(project)]).toEqual([[], []]);
  });

  it("waits for a version that knows its kind of listener, while the other kinds hear of it", async () => {
    const project = await newProject();
    const world = new World();
    const ears = new Ears(world);
    await listen(project, ["purchase", "ears:1"], ["purchase", "unknown:1"]);
    const { id } = await track(world, project);
    await expect(world.drain()).rejects.toThrow("1 of 1 events were not accepted");
    expect([ears.times(id), await undispatched(project)]).toEqual([1, ["purchase"]]);
    const late = new Ears(world, "unknown");
    await world.pass(2);
    expect([late.times(id), await undispatched(project)]).toEqual([1, []]);
  });

  it("does not hold up the others of its message when its listener throws, and is tried again", async () => {
    const project = await newProject();
    const world = new World();
    const [good, bad] = [new Ears(world, "good"), new Ears(world, "bad")];
    await listen(project, ["*", "good:1"], ["*", "bad:1"]);
    bad.refuses.add("poison");
    const { ctx } = await world.context(project);
    const rows = sql`SELECT ${project.number} AS project_id, value AS name, 'c' AS contact_id, NULL AS email_id, '{}' AS data
      FROM json_each('["a","poison","b"]')`;
    await insert(ctx, rows);
    await expect(world.drain()).rejects.toThrow("1 of 3 events were not accepted");
    expect(await undispatched(project)).toEqual(["poison"]);
    expect(bad.heard.map(({ name }) => name).sort()).toEqual(["a", "b"]);

    bad.refuses.clear();
    await world.pass(2);
    expect(await undispatched(project)).toEqual([]);
    expect(bad.heard.map(({ name }) => name).sort()).toEqual(["a", "b", "poison"]);
    expect(good.heard.filter(({ name }) => name !== "poison")).toHaveLength(2);
  });

  it("is heard by nobody outside its project", async () => {
    const [project, neighbour] = [await newProject(), await newProject()];
    const world = new World();
    const ears = new Ears(world);
    await listen(project, ["*", "ears:1"]);
    const { id } = await track(world, project);
    world.queue = [];
    const { ctx } = await world.context(neighbour);
    await ctx.enqueue(announcements([{ projectId: neighbour.number, id: readId(id) }]));
    await world.drain();
    expect([ears.heard, await undispatched(project)]).toEqual([[], ["purchase"]]);
  });
});

describe("a message about events", () => {
  it("that comes twice hands nothing over again, and two at once lose nothing", async () => {
    const project = await newProject();
    const world = new World();
    const ears = new Ears(world);
    await listen(project, ["*", "ears:1"]);
    const { ctx } = await world.context(project);
    await recordMany(ctx, "view", 10);
    const job = world.queue[0]?.queued.message;
    if (!job) throw new Error("No message");
    await Promise.all([world.drain(), world.context(project).then(({ ctx }) => ctx.enqueue([{ message: job }]))]);
    await world.drain();
    const ids = (await rowsOf(project)).map(({ id }) => id);
    expect(ids.filter((id) => ears.times(id) === 0)).toEqual([]);
    expect(await undispatched(project)).toEqual([]);
    const before = ears.heard.length;
    await ctx.enqueue([{ message: job }]);
    await world.drain();
    expect(ears.heard).toHaveLength(before);
  });

  it.each(titled(deathsUpTo(5)))("whose consumer dies %s: each listener hears of each event", async (_, death) => {
    const project = await newProject();
    const world = new World();
    const listeners = [new Ears(world, "hook"), new Ears(world, "flow")];
    await listen(project, ["*", "hook:1"], ["*", "flow:1"]);
    const { ctx } = await world.context(project);
    await recordMany(ctx, "view", 3);
    await world.runAndDie(death);
    const rows = await rowsOf(project);
    // Marked only after all have taken it.
    for (const { id } of rows.filter((row) => row.next_announce_at === null)) {
      expect(listeners.map((ears) => ears.times(id) > 0)).toEqual([true, true]);
    }
    await world.pass(3);
    expect(await undispatched(project)).toEqual([]);
    for (const { id } of rows) expect(listeners.map((ears) => ears.times(id) > 0)).toEqual([true, true]);
  });

  it.each(titled(deathsUpTo(2)))("that a call dies %s of sending: all or nothing, and heard of", async (_, death) => {
    const project = await newProject();
    const world = new World();
    const ears = new Ears(world);
    await listen(project, ["*", "ears:1"]);
    const { ctx } = await world.context(project, death);
    const call = TrackEvent.parse({ email: "ada@example.com", event: "purchase" });
    await trackEvent(ctx, call, "POST /v1/track").catch((error: unknown) => {
      if (!wasKilled(error)) throw error;
    });
    await world.pass(3);
    const rows = await rowsOf(project);
    expect(rows).toHaveLength(death.atStep === 1 && death.when === "before" ? 0 : 1);
    for (const { id } of rows) expect(ears.times(id)).toBe(1);
    expect(await undispatched(project)).toEqual([]);
  });
});

describe("an event whose messages are lost", () => {
  it("is announced again, twice as late each time, up to six hours, and never forgotten", async () => {
    const project = await newProject();
    const world = new World();
    const ears = new Ears(world);
    await listen(project, ["*", "ears:1"]);
    const { id } = await track(world, project);
    const waits: number[] = [];
    for (let times = 0; times < 12; times++) {
      world.queue = [];
      const [row] = await rowsOf(project);
      const due = row?.next_announce_at ?? 0;
      waits.push((due - world.now) / 60_000);
      world.now = due - 1;
      await world.sweep();
      expect(world.queue).toEqual([]);
      world.now = due;
      await world.sweep();
      expect(announced(world)).toEqual([[id]]);
    }
    const fiveSeconds = 5 / 60;
    expect(waits).toEqual([fiveSeconds, 1, 2, 4, 8, 16, 32, 64, 128, 256, 360, 360]);
    await world.drain();
    expect([ears.times(id), await undispatched(project)]).toEqual([1, []]);
  });

  it("is found among thousands, of all projects", async () => {
    const [project, neighbour] = [await newProject(), await newProject()];
    const world = new World();
    const ears = new Ears(world);
    for (const one of [project, neighbour]) await listen(one, ["*", "ears:1"]);
    for (const [one, count] of [
      [project, 1_100],
      [neighbour, 30],
    ] as const) {
      const { ctx } = await world.context(one);
      await recordMany(ctx, "view", count);
    }
    world.queue = [];
    await world.pass(1);
    expect([await undispatched(project), await undispatched(neighbour), ears.heard.length]).toEqual([[], [], 1_130]);
  });
});

/** The kept counts, and the same counted from the events themselves. */
async function keptAndCounted(project: TestProject) {
  const statements = [
    "SELECT name, count, contacts, last_at FROM event_names WHERE project_id = ? ORDER BY name",
    `SELECT name, count(*) AS count, count(DISTINCT contact_id) AS contacts, max(${timeSql("id")}) AS last_at
      FROM events WHERE project_id = ? GROUP BY name ORDER BY name`,
    // The last day of a name stands with it, and a day whose events were deleted counts nothing.
    `SELECT day, name, count, last_at FROM event_days WHERE project_id = ?1 AND count > 0
      UNION ALL
      SELECT day, name, day_count, last_at FROM event_names WHERE project_id = ?1 AND day_count > 0 ORDER BY day, name`,
    `SELECT ${timeSql("id")} / 86400000 AS day, name, count(*) AS count, max(${timeSql("id")}) AS last_at
      FROM events WHERE project_id = ? GROUP BY 1, 2 ORDER BY 1, 2`,
  ];
  const results = await project.db.batch(statements.map((text) => project.db.prepare(text).bind(project.id)));
  const [names, countedNames, days, countedDays] = results.map(({ results }) => results);
  return { kept: { names, days }, counted: { names: countedNames, days: countedDays } };
}

describe("the counts that are kept of events", () => {
  it.each([1, 2])("are exact after whatever happened, in any order (%d)", async (seed) => {
    const project = await newProject();
    const world = new World();
    let state = seed;
    const random = (below: number) => {
      state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
      return Math.floor((state / 2 ** 32) * below);
    };
    const email = () => `c${random(4)}@example.com`;
    const name = () => ["a", "b", "c"][random(3)] ?? "";
    const doings: ((ctx: Context) => Promise<unknown>)[] = [
      () => track(world, project, name(), { email: email() }),
      () => track(world, project, name(), { email: email(), subscribed: random(2) === 0 }),
      (ctx) => upsertContact(ctx, { email: email(), subscribed: random(2) === 0 }),
      (ctx) => recordMany(ctx, name(), 1 + random(5)),
      (ctx) =>
        sendEmails(
          ctx,
          SendEmail.parse({ to: [email(), email()], from: `a@${project.domain}`, subject: "s", body: "b" }),
        ),
      () => world.drain(),
      (ctx) => deleteEvents(ctx, name()).catch(() => {}),
      async (ctx) => {
        const { body } = await project.api.get(`/contacts?email=${email()}`);
        for (const { id } of body.data) await deleteContact(ctx, readId(id));
      },
    ];
    for (let step = 0; step < 60; step++) {
      world.now += random(8 * 3_600_000);
      const { ctx } = await world.context(project);
      await doings[random(doings.length)]?.(ctx);
    }
    await world.drain();
    const { kept, counted } = await keptAndCounted(project);
    expect(kept.names).toHaveLength(counted.names?.length ?? 0);
    expect(kept.names?.length).toBeGreaterThan(3);
    expect(kept).toEqual(counted);
  });
});

describe("a batch of events around midnight", () => {
  it.each([
    ["before the first", 0],
    ["between the first and the second", 1],
    ["between the second and the third", 2],
  ])("counts each event on the day of its id when the clock strikes %s statement", async (_, index) => {
    const [project, day] = [await newProject(), Math.ceil(Date.now() / dayMs) + 1];
    await project.db.prepare("CREATE TABLE test_clock (now INTEGER)").run();
    await project.db.prepare("INSERT INTO test_clock VALUES (0)").run();
    const setClock = (now: number) => statement(sql`UPDATE test_clock SET now = ${now}`);
    try {
      for (const [names, strikesAt] of [
        [["known", "former"], null],
        [["known", "new"], index],
      ] as const) {
        const rows = sql`SELECT CAST(${project.number} AS INTEGER) AS project_id, value AS name, NULL AS contact_id,
          NULL AS email_id, '{}' AS data FROM json_each(${JSON.stringify(names)})`;
        const databaseNow = sql`(SELECT CAST(now AS INTEGER) FROM test_clock)`;
        const events = insertEvents({ databaseNow, realDatabaseNow: databaseNow }, { rows });
        const all = [...(events.before ?? []), { ...events, before: [] }];
        if (strikesAt !== null) all.splice(strikesAt, 0, setClock(day * dayMs));
        const batch = openBatch((await new World().context(project)).ctx);
        batch.addAll([setClock(day * dayMs - 1), ...all]);
        await batch.commit();
      }
    } finally {
      await project.db.prepare("DROP TABLE test_clock").run();
    }
    const kept = await project.db
      .prepare(
        `SELECT name, day, count FROM event_days WHERE project_id = ?1 AND count > 0
          UNION ALL SELECT name, day, day_count FROM event_names WHERE project_id = ?1 ORDER BY 1, 2`,
      )
      .bind(project.number)
      .all();
    const found = await project.db
      .prepare(
        `SELECT name, CAST(${timeSql("id")} AS INTEGER) / ${dayMs} AS day, count(*) AS count FROM events WHERE project_id = ?1
          GROUP BY 1, 2 ORDER BY 1, 2`,
      )
      .bind(project.number)
      .all();
    expect(kept.results).toEqual(found.results);
    expect(found.results.map(({ count }) => count)).not.toContain(0);
  });
});

describe("deleting the events of a name in the background", () => {
  it("says exactly how many went, killed at whatever step, and spares what was tracked after the call", async () => {
    for (const death of deathsUpTo(7)) {
      const project = await newProject();
      const world = new World();
      const { ctx } = await world.context(project);
      await addEvents(project, { name: "view", count: 300, at: world.now - 299 });
      const input = { name: "view", before: firstIdAt(world.now + 1), total: 300 };
      const job = { id: newId(), type: "events.delete", input, state: { deletedCount: 0, from: null } } as const;
      const batch = openBatch(ctx);
      batch.add(insertJob(ctx, job));
      await batch.commit();
      await announceJob(ctx, job.type, job.id);
      await addEvents(project, { name: "view", count: 3, at: world.now + 1 });
      await world.runAndDie(death);
      world.now += 6 * 60_000;
      await world.sweep();
      await world.drain();
      const { body } = await project.api.get(`/jobs/${publicId(job.id)}`);
      expect(body, JSON.stringify(death)).toMatchObject({ status: "completed", result: { deletedCount: 300 } });
      expect(await rowsOf(project)).toHaveLength(3);
    }
  });

  it("goes on when its message was lost, and two runs at once delete and count each event once", async () => {
    const project = await newProject();
    const world = new World();
    await addEvents(project, { name: "view", count: 10_001, at: world.now - 10_001 });
    const { ctx } = await world.context(project);
    const answer = await deleteEvents(ctx, "view");
    world.queue = [];
    world.now += 6 * 60_000;
    await world.sweep();
    world.queue.push(...world.queue);
    await Promise.all([world.drain(), world.drain()]);
    const { body } = await project.api.get(`/jobs/${"jobId" in answer ? answer.jobId : ""}`);
    expect(body).toMatchObject({ status: "completed", progress: 100, result: { deletedCount: 10_001 } });
    const { kept } = await keptAndCounted(project);
    expect([await rowsOf(project), kept]).toEqual([[], { names: [], days: [] }]);
  });

  it("is refused by a reference that came between the look and the call's own batch", async () => {
    const project = await newProject();
    const world = new World();
    await addEvents(project, { name: "view", count: 2, at: world.now - 2 });
    const { ctx } = await world.context(project);
    const real = ctx.db.$client.batch.bind(ctx.db.$client);
    let batches = 0;
    ctx.db.$client.batch = async <T>(statements: D1PreparedStatement[]) => {
      // The first one reads what refers to it; the next one deletes.
      if (++batches === 2) await refer(project, "view");
      return real<T>(statements);
    };
    await expect(deleteEvents(ctx, "view")).rejects.toThrow("in use");
    expect(await rowsOf(project)).toHaveLength(2);
  });
});

it("writes flips, email events and tracks so that each is heard of once", async () => {
  const project = await newProject();
  const world = new World();
  const ears = new Ears(world);
  await listen(project, ["*", "ears:1"]);
  world.answer = () => ({ kind: "accepted", providerMessageId: "m", reports: [{ kind: "complained" }] });
  await track(world, project);
  world.now += 1;
  const { ctx } = await world.context(project);
  const call = { to: "ada@example.com", from: `hi@${project.domain}`, subject: "Hi", body: "Hi" };
  await sendEmails(ctx, SendEmail.parse(call));
  await world.drain();
  const names = ears.heard.map((event) => event.name).sort();
  expect(names).toEqual(["contact.unsubscribed", "email.complained", "email.sent", "purchase"]);
  const complained = ears.heard.find((event) => event.name === "email.complained");
  expect(complained?.data).toMatchObject({
    emailId: complained?.emailId && publicId(complained.emailId),
    subject: "Hi",
    source: "TRANSACTIONAL",
  });
  expect(await undispatched(project)).toEqual([]);
});
