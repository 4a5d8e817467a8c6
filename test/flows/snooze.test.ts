import { describe, expect, it } from "vitest";
import { readId } from "../../src/core/ids";
import type { Report } from "../../src/core/mail/status";
import { endSnoozes } from "../../src/engine/contacts/end-snoozes";
import { SendEmail } from "../../src/features/send/schema";
import { sendEmails } from "../../src/features/send/send";
import { type Death, wasKilled } from "../support/killable";
import { type Answer, admin, bearer, call, newProject, type TestProject } from "../support/project";
import { expectInvalid, expectRefusal, isoTime } from "../support/refusal";
import { newTemplate } from "../support/template";
import { World } from "../support/world";

const dayMs = 86_400_000;
const nowhere = "01990000-0000-7000-8000-000000000000";

interface State {
  subscribed: number;
  snoozed_until: number | null;
  opted_out_at: number | null;
  version: number;
}

async function stateOf(project: TestProject, id: string): Promise<State | null> {
  return project.db
    .prepare("SELECT subscribed, snoozed_until, opted_out_at, version FROM contacts WHERE id = ?")
    .bind(id)
    .first<State>();
}

async function newContact(project: TestProject, fields: Record<string, unknown> = {}): Promise<string> {
  return (await project.api.post("/contacts", { email: "ada@example.com", ...fields })).body.id;
}

async function snoozed(project: TestProject, fields: Record<string, unknown> = {}): Promise<string> {
  const id = await newContact(project, fields);
  expect((await project.api.post(`/contacts/${id}/snooze`, { duration: "14d" })).status).toBe(200);
  return id;
}

type Flip = [name: string, contactId: string, data: unknown];

/** The events of contacts, in the order they happened. */
async function flips(project: TestProject): Promise<Flip[]> {
  const { results } = await project.db
    .prepare("SELECT name, contact_id, data FROM events WHERE project_id = ? AND name GLOB 'contact.*' ORDER BY id")
    .bind(project.id)
    .all<{ name: string; contact_id: string; data: string }>();
  return results.map(({ name, contact_id, data }) => [name, contact_id, JSON.parse(data)]);
}

const sweep = (world: World) => endSnoozes(world.process().platform);

const left = (id: string): Flip => ["contact.unsubscribed", id, { reason: "snooze" }];
const cameBack = (id: string): Flip => ["contact.subscribed", id, { reason: "snooze" }];

