import { env } from "cloudflare:workers";
import { describe, expect, it } from "vitest";
import { openCpu } from "../../src/core/cpu";
import { publicId, readId } from "../../src/core/ids";
import type { JsonObject } from "../../src/core/json";
import { Budget, MAX_UNITS } from "../../src/core/templating/budget";
import { parseTemplate, renderTemplate } from "../../src/core/templating/render";
import { workOn } from "../../src/engine/jobs/work";
import { forgetProjects } from "../../src/engine/projects/cache";
import { deleteCampaign } from "../../src/features/campaigns/delete";
import { startPreflight } from "../../src/features/campaigns/preflight/start";
import { preflightStep } from "../../src/features/campaigns/preflight/step";
import { resumeCampaign } from "../../src/features/campaigns/resume";
import { sendCampaign } from "../../src/features/campaigns/send";
import { deleteProject } from "../../src/features/projects/delete";
import { handleMessage } from "../../src/queue";
import { addContacts, newCampaign, putCampaign } from "../support/campaign";
import { type Death, wasKilled } from "../support/killable";
import { addContacts as addMatching } from "../support/membership";
import { admin, newProject, type TestProject } from "../support/project";
import { emailRows } from "../support/rows";
import { isPro, newSegment } from "../support/segment";
import { chooseTopics, newTopic } from "../support/topic";
import { World } from "../support/world";

const origin = "https://petrel.example";

async function start(world: World, project: TestProject, id: string, death?: Death): Promise<string> {
  const { ctx } = await world.context(project, death);
  return publicId(await startPreflight({ ...ctx, origin }, readId(id)));
}

async function jobOf(project: TestProject, jobId: string) {
  return (await project.api.get(`/jobs/${jobId}`)).body;
}

/** What a pre-flight that nothing disturbs finds. */
async function preflight(world: World, project: TestProject, id: string) {
  const jobId = await start(world, project, id);
  await world.drain();
  const { status, result } = await jobOf(project, jobId);
  expect(status).toBe("completed");
  return result;
}

async function send(world: World, project: TestProject, id: string): Promise<void> {
  const { ctx } = await world.context(project);
  await sendCampaign({ ...ctx, origin }, readId(id), {});
  await world.pass(6);
  expect((await project.api.get(`/campaigns/${id}`)).body.status).toBe("SENT");
}

/** The same, and lets the rest go after a canary of which nobody reported anything. */
async function sendAll(world: World, project: TestProject, id: string): Promise<void> {
  const { ctx } = await world.context(project);
  await sendCampaign({ ...ctx, origin }, readId(id), {});
  await world.pass(6);
  if ((await project.api.get(`/campaigns/${id}`)).body.heldReason !== null) {
    await resumeCampaign((await world.context(project)).ctx, readId(id));
    await world.pass(3);
  }
  expect((await project.api.get(`/campaigns/${id}`)).body.status).toBe("SENT");
}

async function statsOf(project: TestProject, id: string) {
  return (await project.api.get(`/campaigns/${id}/stats`)).body;
}

/** A contact with this data. */
async function person(
  { api }: TestProject,
  email: string,
  data: JsonObject = {},
  more: JsonObject = {},
): Promise<string> {
  return (await api.post("/contacts", { email, data, ...more })).body.id;
}

const countOf = (found: { reason: string; count: number }[], reason: string) =>
  found.find((one) => one.reason === reason)?.count ?? 0;

/** Everybody who may be skipped, for a reason or two, and some who are not. */
async function mixedAudience(project: TestProject, slug: string): Promise<void> {
  await addContacts(project, 30);
  await addContacts(project, 4, { subscribed: 0 });
  for (const [n, reason] of ["bounce", "bounce", "complaint", "manual"].entries()) {
    await person(project, `suppressed-${n}@example.com`);
    await project.api.post("/suppressions", { email: `suppressed-${n}@example.com`, reason });
  }
  await project.api.post(`/contacts/${await person(project, "asleep@example.com")}/snooze`, { duration: "3m" });
  for (const name of ["left", "also-left"]) {
    await chooseTopics(project, await person(project, `${name}@example.com`), { [slug]: false });
  }
  for (const name of ["loop", "other-loop"]) await person(project, `${name}@example.com`, { times: 100_000_000 });
}

const body = "<p>Hello {{ firstName }}{% for n in (1..times) %}.{% endfor %}</p>";

