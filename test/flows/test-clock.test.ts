import { afterEach, describe, expect, it, vi } from "vitest";
import { publicId, readId, timeOf } from "../../src/core/ids";
import { enqueueRun, startCampaign } from "../../src/features/campaigns/start";
import { SendEmail } from "../../src/features/send/schema";
import { sendEmails } from "../../src/features/send/send";
import { startExecution } from "../../src/features/workflows/executions/start";
import type { ShardAddress } from "../../src/platform/workflow-shards";
import { handleMessage } from "../../src/queue";
import { newCampaign } from "../support/campaign";
import { Outside } from "../support/outside";
import { newProject } from "../support/project";
import { sample } from "../support/sample";
import { inbox, jobOf, move, moveAndDie, newTestClock, startMove, type TestClock } from "../support/test-clock";
import { delivered, deliveriesOf, newHost, newWebhook } from "../support/webhook";
import {
  addressOf,
  awaitingPurchase,
  executionsOf,
  type GivenWorkflow,
  mirrorOf,
  newWorkflow,
  pathOf,
  track,
} from "../support/workflow";

afterEach(() => {
  vi.unstubAllGlobals();
});

const minuteMs = 60_000;
const hourMs = 60 * minuteMs;
const dayMs = 24 * hourMs;
const at = (ms: number) => new Date(ms).toISOString();

/** The log of the project, in its own order: how long after the beginning each event happened. */
async function log({ project, start }: TestClock): Promise<[name: string, afterMs: number][]> {
  const { body } = await project.api.get("/events?limit=100");
  return body.data
    .map(({ name, createdAt }: Record<string, string>) => [name, Date.parse(createdAt ?? "") - start])
    .reverse();
}

/** Something of each kind, due in the next days. */
async function prepare({ project, start }: TestClock): Promise<{ campaignId: string }> {
  const { api } = project;
  const ada = (await api.post("/contacts", { email: "ada@example.com" })).body;
  await api.send({ to: `bob@${project.domain}`, subject: "Day 3", scheduledAt: at(start + 3 * dayMs) });
  await api.post(`/contacts/${ada.id}/snooze`, { until: at(start + 4 * dayMs) });
  const campaign = await newCampaign(project, { subject: "Day 5" });
  await api.post(`/campaigns/${campaign.id}/send`, { scheduledFor: at(start + 5 * dayMs) });
  const filter = { field: "createdAt", operator: "olderThan", value: 6, unit: "days" };
  const condition = { logic: "AND", groups: [{ filters: [filter] }] };
  const segment = await api.post("/segments", { name: "Old", condition, trackMembership: true });
  expect(segment.status, JSON.stringify(segment.body)).toBe(201);
  return { campaignId: campaign.id };
}

/** What becomes of that. Both contacts are as old. */
const story: [string, number][] = [
  ["contact.unsubscribed", 0],
  ["email.sent", 3 * dayMs],
  ["email.delivered", 3 * dayMs],
  ["contact.subscribed", 4 * dayMs],
  ["email.sent", 5 * dayMs],
  ["email.delivered", 5 * dayMs],
  ["segment.old.entry", 6 * dayMs + 1],
  ["segment.old.entry", 6 * dayMs + 1],
];

