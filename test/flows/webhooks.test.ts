import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { publicId, readId } from "../../src/core/ids";
import { dayMs, hourMs, minuteMs } from "../../src/core/time";
import { deleteContact } from "../../src/features/contacts/delete";
import { TrackEvent } from "../../src/features/events/schema";
import { trackEvent } from "../../src/features/events/track";
import { retryDelivery } from "../../src/features/webhooks/retry";
import { testWebhook } from "../../src/features/webhooks/test";
import { handleMessage } from "../../src/queue";
import { wasKilled } from "../support/killable";
import { Outside, rejectOn } from "../support/outside";
import { sendAs } from "../support/person";
import { newProject, type TestProject } from "../support/project";
import { delivered, deliveriesOf, newWebhook, type TestWebhook, verified } from "../support/webhook";
import { World } from "../support/world";

let outside: Outside;
beforeEach(() => {
  outside = new Outside();
});
afterEach(() => {
  vi.unstubAllGlobals();
  vi.restoreAllMocks();
});

async function track(world: World, project: TestProject, event = "purchase", data: Record<string, unknown> = {}) {
  const { ctx } = await world.context(project);
  const call = TrackEvent.parse({ email: "ada@example.com", event, data });
  const { eventId, contactId } = await trackEvent(ctx, call, "POST /v1/track");
  return { id: publicId(eventId), contactId };
}

const answers = (status: number, headers?: Record<string, string>) => () =>
  new Response(status === 204 ? null : "said", { status, headers });

/** The endpoint never answers; the patience for it is short. */
function hangs({ host }: TestWebhook): void {
  vi.spyOn(AbortSignal, "timeout").mockImplementation(() => {
    const controller = new AbortController();
    setTimeout(() => controller.abort(), 30);
    return controller.signal;
  });
  outside.play(host, ({ signal }) => new Promise((_, reject) => rejectOn(signal, reject)));
}