describe("a pre-flight finds what sending does", () => {
  it.each(["MARKETING", "HEADLESS", "TRANSACTIONAL"])("%s", async (type) => {
    const [world, project] = [new World(), await newProject({ tracking: "ENABLED" })];
    const topic = await newTopic(project);
    await mixedAudience(project, topic.slug);
    const variants = [
      { name: "a", weight: 1 },
      { name: "b", weight: 2, body: `${body} B` },
    ];
    const { id } = await newCampaign(project, {
      ...{ type, body, variants },
      ...(type === "MARKETING" && { topicId: topic.id }),
    });
    const found = await preflight(world, project, id);
    expect(found.recipients).toBe(43);
    await send(world, project, id);
    const stats = await statsOf(project, id);
    const unwanted = ["unsubscribed", "snoozed", "not_in_topic"].map((reason) => countOf(found.skipped, reason));
    const isAsked = type === "TRANSACTIONAL" ? 0 : 1;
    expect(unwanted).toEqual([4 * isAsked, isAsked, type === "MARKETING" ? 2 : 0]);
    expect(found.recipients - unwanted.reduce((sum, count) => sum + count, 0)).toBe(stats.totalRecipients);
    expect(found.willSend).toBe(stats.sentCount);
    expect(world.taken).toHaveLength(found.willSend);
    const suppressed = ["bounce", "complaint", "manual"].map((why) => countOf(found.skipped, `suppressed_${why}`));
    expect(suppressed).toEqual([2, 1, 1]);
    expect(stats.suppressedCount).toBe(4);
    const failed = (await emailRows(project)).filter(({ status }) => status === "FAILED");
    expect(failed.map(({ error }) => error)).toEqual(Array(2).fill(found.renderErrors[0].message));
    expect(found.renderErrors).toEqual([{ message: expect.any(String), count: 2, examples: expect.any(Array) }]);
  });

  it("of a month that has too few mails left", async () => {
    const [world, project] = [new World(), await newProject({ monthlySendLimit: 8 })];
    await addContacts(project, 12);
    await project.api.send({ to: "someone@example.com" });
    const { id } = await newCampaign(project);
    const found = await preflight(world, project, id);
    await send(world, project, id);
    const stats = await statsOf(project, id);
    expect(countOf(found.skipped, "monthly_limit")).toBe(stats.failedCount);
    expect(found.willSend).toBe(stats.sentCount);
    expect(stats.failedCount).toBeGreaterThan(0);
  });

  it.each([
    [1, 100, {}],
    [100, 700, {}],
    [100, 700, { canary: { percent: 10, holdMinutes: 1 } }],
  ])(
    "of a segment, with what it writes: %i mails a call, %i recipients, %j",
    async (mailsPerCall, recipients, fields) => {
      const [world, project] = [new World(), await newProject()];
      world.mailsPerCall = mailsPerCall;
      await addMatching(project, 1, 2 * recipients);
      const segment = await newSegment(project, { condition: isPro });
      const { id } = await newCampaign(project, { audienceType: "SEGMENT", segmentId: segment.id, ...fields });
      const found = await preflight(world, project, id);
      expect(found).toMatchObject({ recipients, willSend: recipients });
      const before = world.rowsWritten;
      world.answer = () => ({ kind: "accepted", providerMessageId: "m", reports: [] });
      await sendAll(world, project, id);
      const written = world.rowsWritten - before;
      expect(Math.abs(found.rowsWritten - written) / written, `${found.rowsWritten}, really ${written}`).toBeLessThan(
        0.1,
      );
    },
  );
});