describe("an advance", () => {
  it("takes what is due in the order of time, and everything has the time at which it was due", async () => {
    const clock = await newTestClock();
    const { project, start } = clock;
    const { campaignId } = await prepare(clock);
    expect(await move(clock, { advance: "14d" })).toMatchObject({
      status: "completed",
      result: { instants: 4, now: at(start + 14 * dayMs) },
      errors: [],
    });
    expect(await log(clock)).toEqual(story);
    expect(await inbox(`bob@${project.domain}`)).toEqual([{ subject: "Day 3", createdAt: at(start + 3 * dayMs) }]);
    const campaign = (await project.api.get(`/campaigns/${campaignId}`)).body;
    expect(campaign).toMatchObject({
      ...{ status: "SENT", sentCount: 1, deliveredCount: 1, createdAt: at(start) },
      ...{ sentAt: at(start + 5 * dayMs), completedAt: at(start + 5 * dayMs) },
    });
    const made = (await project.api.post("/contacts", { email: "late@example.com" })).body;
    expect(made.createdAt).toBe(at(start + 14 * dayMs));
    expect(timeOf(readId(made.id))).toBe(start + 14 * dayMs);
  });

  it("goes step by step or all at once, to the same end", async () => {
    const clock = await newTestClock();
    await prepare(clock);
    for (let step = 1; step <= 7; step++) await move(clock, { advance: "25h" });
    expect(await log(clock)).toEqual(story);
  });

  it("stops at its target, and what is due then is done", async () => {
    const clock = await newTestClock();
    await prepare(clock);
    expect((await move(clock, { advance: "3d" })).result).toEqual({ instants: 1, now: at(clock.start + 3 * dayMs) });
    expect((await log(clock)).length).toBe(3);
    expect((await move(clock, { advance: "1h" })).result).toEqual({
      instants: 0,
      now: at(clock.start + 3 * dayMs + hourMs),
    });
    expect((await log(clock)).length).toBe(3);
  });

  it("tries a mail again that the provider was too busy for, until it is given up", async () => {
    const clock = await newTestClock();
    await clock.project.api.send({ to: "throttle@simulator.test" });
    const job = await move(clock, { advance: "1d" });
    expect(job).toMatchObject({ status: "completed", result: { instants: 7 } });
    const { body } = await clock.project.api.get("/emails");
    expect(body.data[0]).toMatchObject({ status: "FAILED", attempts: 8 });
    const [[name, after] = ["", 0]] = await log(clock);
    expect(name).toBe("email.failed");
    expect(after).toBeGreaterThan(50 * minuteMs);
    expect(after).toBeLessThan(2 * hourMs);
  });

  it("holds a canary for as long as it says, and then lets the others go", async () => {
    const clock = await newTestClock();
    const { project, start } = clock;
    for (let n = 0; n < 5; n++) await project.api.post("/contacts", { email: `c${n}@example.com` });
    const { id } = await newCampaign(project, { canary: { percent: 20, holdMinutes: 90 } });
    await project.api.post(`/campaigns/${id}/send`, { scheduledFor: at(start + dayMs) });
    await move(clock, { now: at(start + dayMs + 89 * minuteMs) });
    expect((await project.api.get(`/campaigns/${id}`)).body).toMatchObject({ status: "SENDING", sentCount: 1 });
    await move(clock, { advance: "1m" });
    expect((await project.api.get(`/campaigns/${id}`)).body).toMatchObject({ status: "SENT", sentCount: 5 });
    expect((await log(clock)).filter(([name]) => name === "email.sent").map(([, after]) => after)).toEqual([
      dayMs,
      ...Array(4).fill(dayMs + 90 * minuteMs),
    ]);
  });

  it("ends a snooze before the mail that is due at the very instant", async () => {
    const clock = await newTestClock();
    const { project, world, start } = clock;
    const { api } = project;
    const email = `ada@${project.domain}`;
    const { contactId } = await track(world, project, "arrived", { email });
    await api.post(`/contacts/${publicId(contactId)}/snooze`, { duration: "14d" });
    const campaign = await newCampaign(project, { subject: "Campaign" });
    await api.post(`/campaigns/${campaign.id}/send`, { scheduledFor: at(start + 14 * dayMs) });
    const content = { name: "Mail", subject: "Workflow", body: "<p>Hi</p>", from: `hello@${project.domain}` };
    const { body: template } = await api.post("/templates", { ...content, type: "HEADLESS" });
    await newWorkflow(project, {
      steps: {
        pause: ["DELAY", { amount: 14, unit: "days" }],
        mail: ["SEND_EMAIL", {}, { templateId: template.id }],
      },
      ways: [
        ["TRIGGER", "pause"],
        ["pause", "mail"],
      ],
    });
    await track(world, project, "signup", { email });
    expect(await move(clock, { advance: "14d" })).toMatchObject({ status: "completed" });
    expect((await inbox(email)).map(({ subject }) => subject).sort()).toEqual(["Campaign", "Workflow"]);
  });

  it("is not needed for what is due at once: a campaign that is sent now, and each mail", async () => {
    const clock = await newTestClock();
    const { project, world, start } = clock;
    await project.api.post("/contacts", { email: "ada@example.com" });
    const { id } = await newCampaign(project);
    const { ctx: given } = await world.context(project);
    const ctx = { ...given, origin: "https://petrel.example" };
    await startCampaign(ctx, readId(id), "send");
    await enqueueRun(ctx, readId(id));
    for (let second = 0; second < 10; second++) {
      await world.drain();
      world.now += 1_000;
    }
    expect((await project.api.get(`/campaigns/${id}`)).body).toMatchObject({ status: "SENT", sentAt: at(start) });
    expect(await log(clock)).toEqual([
      ["email.sent", 0],
      ["email.delivered", 0],
    ]);
    // The provider of the real projects took none of it.
    expect(world.taken).toEqual([]);
  });

  it("computes a tracked segment when a window passes somebody, and else not at all", async () => {
    const clock = await newTestClock();
    const { project } = clock;
    const filter = { field: "visit", operator: "triggeredWithin", value: 2, unit: "days" };
    const condition = { logic: "AND", groups: [{ filters: [filter] }] };
    await project.api.post("/segments", { name: "Recent", condition, trackMembership: true });
    const far = { field: "data.trialEnds", operator: "within", value: 1, unit: "hours" };
    const ended = { logic: "AND", groups: [{ filters: [far] }] };
    await project.api.post("/segments", { name: "Trial over", condition: ended, trackMembership: true });
    await project.api.post("/events/track", { email: "ada@example.com", event: "visit" });
    const data = { trialEnds: at(clock.start + 9 * dayMs) };
    await project.api.post("/contacts", { email: "bob@example.com", data });
    const job = await move(clock, { advance: "30d" });
    expect(job).toMatchObject({ status: "completed" });
    expect(job.result.instants).toBeLessThan(8);
    const membership = (await log(clock)).filter(([name]) => name.startsWith("segment."));
    expect(membership).toEqual([
      ["segment.recent.entry", expect.any(Number)],
      ["segment.recent.exit", 2 * dayMs + 1],
      ["segment.trial-over.entry", 9 * dayMs],
      ["segment.trial-over.exit", 9 * dayMs + hourMs + 1],
    ]);
    expect(membership[0]?.[1]).toBeLessThanOrEqual(5 * minuteMs);
  });

  it("waits for no person: a campaign that is paused stays so", async () => {
    const clock = await newTestClock();
    const { project, start } = clock;
    await project.api.post("/contacts", { email: "ada@example.com" });
    const { id } = await newCampaign(project, { canary: { percent: 50, holdMinutes: 60 } });
    await project.api.post(`/campaigns/${id}/send`, { scheduledFor: at(start + hourMs) });
    await move(clock, { advance: "90m" });
    await project.api.post(`/campaigns/${id}/pause`);
    expect(await move(clock, { advance: "7d" })).toMatchObject({ status: "completed", result: { instants: 0 } });
  });

  it("calls webhooks once before time goes on, with the time of the event in the body", async () => {
    const clock = await newTestClock();
    const { project, start, world } = clock;
    const outside = new Outside();
    const webhook = await newWebhook(world, project, ["email.sent"]);
    outside.play(webhook.host, () => new Response(null, { status: 500 }));
    for (const hours of [1, 2]) {
      await project.api.send({ to: "ada@example.com", scheduledAt: at(start + hours * hourMs) });
    }
    const job = await move(clock, { advance: "1d" });
    expect(job).toMatchObject({ status: "completed", result: { instants: 2 } });
    expect(delivered(outside, webhook).map(({ timestamp }) => timestamp)).toEqual([
      at(start + hourMs),
      at(start + 2 * hourMs),
    ]);
    // The signature, and the wait for the second try, are of the real time.
    const signedAt = Number(outside.callsTo(webhook.host)[0]?.headers.get("webhook-timestamp")) * 1000;
    expect(Math.abs(signedAt - world.now)).toBeLessThan(10 * minuteMs);
    for (const delivery of await deliveriesOf(project, webhook)) {
      expect(delivery).toMatchObject({ status: "PENDING", attempts: 1 });
      expect(Math.abs(Date.parse(delivery.nextAttemptAt ?? "") - world.now)).toBeLessThan(10 * minuteMs);
    }
  });

  it("fails with the reason when something of the project never comes to rest", async () => {
    const clock = await newTestClock();
    const { project, world } = clock;
    // A job in a state that nobody can read: it never goes on.
    await project.db
      .prepare(
        `INSERT INTO jobs (project_id, id, type, status, input, state, errors, created_at, next_announce_at)
          VALUES (?1, 'never', 'segments.count', 'queued', '{}', '"broken"', '[]', 0, 0)`,
      )
      .bind(project.number)
      .run();
    const job = await move(clock, { advance: "7d" });
    expect(job).toMatchObject({ status: "failed", result: { instants: 0, now: at(clock.start) } });
    expect(job.errors[0].reason).toContain("did not come to rest within 60 seconds: jobs");
    expect(world.logged).toContain("Work failed while a test clock was moved");
  });

  it.each(sample(["before", "after"] as const, { of: 2 }))(
    "may die %s any step: another process goes on, and all happens once",
    async (when) => {
      const clock = await newTestClock();
      for (let atStep = 1, day = 1; ; atStep += 4, day += 2) {
        const due = clock.start + day * dayMs;
        const to = `${when}-${atStep}@${clock.project.domain}`;
        await clock.project.api.send({ to, scheduledAt: at(due) });
        const job = await moveAndDie(clock, { advance: "2d" }, { atStep, when });
        const end = { status: "completed", result: { now: at(due + dayMs) } };
        expect(job, `${when} ${atStep}`).toMatchObject(end);
        const [mail] = (await clock.project.api.get("/emails?limit=1")).body.data;
        // Who dies between the provider's answer and its record leaves a mail of which nobody knows whether it went out.
        if (mail.status !== "UNKNOWN") expect(mail.sentAt, `${when} ${atStep}`).toBe(at(due));
        expect(mail.status, `${when} ${atStep}`).toMatch(/^(DELIVERED|UNKNOWN)$/);
        expect((await inbox(to)).length, `${when} ${atStep}`).toBeLessThanOrEqual(1);
        if (job.isOver) return;
      }
    },
  );

  it("does not send a mail again whose consumer was lost, however far the clock is behind", async () => {
    const clock = await newTestClock();
    const { project, world } = clock;
    world.now += 10 * dayMs;
    const to = `lost@${project.domain}`;
    await project.api.send({ to });
    // The consumer has called the outbox, and died before it recorded the answer.
    await project.db
      .prepare(
        `UPDATE emails SET status = 'SENDING', round = 'lost', provider = 'outbox', attempts = 1, handed_at = ?
          WHERE project_id = ? AND to_email = ?`,
      )
      .bind(world.now - minuteMs, project.number, to)
      .run();
    await move(clock, { advance: "1h" });
    const { body } = await project.api.get("/emails");
    expect(body.data[0].status).toBe("UNKNOWN");
    expect(await inbox(to)).toEqual([]);
  });

  it("is felt by no other project, and what a real sweep finds is none of a test clock's", async () => {
    const clock = await newTestClock();
    const { world, start } = clock;
    await prepare(clock);
    const other = await newProject();
    await other.api.post("/contacts", { email: "eve@example.com" });
    await other.api.send({ to: "eve@example.com", scheduledAt: at(world.now + dayMs) });
    // The real time passes, and the cron with it: nothing of the test project is due.
    world.now += 10 * dayMs;
    for (const cron of ["* * * * *", "*/5 * * * *"]) await world.sweep(cron);
    await world.drain();
    expect((await log(clock)).length).toBe(1);
    expect(world.taken.map(({ to }) => to.email)).toEqual(["eve@example.com"]);
    await move(clock, { now: at(start + 14 * dayMs) });
    expect(await log(clock)).toEqual(story);
    expect(world.taken.length).toBe(1);
    const { body } = await other.api.get("/emails");
    expect(body.data.length).toBe(1);
  });
});