describe("an event that a webhook listens for", () => {
  it("is delivered once, signed so that the official package accepts it, with the event's id", async () => {
    const [project, world] = [await newProject(), new World()];
    const webhook = await newWebhook(world, project, ["purchase"]);
    outside.play(webhook.host, answers(204));
    const { id, contactId } = await track(world, project, "purchase", { total: 12, tags: ["a"] });
    await track(world, project, "signup");
    await world.drain();
    await world.pass(10);
    expect(delivered(outside, webhook)).toEqual([
      {
        id,
        type: "purchase",
        timestamp: expect.stringMatching(/^\d{4}-.+Z$/),
        data: { total: 12, tags: ["a"], contactId: publicId(contactId), contactEmail: "ada@example.com" },
      },
    ]);
    const [call] = outside.callsTo(webhook.host);
    expect([call?.method, call?.url.pathname, call?.headers.get("content-type")]).toEqual([
      "POST",
      "/hook",
      "application/json",
    ]);
    expect(await deliveriesOf(project, webhook)).toEqual([
      expect.objectContaining({ id, type: "purchase", status: "SUCCEEDED", attempts: 1, statusCode: 204, error: null }),
    ]);
    expect((await project.api.get(`/webhooks/${webhook.id}`)).body.lastSuccessAt).toMatch(/Z$/);
  });

  it("of a mail has its emailId", async () => {
    const [project, world] = [await newProject(), new World()];
    const webhook = await newWebhook(world, project, ["email.*"]);
    outside.play(webhook.host, answers(200));
    await sendAs(world, project, { to: "ada@example.com", from: `hi@${project.domain}`, subject: "Hi", body: "Hi" });
    await world.drain();
    const emailId = world.taken[0]?.emailId ?? "";
    expect(delivered(outside, webhook)).toMatchObject([
      { type: "email.sent", data: { emailId: publicId(readId(emailId)), subject: "Hi" } },
    ]);
  });

  it("goes to each of twenty webhooks, and to none of a neighbour", async () => {
    const [project, neighbour, world] = [await newProject(), await newProject(), new World()];
    const all = await Promise.all(Array.from({ length: 20 }, () => newWebhook(world, project)));
    const theirs = await newWebhook(world, neighbour);
    for (const { host } of [...all, theirs]) outside.play(host, answers(200));
    const { id } = await track(world, project);
    await world.drain();
    for (const webhook of all) expect(delivered(outside, webhook).map((call) => call.id)).toEqual([id]);
    expect(outside.callsTo(theirs.host)).toEqual([]);
  });

  it("is recorded with the others of its endpoint's turn, in one batch", async () => {
    const [project, world] = [await newProject(), new World()];
    const webhook = await newWebhook(world, project);
    outside.play(webhook.host, answers(200));
    for (let times = 0; times < 20; times++) await track(world, project);
    await world.drain();
    expect(delivered(outside, webhook)).toHaveLength(20);
    const recording = world.batches.filter((sql) => sql.some((text) => text.includes("SET status = ?, attempts")));
    expect(recording).toHaveLength(1);
    const states = await deliveriesOf(project, webhook);
    expect(states.map(({ status, attempts }) => [status, attempts])).toEqual(
      Array.from({ length: 20 }, () => ["SUCCEEDED", 1]),
    );
  });

  it("ends its endpoint's turn with a 410, and the others of the turn are not sent", async () => {
    const [project, world] = [await newProject(), new World()];
    const webhook = await newWebhook(world, project);
    outside.play(webhook.host, answers(410));
    for (let times = 0; times < 5; times++) await track(world, project);
    await world.drain();
    await world.pass(5);
    expect(delivered(outside, webhook)).toHaveLength(1);
    const states = await deliveriesOf(project, webhook);
    expect(states.map(({ status }) => status).toSorted()).toEqual(["FAILED", ...Array(4).fill("PENDING")]);
  });

  it("that is dispatched twice is one delivery", async () => {
    const [project, world] = [await newProject(), new World()];
    const webhook = await newWebhook(world, project);
    outside.play(webhook.host, answers(200));
    await track(world, project);
    const [message] = world.queue;
    if (message) world.queue.push({ ...message });
    await project.db.prepare("UPDATE events SET next_announce_at = 1 WHERE project_id = ?").bind(project.id).run();
    await world.drain();
    await project.db.prepare("UPDATE events SET next_announce_at = 1 WHERE project_id = ?").bind(project.id).run();
    await world.pass(5);
    expect(delivered(outside, webhook)).toHaveLength(1);
  });

  it("waits for the sweep when its message is lost", async () => {
    const [project, world] = [await newProject(), new World()];
    const webhook = await newWebhook(world, project);
    outside.play(webhook.host, answers(200));
    await track(world, project);
    const dispatch = world.queue.splice(0);
    for (const { queued } of dispatch) await handleMessage(world.process().platform, queued.message);
    world.queue = [];
    await world.pass(1);
    expect(delivered(outside, webhook)).toHaveLength(1);
  });

  it("is not delivered while the webhook is disabled; what waited goes on afterwards", async () => {
    const [project, world] = [await newProject(), new World()];
    const webhook = await newWebhook(world, project);
    outside.play(webhook.host, answers(500));
    const { id } = await track(world, project);
    await world.drain();
    await project.api.patch(`/webhooks/${webhook.id}`, { disabled: true });
    await track(world, project);
    await world.pass(5);
    expect(delivered(outside, webhook)).toHaveLength(1);
    outside.play(webhook.host, answers(200));
    await project.api.patch(`/webhooks/${webhook.id}`, { disabled: false });
    await world.pass(1);
    expect(delivered(outside, webhook).map((call) => call.id)).toEqual([id, id]);
    expect(await deliveriesOf(project, webhook)).toMatchObject([{ id, status: "SUCCEEDED", attempts: 2 }]);
  });
});

/** Lets the time of each next try come, until nothing is tried any more. */
async function passTries(world: World, project: TestProject, webhook: TestWebhook, atMost = 20): Promise<void> {
  for (let tries = 0; tries < atMost; tries++) {
    const next = (await deliveriesOf(project, webhook)).flatMap(({ nextAttemptAt }) => nextAttemptAt ?? []).sort()[0];
    if (next === undefined) return;
    world.now = Math.max(world.now, Date.parse(next));
    await world.sweep();
    await world.drain();
  }
}

