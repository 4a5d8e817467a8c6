import { runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { describe, expect, it } from "vitest";
import { newId } from "../../src/core/ids";
import type { AccountRule } from "../../src/core/mail/account";
import type { PaceRule } from "../../src/core/mail/pace";
import type { PermitRequest } from "../../src/core/mail/turns";
import { SendEmail } from "../../src/features/send/schema";
import { sendEmails } from "../../src/features/send/send";
import { openPace } from "../../src/platform/mailer/pace";
import { newProject, type TestProject } from "../support/project";
import { emailRows } from "../support/rows";
import { newTemplate } from "../support/template";
import { accepts, World } from "../support/world";

const quiet = () => {};
const unlimited: AccountRule = { pace: null, mailsPerCall: 1 };
const failed = { kind: "failed" as const, calls: 3 };
const request = (permitId: string, more: Partial<PermitRequest> = {}): PermitRequest => ({
  ...{ permitId, project: 1, priority: 0, mails: 1, ...more },
});

describe("the account's object", () => {
  it("keeps a lane's pause, apart for each provider and lane", async () => {
    const pace = openPace(env.PACE, "double", unlimited, quiet);
    expect(await pace.ask([request("a")])).toMatchObject({ grants: [{ mails: 1 }] });
    await pace.giveBack([{ permitId: "a", verdict: failed, calls: 3, hasMore: false }]);
    expect(await pace.ask([request("b")])).toMatchObject({ grants: [{ mails: 0 }] });
    expect(await pace.ask([request("c", { project: 2, priority: 1 })])).toMatchObject({ grants: [{ mails: 1 }] });
    expect(await openPace(env.PACE, "other", unlimited, quiet).ask([request("d")])).toMatchObject({
      grants: [{ mails: 1 }],
    });
  });

  it("keeps to the pace, whoever asks at once", async () => {
    const rule: AccountRule = { pace: { perSecond: 10, transactionalShare: 0 }, mailsPerCall: 1 };
    const pace = openPace(env.PACE, "rush", rule, quiet);
    const asked = Array.from({ length: 40 }, (_, project) => pace.ask([request(`p${project}`, { project })]));
    const calls = (await Promise.all(asked)).reduce((sum, { grants }) => sum + (grants[0]?.calls ?? 0), 0);
    // A second's worth. Whoever did not get a call waits in the ring from then on.
    expect(calls).toBe(10);
  });

  it("keeps campaign mail to the pace of its project, and calls a drainer for the next turn", async () => {
    const pace = openPace(env.PACE, "shared out", unlimited, quiet);
    await pace.addWaiting([{ project: 1, priority: 2 }]);
    const next = await pace.nextTurn({ permitId: "t", done: null });
    expect(next).toMatchObject({ kind: "turn", turn: { project: 1, priority: 2 } });
    expect(await pace.takeShare("t", { perSecond: 4, mails: 100 })).toBe(5);
    await pace.readUpTo("t", { cursor: { dueAt: 0, id: newId() }, mails: 5 });
    const before = Date.now();
    const done = { permitId: "t", verdict: { kind: "answered" as const }, calls: 5, hasMore: false };
    const { drainAt } = await pace.giveBack([done]);
    expect(drainAt).toBeGreaterThan(before);
    expect(drainAt).toBeLessThanOrEqual(before + 1_000);
  });

  it("knows how fast campaigns went, also after it forgot all else", async () => {
    const stub = env.PACE.get(env.PACE.idFromName("measured"));
    const key = "speed of campaigns";
    await runInDurableObject(stub, (_, { storage }) => storage.kv.put(key, { mails: 30_000, ms: 20_000 }));
    const pace = openPace(env.PACE, "measured", unlimited, quiet);
    expect(await pace.campaignsPerSecond()).toBe(1_500);
    await pace.addWaiting([{ project: 1, priority: 2 }]);
    for (let turn = 0; turn <= 20; turn++) {
      const permitId = `t${turn}`;
      await pace.nextTurn({ permitId, done: null });
      await pace.readUpTo(permitId, { cursor: { dueAt: 0, id: newId() }, mails: 100 });
      await pace.giveBack([{ permitId, verdict: { kind: "answered" }, calls: 100, hasMore: false }]);
    }
    const stored = await runInDurableObject(stub, (_, { storage }) => storage.kv.get<{ mails: number }>(key));
    expect(stored?.mails).toBe(32_000);
  });

  it("out of reach lets fresh mail go on", async () => {
    const broken = { get: () => ({}), idFromName: () => ({}) } as unknown as typeof env.PACE;
    const said: string[] = [];
    const pace = openPace(broken, "double", unlimited, (_, message) => said.push(message));
    expect(await pace.ask([request("a", { mails: 30 })])).toEqual({
      grants: [{ calls: 30, callsAtOnce: 5, mails: 30 }],
      drainAt: null,
    });
    expect(await pace.mayGoOn("a", { kind: "answered" }, 1)).toBe(true);
    expect(await pace.campaignsPerSecond()).toBeNull();
    expect(await pace.nextTurn({ permitId: "b", done: null })).toEqual({ kind: "nothing to do" });
    expect(await pace.giveBack([{ permitId: "a", verdict: failed, calls: 1, hasMore: true }])).toEqual({
      drainAt: null,
    });
    expect(await pace.takeShare("a", { perSecond: 5, mails: 10 })).toBe(0);
    expect(said).toHaveLength(6);
  });
});

/** Mail of a project to so many recipients, in calls of at most 500. */
async function send(world: World, project: TestProject, recipients: number, more = {}): Promise<void> {
  for (let sent = 0; sent < recipients; sent += 500) {
    const { ctx } = await world.context(project);
    const to = Array.from({ length: Math.min(500, recipients - sent) }, (_, index) => `r${sent + index}@example.com`);
    const call = { to, from: `hi@${project.domain}`, subject: "Hi", body: "Hi", ...more };
    await sendEmails(ctx, SendEmail.parse(call));
  }
}

async function passSeconds(world: World, seconds: number): Promise<void> {
  const until = world.now + seconds * 1_000;
  while (world.now < until) {
    // A drainer that waits lets time pass by itself.
    await world.drain();
    world.now += 100;
  }
}

/**
 * When the provider took each mail, and whose it was. After so many, `meanwhile` happens: while a drainer is at work, and
 * other consumers are too.
 */
function noteTimes(world: World, after = 0, meanwhile = async () => {}) {
  const times: { projectId: string; type: string; at: number }[] = [];
  world.answer = async ({ projectId, type }) => {
    times.push({ projectId, type, at: world.now });
    if (times.length === after) {
      await meanwhile();
      await world.drain();
    }
    return accepts();
  };
  return times;
}

const pace = (perSecond: number): PaceRule => ({ perSecond, transactionalShare: 0.2 });

describe("mail under a pace", () => {
  it("goes out at that pace, each once, in one try, and costs nothing while it waits", async () => {
    const project = await newProject();
    const world = new World();
    world.paceRule = pace(5);
    const times = noteTimes(world);
    await send(world, project, 60);
    await passSeconds(world, 20);
    expect(new Set(world.taken.map(({ emailId }) => emailId)).size).toBe(60);
    expect(world.taken).toHaveLength(60);
    for (const row of await emailRows(project)) expect(row).toMatchObject({ status: "SENT", attempts: 1, error: null });
    const start = times[0]?.at ?? 0;
    for (let second = 0; second < 12; second++) {
      const upTo = times.filter(({ at }) => at < start + (second + 1) * 1_000).length;
      expect(upTo).toBeLessThanOrEqual(5 * (second + 2));
    }
    expect((times.at(-1)?.at ?? 0) - start).toBeLessThan(12_500);
  });

  it("of a project with little waiting goes out within a few slots, whatever another one has", async () => {
    const [big, small] = [await newProject(), await newProject()];
    const world = new World();
    world.paceRule = pace(5);
    const times = noteTimes(world, 50, () => send(world, small, 1));
    await send(world, big, 200);
    await passSeconds(world, 60);
    expect(times).toHaveLength(201);
    expect(times.slice(50, 53).map(({ projectId }) => projectId)).toContain(small.id);
  });

  it("of one project goes out transactional first, also what came later", async () => {
    const project = await newProject();
    const world = new World();
    world.paceRule = pace(5);
    const template = (await newTemplate(project, { type: "HEADLESS" })).id;
    const times = noteTimes(world, 30, () => send(world, project, 10));
    await send(world, project, 100, { template, subject: undefined, body: undefined });
    await passSeconds(world, 60);
    expect(times).toHaveLength(110);
    const types = times.slice(30).map(({ type }) => type);
    expect(types.slice(0, 12).filter((type) => type === "TRANSACTIONAL")).toHaveLength(10);
  });

  it("of the campaign lane leaves the transactional share to others", async () => {
    const [one, other] = [await newProject(), await newProject()];
    const world = new World();
    world.paceRule = pace(10);
    const template = (await newTemplate(one, { type: "HEADLESS" })).id;
    const times = noteTimes(world, 40, () => send(world, other, 1));
    await send(world, one, 200, { template, subject: undefined, body: undefined });
    await passSeconds(world, 60);
    expect(times).toHaveLength(201);
    const index = times.findIndex(({ projectId }) => projectId === other.id);
    expect(index).toBeLessThan(43);
    const [start = 0, end = 0] = [times[39]?.at, times.at(-1)?.at];
    expect((end - start) / 1_000).toBeGreaterThan(160 / 8 - 2);
  });

  it("is found by the sweep when every message was lost, and when the account's object forgot it", async () => {
    const project = await newProject();
    const world = new World();
    world.paceRule = pace(1);
    await send(world, project, 20);
    await world.drain();
    world.queue = [];
    world.account = new World().account;
    await world.pass(3);
    expect(new Set(world.taken.map(({ emailId }) => emailId)).size).toBe(20);
    expect(world.taken).toHaveLength(20);
  });
});

describe("mail that fills a turn", () => {
  it("leaves the queue at once, and drainers take the rest page by page", async () => {
    const project = await newProject();
    const world = new World();
    await send(world, project, 300);
    expect(world.queue).toHaveLength(1);
    await world.drain();
    expect(new Set(world.taken.map(({ emailId }) => emailId)).size).toBe(300);
    expect(world.taken).toHaveLength(300);
    expect(world.queue).toEqual([]);
  });
});