describe("a workflow on a test clock", () => {
  async function template({ project }: TestClock, name: string): Promise<{ templateId: string }> {
    const from = `hello@${project.domain}`;
    const fields = { name, subject: name, body: `<p>${name}</p>`, from, type: "TRANSACTIONAL" };
    const { status, body } = await project.api.post("/templates", fields);
    expect(status, JSON.stringify(body)).toBe(201);
    return { templateId: body.id };
  }

  it("goes through its days of delays and waits in the order of time", async () => {
    const clock = await newTestClock();
    const { project, world, start } = clock;
    await newWorkflow(project, {
      steps: {
        welcome: ["SEND_EMAIL", {}, await template(clock, "Welcome")],
        pause: ["DELAY", { amount: 3, unit: "days" }],
        tips: ["SEND_EMAIL", {}, await template(clock, "Tips")],
        wait: ["WAIT_FOR_EVENT", { eventName: "purchase", timeout: (7 * dayMs) / 1000 }],
        thanks: ["SEND_EMAIL", {}, await template(clock, "Thanks")],
        remind: ["SEND_EMAIL", {}, await template(clock, "Still there?")],
        last: ["DELAY", { amount: 4, unit: "days" }],
        end: ["EXIT", { reason: "Over" }],
      },
      ways: [
        ["TRIGGER", "welcome"],
        ["welcome", "pause"],
        ["pause", "tips"],
        ["tips", "wait"],
        ["wait", "thanks", "event"],
        ["wait", "remind", "timeout"],
        ["remind", "last"],
        ["last", "end"],
      ],
    });
    const [ada, bob] = [`ada@${project.domain}`, `bob@${project.domain}`];
    for (const email of [ada, bob]) await track(world, project, "signup", { email });
    expect(await move(clock, { advance: "5d" })).toMatchObject({ status: "completed", result: { instants: 1 } });
    await track(world, project, "purchase", { email: ada });
    expect(await move(clock, { advance: "9d" })).toMatchObject({
      status: "completed",
      result: { instants: 2, now: at(start + 14 * dayMs) },
    });
    const sent = (days: number, subject: string) => ({ subject, createdAt: at(start + days * dayMs) });
    expect(await inbox(ada)).toEqual([sent(0, "Welcome"), sent(3, "Tips"), sent(5, "Thanks")]);
    expect(await inbox(bob)).toEqual([sent(0, "Welcome"), sent(3, "Tips"), sent(10, "Still there?")]);
    const { results } = await project.db
      .prepare(
        "SELECT status, exit_reason, started_at, completed_at FROM workflow_executions WHERE project_id = ? ORDER BY completed_at",
      )
      .bind(project.number)
      .all();
    expect(results).toEqual([
      { status: "COMPLETED", exit_reason: null, started_at: start, completed_at: start + 5 * dayMs },
      { status: "EXITED", exit_reason: "Over", started_at: start, completed_at: start + 14 * dayMs },
    ]);
  });

  it("waits, when a start by hand has answered, for an event of the same instant", async () => {
    const clock = await newTestClock();
    const { project, world } = clock;
    const { id, steps } = await newWorkflow(project, awaitingPurchase());
    const path = `/workflows/${publicId(id)}/executions`;
    const email = "ada@example.com";
    const { id: contactId } = (await project.api.post("/contacts", { email })).body;
    const { status, body } = await project.api.post(path, { contactId });
    expect(status).toBe(201);
    expect(body).toMatchObject({ status: "WAITING", currentStepId: publicId(steps.wait as never) });
    await track(world, project, "purchase", { email });
    await move(clock, { advance: "1m" });
    expect((await project.api.get(`${path}/${body.id}`)).body).toMatchObject({
      status: "EXITED",
      exitReason: "bought",
    });
  });

  it("passes a delay and a timeout that are no whole milliseconds long", async () => {
    const clock = await newTestClock();
    const { project, world } = clock;
    await newWorkflow(project, {
      steps: {
        pause: ["DELAY", { amount: 0.33333, unit: "minutes" }],
        wait: ["WAIT_FOR_EVENT", { eventName: "purchase", timeout: 20.0005 }],
        end: ["EXIT", { reason: "Over" }],
      },
      ways: [
        ["TRIGGER", "pause"],
        ["pause", "wait"],
        ["wait", "end"],
      ],
    });
    const { contactId } = await track(world, project, "signup");
    expect(await move(clock, { advance: "1m" })).toMatchObject({ status: "completed", result: { instants: 2 } });
    expect(await mirrorOf(project, contactId)).toMatchObject([{ status: "EXITED", exit_reason: "Over" }]);
  });

  it("ends a delay at its instant, although an advance had chosen a later one and died before it set the clock", async () => {
    let died = 0;
    // The first 35 steps wake the shards and find nothing due.
    for (let atStep = 36, isOver = false; !isOver; atStep++) {
      const clock = await newTestClock();
      const { project, world, start } = clock;
      const steps = { pause: ["DELAY", { amount: 1, unit: "hours" }] } satisfies GivenWorkflow["steps"];
      const { id } = await newWorkflow(project, { steps, ways: [["TRIGGER", "pause"]] });
      const { contactId } = await track(world, project, "other");
      await world.drain();
      const jobId = await startMove(clock, { advance: "1d" });
      isOver = (await world.runAndDie({ atStep, when: "after" })).length < atStep;
      const chosen = await project.db
        .prepare("SELECT state->>'at' FROM jobs WHERE project_id = ? AND type = 'project.advance'")
        .bind(project.number)
        .first<number>("state->>'at'");
      const { ctx } = await world.context(project);
      await startExecution({ ...ctx, idempotencyKey: null }, id, { contactId });
      await world.drain();
      const { result } = await jobOf(clock, jobId);
      await move(clock, { advance: "2h" });
      const [execution] = await executionsOf(world, project, contactId);
      const pause = execution?.steps.find(({ type }) => type === "DELAY");
      expect(Number(pause?.completedAt) - Number(pause?.startedAt), `${atStep}`).toBe(hourMs);
      const isAtStart = pause?.startedAt === start;
      expect(result.instants, `${atStep}`).toBe(isAtStart ? 1 : 0);
      if (isAtStart && (chosen ?? 0) > start) died++;
    }
    expect(died).toBeGreaterThan(0);
  });

  it("lets a wait's timeout go before an event of its very instant, whoever is at work first", async () => {
    const clock = await newTestClock();
    const { project, world } = clock;
    const leaving = (eventName: string) =>
      ({
        steps: {
          wait: ["WAIT_FOR_EVENT", { eventName, timeout: hourMs / 1000 }],
          heard: ["EXIT", { reason: "heard" }],
        },
        ways: [
          ["TRIGGER", "wait"],
          ["wait", "heard", "event"],
        ],
      }) satisfies GivenWorkflow;
    const own = await newWorkflow(project, leaving("purchase"));
    const other = await newWorkflow(project, leaving("contact.unsubscribed"));
    await newWorkflow(project, {
      steps: {
        pause: ["DELAY", { amount: 1, unit: "hours" }],
        leave: ["UPDATE_CONTACT", { subscribed: false }],
      },
      ways: [
        ["TRIGGER", "pause"],
        ["pause", "leave"],
      ],
    });
    const { contactId } = await track(world, project, "signup", { email: "ada@example.com" });
    expect(await move(clock, { advance: "1h" })).toMatchObject({ status: "completed", result: { instants: 1 } });
    await track(world, project, "purchase", { email: "ada@example.com" });
    expect(await move(clock, { advance: "1h" })).toMatchObject({ status: "completed" });
    expect((await log(clock)).slice(-2)).toEqual([
      ["contact.unsubscribed", hourMs],
      ["purchase", hourMs],
    ]);
    const executions = await executionsOf(world, project, contactId);
    for (const { id } of [own, other]) {
      const execution = executions.find(({ workflowId }) => workflowId === id);
      expect(execution && pathOf(execution)).toEqual(["TRIGGER COMPLETED", "wait COMPLETED timeout"]);
    }
  });

  it("starts by its schedule at each tick of the project's time, and by no real one", async () => {
    const clock = await newTestClock();
    const { project, world, start } = clock;
    const { api } = project;
    const ada = (await api.post("/contacts", { email: "ada@example.com" })).body;
    const segment = (await api.post("/segments", { name: "Regulars", type: "STATIC" })).body;
    await api.post(`/segments/${segment.id}/members`, { emails: ["ada@example.com"] });
    const triggerConfig = { cron: "0 9 * * *", segmentId: segment.id };
    const scheduled = { name: "Daily", triggerType: "SCHEDULE", triggerConfig, allowReentry: true };
    const { id } = (await api.post("/workflows", scheduled)).body;
    await api.patch(`/workflows/${id}`, { enabled: true });
    // The real time passes, and the cron with it.
    world.now += 10 * dayMs;
    for (const cron of ["* * * * *", "*/5 * * * *"]) await world.sweep(cron);
    await world.drain();
    expect(await mirrorOf(project, ada.id)).toEqual([]);
    expect(await move(clock, { advance: "3d" })).toMatchObject({ status: "completed", result: { instants: 3 } });
    const first = start - (start % dayMs) + 9 * hourMs;
    const ticks = [0, 1, 2, 3].map((day) => first + day * dayMs).filter((tick) => tick > start);
    const started = (await mirrorOf(project, ada.id)).map(({ started_at }) => started_at).sort();
    expect(started).toEqual(ticks.slice(0, 3));
  });

  it("wakes nobody by itself: a delay is over when the clock says so, however much real time passes", async () => {
    const clock = await newTestClock();
    const { project, world } = clock;
    await newWorkflow(project, {
      steps: { pause: ["DELAY", { amount: 1, unit: "hours" }], end: ["EXIT", { reason: "Over" }] },
      ways: [
        ["TRIGGER", "pause"],
        ["pause", "end"],
      ],
    });
    const { contactId } = await track(world, project, "signup");
    await world.drain();
    world.now += 10 * dayMs;
    // If an alarm is left of the work that is done, it finds nothing.
    await world.ring(addressOf(project, contactId));
    for (const cron of ["* * * * *", "*/5 * * * *"]) await world.sweep(cron);
    await world.drain();
    expect(await mirrorOf(project, contactId)).toMatchObject([{ status: "WAITING" }]);
    await move(clock, { advance: "59m" });
    expect(await mirrorOf(project, contactId)).toMatchObject([{ status: "WAITING" }]);
    await move(clock, { advance: "1m" });
    expect(await mirrorOf(project, contactId)).toMatchObject([{ status: "EXITED", exit_reason: "Over" }]);
  });

  it("starts by its schedule, at each tick of the project's time, and at none of the real one", async () => {
    const clock = await newTestClock();
    const { project, world, start } = clock;
    const { id: contactId } = (await project.api.post("/contacts", { email: "ada@example.com" })).body;
    const condition = { logic: "AND", groups: [{ filters: [{ field: "email", operator: "contains", value: "@" }] }] };
    const segment = (await project.api.post("/segments", { name: "All", condition })).body;
    const triggerConfig = { cron: "0 0 * * *", segmentId: segment.id };
    const fields = { name: "Daily", triggerType: "SCHEDULE", triggerConfig, allowReentry: true };
    const { status, body } = await project.api.post("/workflows", fields);
    expect(status, JSON.stringify(body)).toBe(201);
    expect((await project.api.patch(`/workflows/${body.id}`, { enabled: true })).status).toBe(200);
    world.now += 5 * dayMs;
    await world.sweep();
    await world.drain();
    expect(await mirrorOf(project, readId(contactId))).toEqual([]);
    expect(await move(clock, { advance: "3d" })).toMatchObject({ status: "completed" });
    const midnight = Math.ceil(start / dayMs) * dayMs;
    const started = (await mirrorOf(project, readId(contactId))).map(({ id }) => timeOf(readId(id)));
    expect(started).toEqual([midnight, midnight + dayMs, midnight + 2 * dayMs]);
  });

  it("makes its calls itself before time goes on, try after try, and needs no message for it", async () => {
    const clock = await newTestClock();
    const { project, world, start } = clock;
    const [host, outside] = [newHost(world), new Outside()];
    const answers = [500, 500, 200];
    outside.play(host, () => new Response("{}", { status: answers.shift() ?? 404 }));
    await newWorkflow(project, {
      steps: {
        pause: ["DELAY", { amount: 1, unit: "hours" }],
        call: ["WEBHOOK", { url: `https://${host}/hook`, method: "POST" }],
        rest: ["DELAY", { amount: 1, unit: "days" }],
      },
      ways: [
        ["TRIGGER", "pause"],
        ["pause", "call"],
        ["call", "rest"],
      ],
    });
    const { contactId } = await track(world, project, "signup");
    await world.drain();
    const jobId = await startMove(clock, { advance: "2d" });
    // Its own message comes, and all that it sends is lost.
    const platform = { ...world.process().platform, enqueue: async () => {} };
    await handleMessage(platform, { type: "project.advance", projectId: project.number, jobId });
    expect(await jobOf(clock, jobId)).toMatchObject({ status: "completed", result: { instants: 2 } });
    expect(outside.callsTo(host)).toHaveLength(3);
    expect(await mirrorOf(project, contactId)).toMatchObject([
      { status: "COMPLETED", completed_at: start + hourMs + dayMs },
    ]);
  });

  it("hears of a call whose report was lost", async () => {
    const clock = await newTestClock();
    const { project, world } = clock;
    const [host, outside] = [newHost(world), new Outside()];
    outside.play(host, () => new Response("{}"));
    await newWorkflow(project, {
      steps: { call: ["WEBHOOK", { url: `https://${host}/hook`, method: "POST" }] },
      ways: [["TRIGGER", "call"]],
    });
    const { contactId } = await track(world, project, "signup");
    const { platform } = world.process();
    const deaf = {
      ...platform,
      workflowShards: {
        of: (address: ShardAddress) =>
          Object.assign(platform.workflowShards.of(address), {
            settle: async () => {
              throw new Error("The object is not there");
            },
          }),
      },
    };
    const jobId = await startMove(clock, { advance: "1m" });
    await handleMessage(deaf, { type: "project.advance", projectId: project.number, jobId });
    expect(await jobOf(clock, jobId)).toMatchObject({ status: "completed" });
    expect(outside.callsTo(host)).toHaveLength(1);
    expect(await mirrorOf(project, contactId)).toMatchObject([{ status: "COMPLETED" }]);
  });

  it("hears of a call at its project's time, so that this waits for what comes of it", async () => {
    const clock = await newTestClock();
    const { project, world, start } = clock;
    world.now += 10 * dayMs;
    const [host, outside] = [newHost(world), new Outside()];
    const platformOf = world.shardPlatform;
    outside.play(host, () => {
      // The object takes the report, and dies.
      world.shardPlatform = () => world.process({ atStep: 1, when: "before" }).platform;
      return new Response("{}");
    });
    await newWorkflow(project, {
      steps: { call: ["WEBHOOK", { url: `https://${host}/hook`, method: "POST" }] },
      ways: [["TRIGGER", "call"]],
    });
    const { contactId } = await track(world, project, "signup");
    await world.drain();
    world.shardPlatform = platformOf;
    expect(await executionsOf(world, project, contactId)).toMatchObject([{ status: "RUNNING", updatedAt: start }]);
    // What is due now is done before time goes on.
    expect(await mirrorOf(project, contactId)).toMatchObject([{ status: "RUNNING", wake_at: start }]);
  });

  it("starts once for an idempotency key, which expires by the real clock", async () => {
    const clock = await newTestClock();
    const { project, world } = clock;
    const ending: GivenWorkflow = { allowReentry: true, steps: { exit: ["EXIT", {}] }, ways: [["TRIGGER", "exit"]] };
    const { id } = await newWorkflow(project, ending);
    const { contactId } = await track(world, project, "other");
    const start = async () => {
      const { ctx } = await world.context(project);
      return (await startExecution({ ...ctx, idempotencyKey: "start-1" }, id, { contactId })).id;
    };
    const first = await start();
    await move(clock, { advance: "2d" });
    expect(await start()).toBe(first);
    world.now += 25 * hourMs;
    const second = await start();
    expect(second).not.toBe(first);
    expect(await start()).toBe(second);
  });

  it("has ten instants behind it in seconds", async () => {
    const clock = await newTestClock();
    const { project, world } = clock;
    const { templateId } = await template(clock, "Daily");
    const days = Array.from({ length: 10 }, (_, day) => day);
    await newWorkflow(project, {
      steps: Object.fromEntries(
        days.flatMap((day) => [
          [`pause${day}`, ["DELAY", { amount: 1, unit: "days" }]],
          [`mail${day}`, ["SEND_EMAIL", {}, { templateId }]],
        ]),
      ),
      ways: days.flatMap((day): [string, string][] => [
        [day === 0 ? "TRIGGER" : `mail${day - 1}`, `pause${day}`],
        [`pause${day}`, `mail${day}`],
      ]),
    });
    await track(world, project, "signup", { email: `ada@${project.domain}` });
    await world.drain();
    expect(await move(clock, { advance: "14d" })).toMatchObject({ status: "completed", result: { instants: 10 } });
    expect((await inbox(`ada@${project.domain}`)).length).toBe(10);
  });
});