describe("a delivery that fails", () => {
  it("is tried eleven times in three days, with the same id; then the webhook is disabled, and an event says so", async () => {
    const [project, world] = [await newProject(), new World()];
    const broken = await newWebhook(world, project, ["purchase", "webhook.disabled"]);
    const other = await newWebhook(world, project, ["webhook.disabled"]);
    outside.play(other.host, answers(200));
    const began = world.now;
    const at: number[] = [];
    outside.play(broken.host, () => {
      at.push((world.now - began) / minuteMs);
      return new Response("Out of order", { status: 500 });
    });
    const { id } = await track(world, project);
    await world.drain();
    await passTries(world, project, broken);
    // Nothing is random here: outside of tests, each wait is up to a tenth longer.
    expect(at).toEqual([0, 1, 6, 31, 156, 781, 1501, 2221, 2941, 3661, 4381]);
    await world.pass(2);
    expect(new Set(outside.callsTo(broken.host).map((call) => call.headers.get("webhook-id")))).toEqual(new Set([id]));
    expect(await deliveriesOf(project, broken)).toMatchObject([
      {
        status: "FAILED",
        attempts: 11,
        nextAttemptAt: null,
        error: "The endpoint answered 500.",
        response: "Out of order",
      },
    ]);
    const { body } = await project.api.get(`/webhooks/${broken.id}`);
    expect(body).toMatchObject({ disabled: true, disabledReason: expect.stringContaining("3 days") });
    expect(outside.callsTo(other.host)).toHaveLength(1);
    const [event] = (await project.api.get("/events?name=webhook.disabled")).body.data;
    expect(event).toMatchObject({
      contactId: null,
      data: { webhookId: broken.id, url: `https://${broken.host}/hook`, reason: body.disabledReason },
    });
  });

  it("leaves a webhook enabled that had a success within three days", async () => {
    const [project, world] = [await newProject(), new World()];
    const webhook = await newWebhook(world, project);
    outside.play(webhook.host, ({ json }) => new Response(null, { status: json.type === "bad" ? 500 : 200 }));
    await track(world, project, "bad");
    await world.drain();
    await passTries(world, project, webhook, 8);
    await track(world, project, "good");
    await world.drain();
    await passTries(world, project, webhook);
    expect(await deliveriesOf(project, webhook)).toMatchObject([
      { type: "good", status: "SUCCEEDED" },
      { type: "bad", status: "FAILED" },
    ]);
    expect((await project.api.get(`/webhooks/${webhook.id}`)).body.disabled).toBe(false);
  });

  it("with 410 disables the webhook at once", async () => {
    const [project, world] = [await newProject(), new World()];
    const webhook = await newWebhook(world, project);
    outside.play(webhook.host, answers(410));
    await track(world, project);
    await world.drain();
    await world.pass(5);
    expect(outside.callsTo(webhook.host)).toHaveLength(1);
    expect(await deliveriesOf(project, webhook)).toMatchObject([{ status: "FAILED", statusCode: 410 }]);
    expect((await project.api.get(`/webhooks/${webhook.id}`)).body).toMatchObject({
      disabled: true,
      disabledReason: "The endpoint answered 410 Gone.",
    });
    expect((await project.api.get("/events?name=webhook.disabled")).body.total).toBe(1);
    // Nothing is kept for it any more, not even that it was disabled.
    world.queue = [];
    await track(world, project);
    expect(world.queue).toEqual([]);
    expect(await deliveriesOf(project, webhook)).toHaveLength(1);
  });

  it("waits as long as Retry-After asks, and the others with it", async () => {
    const [project, world] = [await newProject(), new World()];
    const webhook = await newWebhook(world, project);
    outside.play(webhook.host, answers(429, { "Retry-After": "600" }));
    for (let n = 0; n < 5; n++) await track(world, project);
    await world.drain();
    await world.pass(9);
    expect(outside.callsTo(webhook.host)).toHaveLength(1);
    outside.play(webhook.host, answers(200));
    await world.pass(2);
    expect(outside.callsTo(webhook.host)).toHaveLength(6);
    expect((await deliveriesOf(project, webhook)).map(({ status }) => status)).toEqual(Array(5).fill("SUCCEEDED"));
  });

  it("is not called where the name leads to a private network", async () => {
    const [project, world] = [await newProject(), new World()];
    const webhook = await newWebhook(world, project);
    world.dnsRecords[`A ${webhook.host}`] = ["10.0.0.1"];
    await track(world, project);
    await world.drain();
    expect(outside.calls).toEqual([]);
    expect(await deliveriesOf(project, webhook)).toMatchObject([
      { status: "PENDING", attempts: 1, error: expect.stringContaining("not on the public internet") },
    ]);
  });

  it("counts no redirect that drops the event", async () => {
    const [project, world] = [await newProject(), new World()];
    const webhook = await newWebhook(world, project);
    outside.play(webhook.host, ({ url }) =>
      url.pathname === "/hook" ? answers(301, { Location: "/moved" })() : answers(200)(),
    );
    await track(world, project);
    await world.drain();
    expect(outside.callsTo(webhook.host)).toHaveLength(1);
    expect(await deliveriesOf(project, webhook)).toMatchObject([
      { status: "PENDING", attempts: 1, error: expect.stringContaining("redirects with 301") },
    ]);
  });

  it("tries later when no resolver answers", async () => {
    const [project, world] = [await newProject(), new World()];
    const webhook = await newWebhook(world, project);
    outside.play(webhook.host, answers(200));
    world.outage = "dns";
    await track(world, project);
    await world.drain();
    world.outage = null;
    await world.pass(3);
    expect(await deliveriesOf(project, webhook)).toMatchObject([{ status: "SUCCEEDED", attempts: 2 }]);
  });
});