describe("what it looks at", () => {
  it("names variables without a value, with five examples at most", async () => {
    const [world, project] = [new World(), await newProject()];
    await addContacts(project, 7);
    const ada = await person(project, "ada@example.com", { firstName: "Ada", plan: "" });
    const { id } = await newCampaign(project, {
      subject: "News for {{ firstName }}",
      previewText: "{{ firstName ?? 'you' }}",
      body: "<p>{{ plan }} {{ email }} <a href='{{ unsubscribeUrl }}'>Leave</a></p>",
    });
    const { missing } = await preflight(world, project, id);
    expect(missing).toEqual([
      { variable: "plan", count: 8, examples: expect.any(Array) },
      { variable: "firstName", count: 7, examples: expect.any(Array) },
    ]);
    for (const { examples } of missing) expect(new Set(examples).size).toBe(5);
    expect(missing[1].examples).not.toContain(ada);
    const [first] = missing[0].examples;
    expect((await project.api.get(`/contacts/${first}`)).body.email).toMatch(/@example\.com$/);
  });

  it("keeps a row of bounded size, whatever a template names", async () => {
    const [world, project] = [new World(), await newProject()];
    await addContacts(project, 3);
    const body = Array.from({ length: 300 }, (_, n) => `{{ key${n} }}`).join("");
    const { id } = await newCampaign(project, { body });
    const { missing } = await preflight(world, project, id);
    expect(missing).toHaveLength(101);
    expect(missing[0]).toMatchObject({ variable: "(others)", examples: expect.any(Array) });
    expect(missing[0].count).toBe(3 * 201);
  });

  it("says no address, of whoever is an example", async () => {
    const [world, project] = [new World(), await newProject()];
    await person(project, "loop@example.com", { times: 100_000_000 });
    const { id } = await newCampaign(project, { body });
    const result = await preflight(world, project, id);
    expect(result.renderErrors).toHaveLength(1);
    expect(JSON.stringify(result)).not.toContain("@");
    const row = await project.db.prepare("SELECT * FROM jobs WHERE project_id = ?").bind(project.id).first();
    expect(JSON.stringify(row)).not.toContain("@example");
  });

  it("warns of links, images and public keys", async () => {
    const [world, project] = [new World(), await newProject({ tracking: "ENABLED" })];
    await addContacts(project, 2);
    await person(project, "shop@example.com", { url: "https://shop.example/" });
    await project.db
      .prepare("UPDATE contacts SET source = 'PUBLIC' WHERE project_id = ? AND email LIKE '0-1@%'")
      .bind(project.id)
      .run();
    await project.db
      .prepare("UPDATE contacts SET source = 'PUBLIC', confirmed_at = 1 WHERE project_id = ? AND email LIKE '1-1@%'")
      .bind(project.id)
      .run();
    const { id } = await newCampaign(project, {
      type: "HEADLESS",
      body: '<a href="{{ url }}">Shop</a><a href="/news">News</a><a href="https://acme.example">Us</a><img src="x.png">',
    });
    const { warnings } = await preflight(world, project, id);
    expect(
      Object.fromEntries(warnings.map(({ code, count }: { code: string; count: number }) => [code, count])),
    ).toEqual({
      ...{ empty_link: 2, link_not_absolute: 3, image_without_alt: 3, missing_unsubscribe_link: 3, public_source: 1 },
    });
    for (const { message } of warnings) expect(message).toMatch(/^[A-Z].*\.$/);
    const examples = Object.fromEntries(
      warnings.map(({ code, examples }: { code: string; examples: string[] }) => [code, examples]),
    );
    expect(examples).toMatchObject({
      ...{ link_not_absolute: ['<a href="/news">News'], image_without_alt: ['<img src="x.png">'], public_source: [] },
    });
    expect(examples.empty_link).toEqual(['<a href="…']);
  });

  it.each([
    ["MARKETING", "<p>Hello</p>", 0],
    ["HEADLESS", "<p>Hello</p>", 1],
    ["HEADLESS", '<p><a href="{{ manageUrl }}">Leave</a></p>', 0],
    ["TRANSACTIONAL", "<p>Hello</p>", 0],
  ])("a way to unsubscribe: %s %s", async (type, body, count) => {
    const [world, project] = [new World(), await newProject({ company: "Acme", postalAddress: "1 Main St" })];
    await addContacts(project, 1);
    const { id } = await newCampaign(project, { type, body });
    const { warnings } = await preflight(world, project, id);
    expect(warnings.map((warning: { code: string }) => warning.code)).toEqual(
      count ? ["missing_unsubscribe_link"] : [],
    );
  });

  it("measures the HTML that is sent, with its tracking and its footer", async () => {
    const [world, project] = [new World(), await newProject({ tracking: "ENABLED" })];
    const links = '<a href="https://acme.example/a">A</a>'.repeat(50);
    for (const size of [80, 90, 92, 94, 96, 98, 101, 110]) {
      await person(project, `c${size}@example.com`, { times: Math.floor((size * 1_024 - links.length) / 4) });
    }
    const { id } = await newCampaign(project, { body: `${links}{% for n in (1..times) %}é..{% endfor %}` });
    const { clipped, willSend } = await preflight(world, project, id);
    await send(world, project, id);
    const sizes = world.taken.map(({ html }) => new TextEncoder().encode(html).length);
    expect(clipped).toBe(sizes.filter((size) => size > 102 * 1_024).length);
    expect([willSend, clipped > 2, clipped < 8]).toEqual([8, true, true]);
  });

  it("says what no recipient could be sent", async () => {
    const [world, project] = [new World(), await newProject()];
    await addContacts(project, 3);
    const { id } = await newCampaign(project);
    await project.db.prepare("UPDATE domains SET status = 'PENDING' WHERE project_id = ?").bind(project.id).run();
    const { willSend, renderErrors } = await preflight(world, project, id);
    expect(willSend).toBe(0);
    expect(renderErrors).toMatchObject([{ count: 3, message: expect.stringContaining("no longer a verified domain") }]);
  });

  it("reads bodies that are stored in files, of each variant", async () => {
    const [world, project] = [new World(), await newProject()];
    await addContacts(project, 12);
    const large = `<p>${"€".repeat(40_000)}</p>`;
    const variants = [
      { name: "a", weight: 1, body: large },
      { name: "b", weight: 1, body: "<p>small</p>" },
    ];
    const { id } = await newCampaign(project, { variants });
    const { willSend, clipped } = await preflight(world, project, id);
    await send(world, project, id);
    expect(willSend).toBe(12);
    expect(clipped).toBe(world.taken.filter(({ html }) => html.includes("€")).length);
    expect(clipped).toBeGreaterThan(0);
  });

  it("warns of marketing email of a project without a postal address, and then without a company", async () => {
    const [world, project] = [new World(), await newProject()];
    await addContacts(project, 2);
    const warningsOf = async (type: string) => {
      const { id } = await newCampaign(project, { type, body: '<a href="{{ manageUrl }}">Leave</a>' });
      return (await preflight(world, project, id)).warnings;
    };
    expect(await warningsOf("MARKETING")).toEqual([
      { code: "missing_postal_address", count: 2, message: expect.stringContaining("no postalAddress"), examples: [] },
    ]);
    expect(await warningsOf("HEADLESS")).toEqual([]);
    await admin.patch(`/admin/projects/${project.id}`, { postalAddress: "1 Main St" });
    forgetProjects();
    expect(await warningsOf("MARKETING")).toEqual([
      { code: "missing_company", count: 2, message: expect.stringContaining("no company"), examples: [] },
    ]);
    expect(await warningsOf("HEADLESS")).toEqual([]);
    await admin.patch(`/admin/projects/${project.id}`, { company: "Acme" });
    forgetProjects();
    expect(await warningsOf("MARKETING")).toEqual([]);
  });

  it("says that the marketing email of the project is paused", async () => {
    const [world, project] = [new World(), await newProject({ company: "Acme", postalAddress: "1 Main St" })];
    await addContacts(project, 2);
    const sql = "UPDATE projects SET sending_paused_reason = 'Too bad.', sending_paused_at = 1 WHERE number = ?";
    await env.DB.prepare(sql).bind(project.number).run();
    forgetProjects();
    const codesOf = async (type: string) => {
      const { id } = await newCampaign(project, { type });
      const { willSend, warnings } = await preflight(world, project, id);
      expect(willSend).toBe(2);
      return warnings.map(({ code }: { code: string }) => code);
    };
    expect(await codesOf("MARKETING")).toEqual(["sending_paused"]);
    expect(await codesOf("TRANSACTIONAL")).toEqual([]);
  });

  it.each([
    ["what is usual", {}, {}, null, 2],
    ["how fast campaigns went", {}, {}, { mails: 1_000, ms: 20_000 }, 12],
    ["how fast they went, where that is faster than usual", {}, {}, { mails: 12_000, ms: 10_000 }, 1],
    ["the project's pace", { sendRatePerSecond: 10 }, {}, { mails: 1_000, ms: 10_000 }, 60],
    ["the provider's pace, without the part of transactional mail", {}, { MAIL_RATE_PER_SECOND: "50" }, null, 15],
    ["the slowest", { sendRatePerSecond: 100 }, { MAIL_RATE_PER_SECOND: "10" }, { mails: 1_000, ms: 10_000 }, 75],
    ["nothing of real time, on a clock of its own", { sendRatePerSecond: 10, testClock: true }, {}, null, 2],
  ])("estimates the time by %s", async (_, limits, settings, speed, seconds) => {
    const [world, project] = [new World(), await newProject(limits)];
    world.settings = settings;
    if (speed) world.account.speed = speed;
    await addContacts(project, 600);
    const { id } = await newCampaign(project);
    expect((await preflight(world, project, id)).estimatedSeconds).toBe(seconds);
    const { id: held } = await newCampaign(project, { canary: { percent: 5, holdMinutes: 10 } });
    expect((await preflight(world, project, held)).estimatedSeconds).toBe(seconds + 600);
  });
});