describe("a message that the queue has lost", () => {
  const mailOf = async ({ project }: TestClock) => (await inbox(`ada@${project.domain}`)).map(({ subject }) => subject);

  async function lostMail(): Promise<TestClock> {
    const clock = await newTestClock();
    const { project, world } = clock;
    const { ctx } = await world.context(project);
    const call = { to: `ada@${project.domain}`, from: `hello@${project.domain}`, subject: "Now", body: "<p>Hi</p>" };
    await sendEmails(ctx, SendEmail.parse(call));
    expect(world.queue).toHaveLength(1);
    world.queue = [];
    return clock;
  }

  it("of mail waits for the next advance, because no sweep knows that time stands still", async () => {
    const clock = await lostMail();
    await clock.world.pass(10);
    expect(await mailOf(clock)).toEqual([]);
    expect((await move(clock, { advance: "1s" })).status).toBe("completed");
    expect(await mailOf(clock)).toEqual(["Now"]);
  });

  it("of an event is found by the sweep of every minute", async () => {
    const clock = await newTestClock();
    const { project, world } = clock;
    await newWorkflow(project, awaitingPurchase());
    await move(clock, { advance: "7d" });
    const { contactId } = await track(world, project, "signup");
    world.queue = [];
    await world.pass(2);
    expect(await executionsOf(world, project, contactId)).toMatchObject([{ status: "WAITING" }]);
  });
});