describe("an endpoint that never answers", () => {
  it("gets no further call for 30 seconds, then twice as long each time", async () => {
    const [project, world] = [await newProject(), new World()];
    const webhook = await newWebhook(world, project);
    hangs(webhook);
    for (let n = 0; n < 30; n++) await track(world, project);
    await world.drain();
    expect(outside.callsTo(webhook.host)).toHaveLength(1);
    const calls: number[] = [];
    for (let minute = 0; minute < 16; minute++) {
      await world.pass(1);
      calls.push(outside.callsTo(webhook.host).length);
    }
    // Due after 30 s, 1 min, 2, 4 and 8 more.
    expect(calls).toEqual([2, 3, 3, 4, 4, 4, 4, 5, 5, 5, 5, 5, 5, 5, 5, 6]);
    outside.play(webhook.host, answers(200));
    vi.mocked(AbortSignal.timeout).mockRestore();
    world.now += hourMs;
    await world.pass(1);
    expect((await deliveriesOf(project, webhook)).map(({ status }) => status)).toEqual(Array(30).fill("SUCCEEDED"));
  });

  it("delays nobody else, with one consumer too", async () => {
    const [project, neighbour, world] = [await newProject(), await newProject(), new World()];
    const hanging = await newWebhook(world, project);
    const also = await newWebhook(world, project);
    const good = await newWebhook(world, neighbour);
    let release = () => {};
    const never = new Promise<Response>((resolve) => {
      release = () => resolve(new Response("late"));
    });
    outside.play(hanging.host, () => never);
    for (const { host } of [also, good]) outside.play(host, answers(200));
    await track(world, project);
    await dispatched(world);
    // The only consumer is at it from here on.
    const drain = handleMessage(world.process().platform, { type: "webhooks.drain" });
    await vi.waitFor(() => expect(outside.callsTo(hanging.host)).toHaveLength(1));
    for (let n = 0; n < 50; n++) await track(world, neighbour);
    await dispatched(world);
    await vi.waitFor(() => expect(outside.callsTo(good.host)).toHaveLength(50), { timeout: 5_000 });
    expect(outside.callsTo(also.host)).toHaveLength(1);
    expect(outside.callsTo(hanging.host)).toHaveLength(1);
    release();
    await drain;
    expect(await deliveriesOf(project, hanging)).toMatchObject([{ status: "SUCCEEDED" }]);
  });

  it("delays nobody else when it is called near the end of a consumer's time", async () => {
    const [project, neighbour, world] = [await newProject(), await newProject(), new World()];
    const [hanging, good] = [await newWebhook(world, project), await newWebhook(world, neighbour)];
    let release = () => {};
    const never = new Promise<Response>((resolve) => {
      release = () => resolve(new Response("late"));
    });
    outside.play(hanging.host, () => never);
    outside.play(good.host, answers(200));
    await track(world, project);
    await dispatched(world);
    const drain = handleMessage(world.process().platform, { type: "webhooks.drain" });
    await vi.waitFor(() => expect(outside.callsTo(hanging.host)).toHaveLength(1));
    world.now += 20_000;
    for (let n = 0; n < 3; n++) await track(world, neighbour);
    await dispatched(world);
    await vi.waitFor(() => expect(outside.callsTo(good.host)).toHaveLength(3), { timeout: 5_000 });
    release();
    await drain;
  });

  it("delays nobody else when a neighbour has five of them", async () => {
    const [project, neighbour, world] = [await newProject(), await newProject(), new World()];
    const hanging = await Promise.all(Array.from({ length: 5 }, () => newWebhook(world, project)));
    const good = await newWebhook(world, neighbour);
    let release = () => {};
    const never = new Promise<void>((resolve) => {
      release = resolve;
    });
    for (const { host } of hanging) outside.play(host, () => never.then(() => new Response("late")));
    outside.play(good.host, answers(200));
    await track(world, project);
    await dispatched(world);
    const drain = handleMessage(world.process().platform, { type: "webhooks.drain" });
    await vi.waitFor(() => expect(outside.calls).toHaveLength(2));
    await track(world, neighbour);
    await dispatched(world);
    await vi.waitFor(() => expect(outside.callsTo(good.host)).toHaveLength(1), { timeout: 5_000 });
    release();
    await drain;
    expect(outside.calls).toHaveLength(6);
  });
});