describe("POST /contacts/{id}/snooze", () => {
  it("unsubscribes for the time asked, with one event that says why", async () => {
    const project = await newProject();
    const before = (await project.api.post("/contacts", { email: "ada@example.com", data: { plan: "pro" } })).body;
    const until = new Date(Date.now() + 30 * dayMs).toISOString();
    const { status, body } = await project.api.post(`/contacts/${before.id}/snooze`, { until });
    expect(status).toBe(200);
    expect(body).toEqual({
      id: before.id,
      email: "ada@example.com",
      subscribed: false,
      snoozedUntil: until,
      optedOutAt: body.updatedAt,
      confirmedAt: null,
      source: "API",
      data: { plan: "pro" },
      version: 2,
      createdAt: before.createdAt,
      updatedAt: expect.stringMatching(isoTime),
    });
    expect(await stateOf(project, before.id)).toMatchObject({ opted_out_at: Date.parse(body.updatedAt) });
    expect(await flips(project)).toEqual([left(before.id)]);
  });

  it("takes lengths, and times of any zone", async () => {
    const project = await newProject();
    const id = await newContact(project);
    const snooze = async (asked: Record<string, unknown>) => {
      const { body } = await project.api.post(`/contacts/${id}/snooze`, asked);
      return Date.parse(body.snoozedUntil) - Date.now();
    };
    const least = { "14d": 13.9, "1m": 27.9, "3m": 88.9, "6m": 180.9, "1y": 364.9 };
    for (const [duration, days] of Object.entries(least)) {
      expect(await snooze({ duration, until: null })).toBeGreaterThan(days * dayMs);
      expect(await snooze({ duration })).toBeLessThan((days * 1.06 + 1) * dayMs);
    }
    const year = new Date().getUTCFullYear() + 1;
    const { body } = await project.api.post(`/contacts/${id}/snooze`, { until: `${year}-07-01T12:00:00+02:00` });
    expect(body.snoozedUntil).toBe(`${year}-07-01T10:00:00.000Z`);
  });

  it("again moves the end, without another event", async () => {
    const project = await newProject();
    const id = await snoozed(project);
    const before = await stateOf(project, id);
    const sooner = new Date(Date.now() + dayMs).toISOString();
    expect((await project.api.post(`/contacts/${id}/snooze`, { until: sooner })).body.snoozedUntil).toBe(sooner);
    expect(await stateOf(project, id)).toMatchObject({ subscribed: 0, opted_out_at: before?.opted_out_at });
    expect(await flips(project)).toEqual([left(id)]);
  });

  it("at once eight times makes one event", async () => {
    const project = await newProject();
    const id = await newContact(project);
    const answers = await Promise.all(
      Array.from({ length: 8 }, () => project.api.post(`/contacts/${id}/snooze`, { duration: "1m" })),
    );
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]));
    expect(await flips(project)).toEqual([left(id)]);
  });

  it("refuses someone whom its end would subscribe though they left, or were never subscribed", async () => {
    const project = await newProject();
    const gone = await newContact(project, { subscribed: false });
    const never = (await project.api.send({ to: "bob@example.com" })).body.data.emails[0].contact.id;
    for (const id of [gone, never]) {
      const before = await stateOf(project, id);
      const answer = await project.api.post(`/contacts/${id}/snooze`, { duration: "14d" });
      expectRefusal(answer, 409, "CONFLICT");
      expect(answer.body.error.suggestion).toContain("PATCH /contacts/{id}");
      expect(await stateOf(project, id)).toEqual(before);
    }
    expect(await flips(project)).toEqual([]);
  });

  it("refuses a suppressed address", async () => {
    const project = await newProject();
    const id = await newContact(project);
    await project.api.post("/suppressions", { email: "ada@example.com" });
    const answer = await project.api.post(`/contacts/${id}/snooze`, { duration: "14d" });
    expectRefusal(answer, 409, "CONFLICT");
    expect(answer.body.error.suggestion).toContain("/suppressions");
    expect(await stateOf(project, id)).toMatchObject({ subscribed: 1, snoozed_until: null });
    expect(await flips(project)).toEqual([]);
  });

  it.each<[string, unknown, string, string]>([
    ["neither", {}, "until", "required"],
    ["neither, but null", { until: null, duration: null }, "until", "required"],
    ["both", { until: "2999-01-01T00:00:00Z", duration: "14d" }, "duration", "custom"],
    ["a length it does not know", { duration: "2w" }, "duration", "invalid_enum_value"],
    ["a time in the past", { until: "2020-01-01T00:00:00Z" }, "until", "too_small"],
    ["a time far ahead", { until: "2999-01-01T00:00:00Z" }, "until", "too_big"],
    ["a date without a time", { until: "2030-01-01" }, "until", "invalid_string"],
    ["a time without a zone", { until: "2030-01-01T00:00:00" }, "until", "invalid_string"],
    ["a day that is none", { until: "2030-02-30T00:00:00Z" }, "until", "invalid_string"],
    ["words", { until: "tomorrow" }, "until", "invalid_string"],
    ["a number", { until: 1_900_000_000_000 }, "until", "invalid_type"],
  ])("refuses %s", async (_, body, field, code) => {
    const project = await newProject();
    const id = await newContact(project);
    expectInvalid(await project.api.post(`/contacts/${id}/snooze`, body), field, code);
    expect(await stateOf(project, id)).toMatchObject({ subscribed: 1, version: 1 });
  });
});

describe("DELETE /contacts/{id}/snooze", () => {
  it("subscribes again, with one event", async () => {
    const project = await newProject();
    const id = await snoozed(project);
    const { status, body } = await project.api.delete(`/contacts/${id}/snooze`);
    expect([status, body]).toEqual([200, (await project.api.get(`/contacts/${id}`)).body]);
    expect(body).toMatchObject({ subscribed: true, snoozedUntil: null });
    expect(await stateOf(project, id)).toMatchObject({ opted_out_at: null });
    await project.api.delete(`/contacts/${id}/snooze`);
    expect(await flips(project)).toEqual([left(id), cameBack(id)]);
  });

  it.each([true, false])("leaves one who is not snoozed as they are: subscribed %s", async (subscribed) => {
    const project = await newProject();
    const before = (await project.api.post("/contacts", { email: "ada@example.com", subscribed })).body;
    const { _meta, ...contact } = before;
    const answer = await project.api.delete(`/contacts/${contact.id}/snooze`);
    expect([answer.status, answer.body]).toEqual([200, contact]);
    expect(await flips(project)).toEqual([]);
  });
});

