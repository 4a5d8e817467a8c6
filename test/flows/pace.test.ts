import { env } from "cloudflare:workers";
import { describe, expect, it } from "vitest";
import { SendEmail } from "../../src/features/send/schema";
import { sendEmails } from "../../src/features/send/send";
import { openPace } from "../../src/platform/mailer/pace";
import { newProject, type TestProject } from "../support/project";
import { emailRows } from "../support/rows";
import { World } from "../support/world";

const quiet = () => {};

it("keeps a lane's pause in its object, apart for each provider and lane", async () => {
  const pace = openPace(env.PACE, "double", null, quiet);
  expect(await pace.enter("transactional")).toEqual({ kind: "open", troubled: false });
  expect(await pace.leave("transactional", { thrown: 2 })).toBeNull();
  expect(await pace.enter("transactional")).toEqual({ kind: "open", troubled: true });
  const until = await pace.leave("transactional", { thrown: 1 });
  expect(until).toBeGreaterThan(Date.now());
  expect(await pace.enter("transactional")).toEqual({ kind: "paused", untilMs: until });
  expect(await pace.enter("campaign")).toEqual({ kind: "open", troubled: false });
  expect(await openPace(env.PACE, "other", null, quiet).enter("transactional")).toEqual({
    kind: "open",
    troubled: false,
  });
});

it("forgets the trouble when the provider answers", async () => {
  const pace = openPace(env.PACE, "healed", null, quiet);
  await pace.leave("transactional", { thrown: 3 });
  expect(await pace.leave("transactional", "answered")).toBeNull();
  expect(await pace.enter("transactional")).toEqual({ kind: "open", troubled: false });
});

it("lets mail go on when the object is out of reach", async () => {
  const broken = { get: () => ({}), idFromName: () => ({}) } as unknown as typeof env.PACE;
  const said: string[] = [];
  const pace = openPace(broken, "double", null, (_, message) => said.push(message));
  expect(await pace.enter("transactional")).toEqual({ kind: "open", troubled: false });
  expect(await pace.leave("transactional", { thrown: 3 })).toBeNull();
  const paced = openPace(broken, "double", { perSecond: 1, transactionalShare: 0 }, (_, message) => said.push(message));
  expect(await paced.take("campaign", 6)).toEqual({ calls: 6, laterMs: [] });
  expect(said).toHaveLength(3);
});

describe("the account's pace", () => {
  const rule = { perSecond: 10, transactionalShare: 0.2 };

  it("is one for both lanes, transactional first", async () => {
    const pace = openPace(env.PACE, "paced", rule, quiet);
    expect((await pace.take("campaign", 20)).calls).toBe(8);
    const { calls, laterMs } = await pace.take("transactional", 20);
    expect(calls).toBeLessThan(20);
    expect(laterMs).toHaveLength(20 - calls);
    const campaign = await pace.take("campaign", 1);
    expect(campaign.calls).toBe(0);
    expect(campaign.laterMs[0]).toBeGreaterThan(laterMs.at(-1) ?? Number.POSITIVE_INFINITY);
  });

  it("is another for each provider, and none without a rule", async () => {
    await openPace(env.PACE, "one", rule, quiet).take("transactional", 100);
    expect((await openPace(env.PACE, "two", rule, quiet).take("transactional", 6)).calls).toBe(6);
    expect(await openPace(env.PACE, "one", null, quiet).take("transactional", 100)).toEqual({
      calls: 100,
      laterMs: [],
    });
  });

  it("grants what is there to callers at once, and no more", async () => {
    const pace = openPace(env.PACE, "rush", { perSecond: 10, transactionalShare: 0 }, quiet);
    const grants = await Promise.all(Array.from({ length: 20 }, () => pace.take("transactional", 6)));
    const granted = grants.reduce((sum, { calls }) => sum + calls, 0);
    // A second's worth, and what came back while they asked.
    expect(granted).toBeGreaterThanOrEqual(10);
    expect(granted).toBeLessThan(20);
    const slots = grants.flatMap(({ laterMs }) => laterMs);
    expect(new Set(slots).size).toBe(slots.length);
  });
});

describe("mail that has to wait for its pace", () => {
  async function send(world: World, project: TestProject, recipients: number): Promise<void> {
    const { ctx } = await world.context(project);
    const to = Array.from({ length: recipients }, (_, index) => `r${index}@example.com`);
    await sendEmails(ctx, SendEmail.parse({ to, from: `hi@${project.domain}`, subject: "Hi", body: "Hi" }));
  }

  /** Second by second, as the messages are held back by whole ones. */
  async function passSeconds(world: World, seconds: number): Promise<number[]> {
    const taken: number[] = [];
    for (let second = 0; second < seconds; second++) {
      world.now += 1_000;
      const before = world.taken.length;
      await world.drain();
      taken.push(world.taken.length - before);
    }
    return taken;
  }

  it("goes out at that pace, each once, in one try", async () => {
    const project = await newProject();
    const world = new World();
    world.paceRule = { perSecond: 5, transactionalShare: 0.2 };
    await send(world, project, 60);
    await world.drain();
    expect(world.taken).toHaveLength(5);
    const taken = await passSeconds(world, 20);
    expect(Math.max(...taken)).toBeLessThanOrEqual(10);
    expect(new Set(world.taken.map(({ emailId }) => emailId)).size).toBe(60);
    expect(world.taken).toHaveLength(60);
    for (const row of await emailRows(project)) expect(row).toMatchObject({ status: "SENT", attempts: 1, error: null });
  });

  it("is not stuck: no sweep announces it, and its messages do not multiply", async () => {
    const project = await newProject();
    const world = new World();
    world.paceRule = { perSecond: 0.1, transactionalShare: 0 };
    await send(world, project, 25);
    await world.drain();
    const waiting = world.queue.length;
    expect(waiting).toBe(24);
    await passSeconds(world, 120);
    await world.sweep();
    expect(world.queue).toHaveLength(waiting - 12);
    for (const row of await emailRows(project)) expect(row.announcements).toBe(0);
    await passSeconds(world, 120);
    expect(world.taken).toHaveLength(25);
    expect(world.queue).toEqual([]);
  });

  it("is found by the sweep when its message was lost", async () => {
    const project = await newProject();
    const world = new World();
    world.paceRule = { perSecond: 1, transactionalShare: 0 };
    await send(world, project, 3);
    await world.drain();
    world.queue = [];
    await world.pass(3);
    expect(world.taken).toHaveLength(3);
  });

  it("is found by the sweep also when its message was lost in a time in which the lane never rests", async () => {
    const project = await newProject();
    const world = new World();
    world.paceRule = { perSecond: 1 / 60, transactionalShare: 0 };
    await send(world, project, 1);
    world.queue = [];
    await send(world, project, 5);
    for (let minute = 0; minute < 80; minute++) {
      await send(world, project, 1);
      await world.drain();
      await world.pass(1);
      expect(await world.process().platform.pace.waitsFor("transactional")).toBe("slots");
    }
    const lost = (await emailRows(project)).find(({ announcements }) => announcements > 0);
    expect(lost).toMatchObject({ status: "SENT", attempts: 1 });
    expect(new Set(world.taken.map(({ emailId }) => emailId)).size).toBe(world.taken.length);
  });
});