describe("endpoints that answer slowly", () => {
  it("take turns with the others, also when there are as many as places", async () => {
    const world = new World();
    const slow: TestWebhook[] = [];
    for (let n = 0; n < 3; n++) {
      const project = await newProject();
      for (let m = 0; m < 2; m++) slow.push(await newWebhook(world, project));
      // More than one turn takes.
      for (let m = 0; m < 25; m++) await track(world, project);
    }
    for (const { host } of slow) {
      outside.play(host, () => {
        world.now += 9_000;
        return answers(200)();
      });
    }
    await dispatched(world);
    world.now += 1;
    const neighbour = await newProject();
    const good = await newWebhook(world, neighbour);
    outside.play(good.host, answers(200));
    for (let n = 0; n < 3; n++) await track(world, neighbour);
    await dispatched(world);
    world.queue.push({ queued: { message: { type: "webhooks.drain" } }, due: world.now });
    await world.drain();
    const hosts = outside.calls.map(({ url }) => url.host);
    expect(hosts).toHaveLength(6 * 25 + 3);
    expect(hosts.indexOf(good.host)).toBeLessThan(10);
    expect(hosts.lastIndexOf(good.host)).toBeLessThan(35);
  });
});

/** Dispatches what is announced, without delivering it. */
async function dispatched(world: World): Promise<void> {
  const messages = world.queue.splice(0).filter(({ queued }) => queued.message.type === "events.dispatch");
  for (const { queued } of messages) await handleMessage(world.process().platform, queued.message);
  world.queue = [];
}

describe("a process that dies", () => {
  const deaths = Array.from({ length: 7 }, (_, index) => index + 1).flatMap((step) => [
    [step, "before"] as const,
    [step, "after"] as const,
  ]);

  it.each(deaths)("at step %i (%s) loses no delivery, and repeats it with the same id", async (atStep, when) => {
    const [project, world] = [await newProject(), new World()];
    const webhook = await newWebhook(world, project);
    outside.play(webhook.host, answers(200));
    const { id } = await track(world, project);
    await dispatched(world);
    const { platform } = world.process({ atStep, when });
    try {
      await handleMessage(platform, { type: "webhooks.drain" });
    } catch (error) {
      if (!wasKilled(error) && !String(error).includes("Killed")) throw error;
    }
    await world.pass(10);
    const ids = new Set(outside.callsTo(webhook.host).map((call) => call.headers.get("webhook-id")));
    expect(ids).toEqual(new Set([id]));
    expect(outside.callsTo(webhook.host).length).toBeLessThanOrEqual(2);
    expect(await deliveriesOf(project, webhook)).toMatchObject([{ id, status: "SUCCEEDED" }]);
  });

  it.each(Array.from({ length: 5 }, (_, index) => index + 1))(
    "while an event is dispatched, at step %i, loses none",
    async (atStep) => {
      const [project, world] = [await newProject(), new World()];
      const webhook = await newWebhook(world, project);
      outside.play(webhook.host, answers(200));
      const { id } = await track(world, project);
      await world.runAndDie({ atStep, when: "before" });
      await world.pass(10);
      expect(delivered(outside, webhook).map((call) => call.id)).toEqual([id]);
    },
  );
});