it("is 404 for nobody and for a contact of another project, and 403 in a disabled project", async () => {
  const [project, other] = [await newProject(), await newProject()];
  const id = await snoozed(other);
  for (const unknown of [id, nowhere]) {
    const details = { resource: "contact", id: unknown };
    const asked = await project.api.post(`/contacts/${unknown}/snooze`, { duration: "14d" });
    expectRefusal(asked, 404, "CONTACT_NOT_FOUND", { details });
    expectRefusal(await project.api.delete(`/contacts/${unknown}/snooze`), 404, "CONTACT_NOT_FOUND", { details });
  }
  await admin.patch(`/admin/projects/${other.id}`, { disabled: true });
  expectRefusal(await other.api.post(`/contacts/${id}/snooze`, { duration: "14d" }), 403, "PROJECT_DISABLED");
  expectRefusal(await other.api.delete(`/contacts/${id}/snooze`), 403, "PROJECT_DISABLED");
  expect(await flips(other)).toEqual([left(id)]);
});

/** What ends a snooze before its time, and how the contact is left. */
interface Ending {
  act(project: TestProject, id: string): Promise<unknown>;
  subscribed: boolean;
}

const post = (project: TestProject, fields: object) =>
  project.api.post("/contacts", { email: "ada@example.com", ...fields });
const track = (project: TestProject, fields: object) =>
  call("POST", "/v1/track", { email: "ada@example.com", event: "x", ...fields }, bearer(project.keys.public));

const endings: Record<string, Ending> = {
  "PATCH subscribed: true": {
    act: ({ api }, id) => api.patch(`/contacts/${id}`, { subscribed: true }),
    subscribed: true,
  },
  "PATCH subscribed: false": {
    act: ({ api }, id) => api.patch(`/contacts/${id}`, { subscribed: false }),
    subscribed: false,
  },
  "POST subscribed: true": { act: (project) => post(project, { subscribed: true }), subscribed: true },
  "POST subscribed: false": { act: (project) => post(project, { subscribed: false }), subscribed: false },
  "a send with subscribed: true": { act: ({ api }) => api.send({ subscribed: true }), subscribed: true },
  "a send with subscribed: false": { act: ({ api }) => api.send({ subscribed: false }), subscribed: false },
  "an event with subscribed: true": { act: (project) => track(project, { subscribed: true }), subscribed: true },
  "an event with subscribed: false": { act: (project) => track(project, { subscribed: false }), subscribed: false },
  "POST /suppressions": {
    act: ({ api }) => api.post("/suppressions", { email: "Ada@Example.com" }),
    subscribed: false,
  },
  "a hard bounce": {
    act: (project) => reported(project, { kind: "bounced", bounceType: "hard", reason: "Gone" }),
    subscribed: false,
  },
  "a complaint": { act: (project) => reported(project, { kind: "complained" }), subscribed: false },
  "the unsubscribe page": { act: (project) => onPage(project, "unsubscribe"), subscribed: false },
  "one click in a mailbox": {
    act: (project) => onPage(project, "unsubscribe", "List-Unsubscribe=One-Click"),
    subscribed: false,
  },
  "unsubscribing on the manage page": {
    act: (project) => onPage(project, "manage", "action=unsubscribe"),
    subscribed: false,
  },
  "the subscribe page": { act: (project) => onPage(project, "subscribe"), subscribed: true },
};

/** A transactional mail goes out, as it does to someone who is snoozed, and this is what its provider says of it. */
async function reported(project: TestProject, report: Report): Promise<void> {
  const world = new World();
  const { ctx } = await world.context(project);
  world.answer = () => ({ kind: "accepted", providerMessageId: "m", reports: [report] });
  await sendEmails(
    ctx,
    SendEmail.parse({ to: "ada@example.com", from: `hi@${project.domain}`, subject: "Hi", body: "Hi" }),
  );
  await world.drain();
}