describe("half-way", () => {
  /** A project whose pre-flight takes three steps: the beginning, and two windows. */
  async function scene(fields: JsonObject = {}) {
    const [world, project] = [new World(), await newProject()];
    await addContacts(project, 505);
    await person(project, "ada@example.com", { firstName: "Ada" });
    await project.api.post("/suppressions", { email: "3-1@example.com" });
    const { id } = await newCampaign(project, { body: "<p>{{ plan }}</p>", ...fields });
    return { world, project, id };
  }

  const whole = { recipients: 506, willSend: 505, skipped: [{ reason: "suppressed_manual", count: 1 }] };

  /** Lets the job take so many steps. */
  async function steps(world: World, project: TestProject, jobId: string, count: number): Promise<void> {
    const { ctx } = await world.context(project);
    const job = { type: "campaigns.preflight" as const, projectId: project.number, jobId: readId(jobId) };
    await workOn(ctx, job, preflightStep, { stepsPerRun: count });
  }

  it("shows how far it is", async () => {
    const { world, project, id } = await scene();
    const jobId = await start(world, project, id);
    expect(await jobOf(project, jobId)).toMatchObject({ status: "queued", progress: 0, result: null });
    await steps(world, project, jobId, 2);
    expect(await jobOf(project, jobId)).toMatchObject({
      ...{ status: "processing", progress: 98 },
      result: { recipients: 500, willSend: 499 },
    });
    await world.drain();
    expect(await jobOf(project, jobId)).toMatchObject({ status: "completed", progress: 100, result: whole });
  });

  /** More steps than the job takes: the last deaths never come. */
  const deaths: Death[] = Array.from({ length: 20 }, (_, n) => n + 1).flatMap((atStep) => [
    { atStep, when: "before" },
    { atStep, when: "after" },
  ]);

  it.each(deaths.map((death) => [`${death.when} step ${death.atStep}`, death] as const))(
    "killed %s: everybody is counted once",
    async (_, death) => {
      const [world, project] = [new World(), await newProject()];
      await addMatching(project, 1, 520);
      await project.api.post("/suppressions", { email: "c3@example.com" });
      const filters = [
        { field: "data.n", operator: "lessThan", value: 10 },
        { field: "data.n", operator: "greaterThan", value: 495 },
      ];
      const audienceCondition = { logic: "OR", groups: filters.map((filter) => ({ filters: [filter] })) };
      const { id } = await newCampaign(project, { audienceType: "FILTERED", audienceCondition });
      const jobId = await start(world, project, id);
      await world.runAndDie(death);
      // The message came back.
      await world.drain();
      const { status, result, errors } = await jobOf(project, jobId);
      expect([status, errors]).toEqual(["completed", []]);
      expect(result).toMatchObject({
        ...{ recipients: 34, willSend: 33, skipped: [{ reason: "suppressed_manual", count: 1 }] },
        missing: [{ variable: "firstName", count: 33 }],
      });
      expect(world.taken).toHaveLength(0);
    },
  );

  it("a call is killed: there is a job or none", async () => {
    const [world, project] = [new World(), await newProject()];
    const { id } = await newCampaign(project);
    for (const atStep of [1, 2, 3]) {
      for (const when of ["before", "after"] as const) {
        await start(world, project, id, { atStep, when }).catch((error) => {
          if (!wasKilled(error)) throw error;
        });
      }
    }
    await world.pass(6);
    const { results } = await project.db.prepare("SELECT status FROM jobs WHERE project_id = ?").bind(project.id).all();
    expect(results.every(({ status }) => status === "completed")).toBe(true);
  });

  /** A machine so slow that so many mails are all that one invocation composes. */
  const enoughFor = (mails: number) => openCpu(mails * 22_000);

  it("its mail takes long: a step does as much as it has CPU for", async () => {
    const { world, project, id } = await scene();
    const jobId = await start(world, project, id);
    const { ctx } = await world.context(project);
    const job = { type: "campaigns.preflight" as const, projectId: project.number, jobId: readId(jobId) };
    await workOn({ ...ctx, cpu: enoughFor(50) }, job, preflightStep, { stepsPerRun: 2 });
    const { recipients } = (await jobOf(project, jobId)).result;
    expect(recipients).toBeGreaterThanOrEqual(10);
    expect(recipients).toBeLessThanOrEqual(51);
    for (let runs = 0; runs < 50 && world.queue.length > 0; runs++) {
      world.queue = [];
      await workOn({ ...ctx, cpu: enoughFor(50) }, job, preflightStep, { stepsPerRun: 2 });
    }
    expect(await jobOf(project, jobId)).toMatchObject({ status: "completed", result: whole });
  });

  it("its mail takes long: other jobs have a turn soon", async () => {
    const { world, project, id } = await scene();
    const jobId = await start(world, project, id);
    const message = { type: "campaigns.preflight" as const, projectId: project.number, jobId: readId(jobId) };
    world.queue = [];
    for (let messages = 0; messages < 2; messages++) {
      await handleMessage({ ...world.process().platform, cpu: enoughFor(50) }, message);
    }
    expect(world.queue.map(({ queued }) => queued.message)).toEqual([message, message]);
    expect((await jobOf(project, jobId)).result.recipients).toBeLessThanOrEqual(51);
  });

  it("many projects begin one each: a neighbour waits for one turn of each, and for no whole check", async () => {
    const world = new World();
    const begun = [];
    for (let n = 0; n < 3; n++) {
      const { project, id } = await scene();
      begun.push({ project, jobId: await start(world, project, id) });
    }
    const neighbour = await newProject();
    await person(neighbour, "ada@example.com", { plan: "pro" });
    const small = await newCampaign(neighbour, { body: "<p>{{ plan }}</p>" });
    world.now += 1_000;
    const turn = async () => {
      const [next] = world.queue.splice(0, 1);
      if (!next) throw new Error("The queue is empty");
      await handleMessage({ ...world.process().platform, cpu: enoughFor(100) }, next.queued.message);
    };
    // Each has begun, and is in the middle.
    for (let n = 0; n < 6; n++) await turn();
    const own = await start(world, neighbour, small.id);
    // It begins after one turn of each, and ends after another.
    for (let n = 0; n < 2 * (begun.length + 1); n++) await turn();
    expect(await jobOf(neighbour, own)).toMatchObject({ status: "completed", result: { recipients: 1 } });
    for (const { project, jobId } of begun) expect((await jobOf(project, jobId)).status).toBe("processing");
  });

  it("two hundred others go on: it waits for its share, and leaves consumers to other jobs", async () => {
    const { world, project, id } = await scene();
    await start(world, project, id);
    const pauseAfterTurn = async () => {
      const [next] = world.queue.splice(0, 1);
      if (next) await handleMessage(world.process().platform, next.queued.message);
      return ((world.queue[0]?.due ?? 0) - world.now) / 1_000;
    };
    expect(await pauseAfterTurn()).toBe(0);
    const others = project.db.prepare(
      `INSERT INTO jobs (project_id, id, type, status, errors, created_at)
        WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ?2)
        SELECT ?1 + 1000000 + i, '------------------' || printf('%04d', i), 'campaigns.preflight', 'queued', '[]', 1 FROM n`,
    );
    try {
      await others.bind(project.number, 200).run();
      expect(await pauseAfterTurn()).toBe(100);
    } finally {
      await project.db
        .prepare("DELETE FROM jobs WHERE project_id > ?")
        .bind(project.number + 1_000_000)
        .run();
    }
  });

  it("its message comes twice, and two consumers work at once", async () => {
    const { world, project, id } = await scene();
    const jobId = await start(world, project, id);
    const message = { type: "campaigns.preflight" as const, projectId: project.number, jobId: readId(jobId) };
    const runs = [1, 2, 3].map(() => handleMessage(world.process().platform, message));
    await Promise.all(runs);
    await world.drain();
    expect(await jobOf(project, jobId)).toMatchObject({ status: "completed", result: whole });
  });

  it("its message is lost", async () => {
    const { world, project, id } = await scene();
    const jobId = await start(world, project, id);
    world.queue = [];
    await world.pass(7);
    expect(await jobOf(project, jobId)).toMatchObject({ status: "completed", result: whole });
  });

  it("another body is saved: it is checked from the beginning", async () => {
    const { world, project, id } = await scene();
    const jobId = await start(world, project, id);
    await steps(world, project, jobId, 2);
    await putCampaign(project, id, { body: "<p>{{ city }}</p>" });
    await steps(world, project, jobId, 1);
    expect(await jobOf(project, jobId)).toMatchObject({ status: "processing", progress: 0, result: null });
    await world.drain();
    const { status, result } = await jobOf(project, jobId);
    expect([status, result.recipients]).toEqual(["completed", 506]);
    expect(result.missing).toMatchObject([
      { variable: "city", count: 505 },
      { variable: "firstName", count: 504 },
    ]);
  });

  it("the campaign is deleted: the job fails and says so", async () => {
    const { world, project, id } = await scene();
    const jobId = await start(world, project, id);
    await steps(world, project, jobId, 2);
    await deleteCampaign((await world.context(project)).ctx, readId(id));
    await world.drain();
    expect(await jobOf(project, jobId)).toMatchObject({
      ...{ status: "failed", result: null },
      errors: [{ reason: "The campaign was deleted before the check had ended." }],
    });
  });

  it("the project is disabled: it goes on, and says so", async () => {
    const { world, project, id } = await scene();
    const jobId = await start(world, project, id);
    await steps(world, project, jobId, 2);
    await admin.patch(`/admin/projects/${project.id}`, { disabled: true });
    forgetProjects();
    await world.drain();
    expect(await jobOf(project, jobId)).toMatchObject({
      ...{ status: "completed", result: whole },
    });
    expect((await jobOf(project, jobId)).result.warnings).toMatchObject([
      { code: "missing_postal_address", count: 505 },
      { code: "disabled", count: 505 },
    ]);
  });

  it("the project is erased: nothing is left of it", async () => {
    const { world, project, id } = await scene();
    const jobId = await start(world, project, id);
    await steps(world, project, jobId, 2);
    await deleteProject(world.process().platform, project.id);
    forgetProjects();
    await world.drain();
    await world.pass(10);
    const left = project.db
      .prepare("SELECT count(*) AS n FROM jobs WHERE project_id = ? AND type <> 'project.erase'")
      .bind(project.number);
    expect(await left.first("n")).toBe(0);
  });

  it("contacts are deleted and created: nobody is counted twice", async () => {
    const { world, project, id } = await scene();
    const jobId = await start(world, project, id);
    await steps(world, project, jobId, 2);
    const { body: found } = await project.api.get("/contacts?search=ada@example.com");
    expect((await project.api.delete(`/contacts/${found.data[0].id}`)).status).toBe(204);
    await person(project, "new@example.com");
    await world.drain();
    // Who came after the beginning is not frozen either.
    expect((await jobOf(project, jobId)).result).toMatchObject({ recipients: 505, willSend: 504 });
  });
});