describe("a secret", () => {
  it("that is rotated signs for a day beside the new one", async () => {
    const [project, world] = [await newProject(), new World()];
    const webhook = await newWebhook(world, project);
    outside.play(webhook.host, answers(200));
    const rotated = await project.api.post(`/webhooks/${webhook.id}/rotate-secret`);
    expect(rotated.status).toBe(200);
    expect(rotated.body.secret).not.toBe(webhook.secret);
    await track(world, project);
    await world.drain();
    const [call] = outside.callsTo(webhook.host);
    if (!call) throw new Error("Nothing was delivered");
    for (const secret of [webhook.secret, rotated.body.secret]) expect(verified(call, secret).type).toBe("purchase");

    await project.db
      .prepare("UPDATE webhooks SET old_secret_until = ? WHERE project_id = ?")
      .bind(world.now, project.id)
      .run();
    await track(world, project);
    await world.drain();
    const later = outside.callsTo(webhook.host)[1];
    if (!later) throw new Error("Nothing was delivered");
    expect(verified(later, rotated.body.secret).type).toBe("purchase");
    expect(() => verified(later, webhook.secret)).toThrow();
  });

  it("opens with any of WEBHOOK_SECRETS, and without it the delivery says so and waits", async () => {
    const [project, world] = [await newProject(), new World()];
    const webhook = await newWebhook(world, project);
    outside.play(webhook.host, answers(200));
    const [mine, another] = ["test-secret-that-seals-webhooks-of-32-characters", "x".repeat(40)];
    world.settings = { WEBHOOK_SECRETS: another };
    await track(world, project);
    await world.drain();
    expect(outside.calls).toEqual([]);
    expect(await deliveriesOf(project, webhook)).toMatchObject([
      { status: "PENDING", error: expect.stringContaining("cannot be read") },
    ]);
    world.settings = { WEBHOOK_SECRETS: `${another},${mine}` };
    await world.pass(2);
    expect(delivered(outside, webhook)).toHaveLength(1);
  });
});

describe("by hand", () => {
  it("a test calls once, whatever comes of it, and its job says how it went", async () => {
    const [project, world] = [await newProject(), new World()];
    const webhook = await newWebhook(world, project, ["purchase"]);
    outside.play(webhook.host, answers(410));
    const { ctx } = await world.context(project);
    const { jobId, deliveryId } = await testWebhook(ctx, readId(webhook.id));
    await world.drain();
    await world.pass(10);
    expect(delivered(outside, webhook)).toMatchObject([
      { id: publicId(deliveryId), type: "webhook.test", data: { webhookId: webhook.id } },
    ]);
    expect((await project.api.get(`/jobs/${publicId(jobId)}`)).body).toMatchObject({
      type: "webhooks.try",
      status: "completed",
      result: { succeeded: false, statusCode: 410 },
    });
    expect((await project.api.get(`/webhooks/${webhook.id}`)).body.disabled).toBe(false);
    expect(await deliveriesOf(project, webhook)).toMatchObject([{ status: "FAILED", attempts: 1 }]);
  });

  it("a retry delivers again with the same id, also what had succeeded", async () => {
    const [project, world] = [await newProject(), new World()];
    const webhook = await newWebhook(world, project);
    outside.play(webhook.host, answers(200));
    const { id } = await track(world, project);
    await world.drain();
    const { ctx } = await world.context(project);
    const { jobId } = await retryDelivery(ctx, readId(webhook.id), readId(id));
    await world.drain();
    expect(delivered(outside, webhook).map((call) => call.id)).toEqual([id, id]);
    expect((await project.api.get(`/jobs/${publicId(jobId)}`)).body.result).toMatchObject({ succeeded: true });
  });

  it("a retry of a disabled webhook is refused, a test is not", async () => {
    const [project, world] = [await newProject(), new World()];
    const webhook = await newWebhook(world, project);
    outside.play(webhook.host, answers(200));
    const { id } = await track(world, project);
    await world.drain();
    await project.api.patch(`/webhooks/${webhook.id}`, { disabled: true });
    const refused = await project.api.post(`/webhooks/${webhook.id}/deliveries/${id}/retry`);
    expect(refused.status).toBe(409);
    const { ctx } = await world.context(project);
    await testWebhook(ctx, readId(webhook.id));
    await world.drain();
    expect(outside.callsTo(webhook.host)).toHaveLength(2);
  });
});