async function onPage(project: TestProject, page: "unsubscribe" | "subscribe" | "manage", form = ""): Promise<Answer> {
  const world = new World();
  const { ctx } = await world.context(project);
  const { id } = await newTemplate(project, { type: "TRANSACTIONAL", body: `{{ ${page}Url }}` });
  const origin = "https://petrel.example";
  await sendEmails({ ...ctx, origin }, SendEmail.parse({ to: "ada@example.com", template: id }));
  await world.drain();
  const path = world.taken[0]?.text.replace(origin, "") ?? "";
  const answer = await call("POST", path, form, { headers: { "Content-Type": "application/x-www-form-urlencoded" } });
  expect(answer.status).toBe(200);
  return answer;
}

describe("a snooze is ended for good by", () => {
  it.each(Object.entries(endings))("%s, with an event only for a flip", async (_, { act, subscribed }) => {
    const project = await newProject();
    const id = await snoozed(project);
    await act(project, id);
    expect(await stateOf(project, id)).toMatchObject({ subscribed: Number(subscribed), snoozed_until: null });
    expect((await stateOf(project, id))?.opted_out_at === null).toBe(subscribed);
    const names = (await flips(project)).map(([name]) => name);
    expect(names).toEqual(["contact.unsubscribed", ...(subscribed ? ["contact.subscribed"] : [])]);
    // Its time comes, and nothing happens.
    const [world, before] = [new World(), await stateOf(project, id)];
    world.now += 30 * dayMs;
    await sweep(world);
    expect(await stateOf(project, id)).toEqual(before);
    expect(await flips(project)).toHaveLength(names.length);
  });

  it("nothing that does not speak of the subscription", async () => {
    const project = await newProject();
    const id = await snoozed(project);
    const before = (await stateOf(project, id))?.snoozed_until;
    await project.api.patch(`/contacts/${id}`, { data: { plan: "pro" }, subscribed: null });
    await post(project, { data: { seats: 2 } });
    await project.api.send();
    await track(project, {});
    expect(await stateOf(project, id)).toMatchObject({ subscribed: 0, snoozed_until: before });
  });
});