describe("a mail and the question what it misses", () => {
  /** To ask for the size of a list costs as much as to print it. */
  const data = { list: Array.from({ length: 2_000 }, () => 1) };
  const bodyWith = (loops: number) => `{% for n in (1..${loops}) %}{% endfor %}{{ list.size }}{{ nickname }}`;

  function unitsOf(body: string): number {
    const template = parseTemplate(body, "html", new Budget());
    const budget = new Budget();
    renderTemplate(template, data, budget);
    return budget.spent;
  }

  it("have one budget: a mail near the limit is sound, and is asked for no more than it leaves", async () => {
    const [world, project] = [new World(), await newProject({ postalAddress: "1 Main St" })];
    await addContacts(project, 1);
    await project.db
      .prepare("UPDATE contacts SET data = ? WHERE project_id = ?")
      .bind(JSON.stringify(data), project.number)
      .run();
    const perLoop = (unitsOf(bodyWith(2_000)) - unitsOf(bodyWith(1_000))) / 1_000;
    const loops = Math.floor((MAX_UNITS - 5_000 - unitsOf(bodyWith(0))) / perLoop);
    const found = async (body: string) => {
      const { id } = await newCampaign(project, { subject: "Hello", body });
      return preflight(world, project, id);
    };
    expect(await found(bodyWith(loops))).toMatchObject({ willSend: 1, missing: [], renderErrors: [] });
    expect((await found(bodyWith(1_000))).missing).toMatchObject([{ variable: "nickname", count: 1 }]);
    const message = expect.stringContaining("too much work for one email");
    expect((await found(bodyWith(loops + 1_000))).renderErrors).toMatchObject([{ message, count: 1 }]);
  });
});