describe("the log of deliveries", () => {
  it("is a page by cursor, exact", async () => {
    const [project, world] = [await newProject(), new World()];
    const webhook = await newWebhook(world, project);
    outside.play(webhook.host, answers(200));
    const ids: string[] = [];
    for (let n = 0; n < 7; n++) ids.unshift((await track(world, project)).id);
    await world.drain();
    const seen: string[] = [];
    let cursor = "";
    do {
      const { body } = await project.api.get(`/webhooks/${webhook.id}/deliveries?limit=3&cursor=${cursor}`);
      seen.push(...body.data.map((one: { id: string }) => one.id));
      cursor = body.cursor;
    } while (cursor !== "");
    expect(seen).toEqual(ids);
    expect((await project.api.get(`/webhooks/${webhook.id}/deliveries`)).body.total).toBe(7);
    const other = await newWebhook(world, project);
    const { body } = await project.api.get(`/webhooks/${webhook.id}/deliveries?limit=3`);
    expect((await project.api.get(`/webhooks/${other.id}/deliveries?cursor=${body.cursor}`)).status).toBe(400);
  });

  it("is kept for 30 days, also of a webhook that is gone", async () => {
    const [project, world] = [await newProject(), new World()];
    const [webhook, gone] = [await newWebhook(world, project), await newWebhook(world, project)];
    for (const { host } of [webhook, gone]) outside.play(host, answers(200));
    await track(world, project);
    await world.drain();
    await project.api.delete(`/webhooks/${gone.id}`);
    const count = () =>
      project.db
        .prepare("SELECT count(*) AS n FROM webhook_deliveries WHERE project_id = ?")
        .bind(project.id)
        .first("n");
    world.now += 30 * dayMs - minuteMs;
    await world.sweep("*/5 * * * *");
    expect(await count()).toBe(2);
    world.now += 2 * minuteMs;
    await world.sweep("*/5 * * * *");
    expect(await count()).toBe(0);
  });

  it("says nothing of a person who was erased, and nor does what is still delivered", async () => {
    const [project, world] = [await newProject(), new World()];
    const webhook = await newWebhook(world, project, ["purchase"]);
    outside.play(webhook.host, () => new Response("No such user: ada@example.com", { status: 500 }));
    const { id, contactId } = await track(world, project, "purchase", { note: "for ada@example.com" });
    await world.drain();
    expect((await deliveriesOf(project, webhook))[0]?.response).toContain("ada");
    const { ctx } = await world.context(project);
    await deleteContact(ctx, contactId);
    expect(await deliveriesOf(project, webhook)).toMatchObject([{ id, response: null, error: null }]);
    outside.play(webhook.host, answers(200));
    await world.pass(3);
    const { contactEmail, note } = delivered(outside, webhook)[1]?.data ?? {};
    expect([contactEmail, note]).toEqual([null, undefined]);
  });

  it("says nothing of a person who was erased while the endpoint was called", async () => {
    const [project, world] = [await newProject(), new World()];
    const webhook = await newWebhook(world, project, ["purchase"]);
    const { id, contactId } = await track(world, project);
    const { ctx } = await world.context(project);
    outside.play(webhook.host, async () => {
      await deleteContact(ctx, contactId);
      return new Response("No such user: ada@example.com", { status: 500 });
    });
    await world.drain();
    expect(await deliveriesOf(project, webhook)).toMatchObject([
      { id, status: "PENDING", attempts: 1, statusCode: 500, response: null, error: null },
    ]);
  });
});