describe("the end of a snooze", () => {
  it("subscribes who is due and nobody else, once, with one event", async () => {
    const [project, other] = [await newProject(), await newProject()];
    const [due, dueToo] = [await snoozed(project), await snoozed(other)];
    const later = await newContact(project, { email: "bob@example.com" });
    await project.api.post(`/contacts/${later}/snooze`, { duration: "1m" });
    const gone = await newContact(project, { email: "cyd@example.com", subscribed: false });
    const world = new World();
    world.now += 14 * dayMs - 60_000;
    await world.sweep();
    expect(await stateOf(project, due)).toMatchObject({ subscribed: 0 });
    world.now += 2 * 60_000;
    await world.sweep();
    await world.sweep();
    for (const id of [due, dueToo]) {
      expect(await stateOf(project, id)).toEqual({
        subscribed: 1,
        snoozed_until: null,
        opted_out_at: null,
        version: 3,
      });
    }
    expect(await stateOf(project, later)).toMatchObject({ subscribed: 0, opted_out_at: expect.any(Number) });
    expect(await stateOf(project, gone)).toMatchObject({ subscribed: 0, opted_out_at: expect.any(Number) });
    expect(await flips(project)).toEqual([left(due), left(later), cameBack(due)]);
    expect(await flips(other)).toEqual([left(dueToo), cameBack(dueToo)]);
    expect((await project.api.get("/contacts?subscribed=true")).body.total).toBe(1);
  });

  it("leaves a suppressed address unsubscribed, and only forgets the snooze", async () => {
    const project = await newProject();
    const id = await snoozed(project);
    const { opted_out_at } = (await stateOf(project, id)) ?? {};
    // As if it had got there by another way than one that ends the snooze itself: an address that was changed, say.
    await project.db
      .prepare("INSERT INTO suppressions VALUES (?, 'gone@example.com', 'bounce', 1)")
      .bind(project.id)
      .run();
    await project.api.patch(`/contacts/${id}`, { email: "gone@example.com" });
    const other = await snoozed(project);
    await project.db
      .prepare("INSERT INTO suppressions VALUES (?, 'ada@example.com', 'bounce', 1)")
      .bind(project.id)
      .run();
    expect((await project.api.delete(`/contacts/${other}/snooze`)).body).toMatchObject({
      subscribed: false,
      snoozedUntil: null,
    });
    const world = new World();
    world.now += 15 * dayMs;
    await sweep(world);
    expect(await stateOf(project, id)).toMatchObject({ subscribed: 0, snoozed_until: null, opted_out_at });
    expect(await flips(project)).toEqual([left(id), left(other)]);
  });

  it("is announced to those who listen, project by project", async () => {
    const [heard, unheard] = [await newProject(), await newProject()];
    const ids = [await snoozed(heard), await snoozed(heard, { email: "bob@example.com" })];
    await snoozed(unheard);
    await heard.db.prepare("INSERT INTO event_listeners VALUES (?, 'contact.*', 'w')").bind(heard.id).run();
    const world = new World();
    world.now += 15 * dayMs;
    await sweep(world);
    const { results } = await heard.db
      .prepare(
        "SELECT id, contact_id FROM events WHERE project_id = ? AND name = 'contact.subscribed' AND next_announce_at IS NOT NULL",
      )
      .bind(heard.id)
      .all<{ id: string; contact_id: string }>();
    expect(results.map(({ contact_id }) => contact_id).toSorted()).toEqual(ids.toSorted());
    const jobs = world.queue.map(({ queued }) => queued.message).filter(({ type }) => type === "events.dispatch");
    const eventIds = results.map(({ id }) => readId(id));
    expect(jobs).toEqual([
      { type: "events.dispatch", projectId: heard.number, eventIds: expect.arrayContaining(eventIds) },
    ]);
  });

  it("comes to 1,200 at once in bounded statements, whoever sweeps at the same time", async () => {
    const project = await newProject();
    const world = new World();
    await project.db
      .prepare(
        `INSERT INTO contacts (id, project_id, email, subscribed, snoozed_until, opted_out_at, data, created_at, updated_at)
        WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 1200)
        SELECT 'c' || i, ?1, i || '@example.com', 0, ?2 - i % 3, 5, '{}', 1, 1 FROM n`,
      )
      .bind(project.id, world.now)
      .run();
    await Promise.all([sweep(world), sweep(world), sweep(world)]);
    const row = await project.db
      .prepare(
        `SELECT sum(subscribed) AS back, count(snoozed_until) + count(opted_out_at) AS traces, max(version) AS version
        FROM contacts WHERE project_id = ?`,
      )
      .bind(project.id)
      .first();
    expect(row).toEqual({ back: 1200, traces: 0, version: 2 });
    const names = await project.db
      .prepare("SELECT name, count, contacts FROM event_names WHERE project_id = ?")
      .bind(project.id)
      .all();
    expect(names.results).toEqual([{ name: "contact.subscribed", count: 1200, contacts: 1200 }]);
  });
});

describe("a sweep killed at any step", () => {
  // A step for each database, the announcement, and one more: the last deaths never come, and must change nothing.
  const deaths: Death[] = [1, 2, 3, 4].flatMap((atStep) => [
    { atStep, when: "before" },
    { atStep, when: "after" },
  ]);

  it("brings everyone back in the end, with one event each", async () => {
    for (const death of deaths) {
      const project = await newProject();
      const ids = [await snoozed(project), await snoozed(project, { email: "bob@example.com" })];
      await project.db.prepare("INSERT INTO event_listeners VALUES (?, '*', 'w')").bind(project.id).run();
      const world = new World();
      world.now += 15 * dayMs;
      const { platform, process } = world.process(death);
      await endSnoozes(platform).catch((error) => {
        if (!wasKilled(error)) throw error;
      });
      expect(process.steps.length).toBeLessThanOrEqual(4);
      await sweep(world);
      const back = (await flips(project)).slice(2);
      expect(back, JSON.stringify(death)).toHaveLength(2);
      expect(back).toEqual(expect.arrayContaining(ids.map(cameBack)));
    }
  });
});
