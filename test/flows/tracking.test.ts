import { env } from "cloudflare:workers";
import { describe, expect, it } from "vitest";
import { readId } from "../../src/core/ids";
import { mergeMessages } from "../../src/core/mail/merge-messages";
import type { QueueMessage } from "../../src/core/messages";
import { type Hit, maxHits } from "../../src/core/tracking/hit";
import { SendEmail } from "../../src/features/send/schema";
import { sendEmails } from "../../src/features/send/send";
import { enqueueHit } from "../../src/features/tracking/enqueue-hit";
import { openQueues } from "../../src/platform/queues";
import { handleMessage } from "../../src/queue";
import { consumeInOutage } from "../support/consume-in-outage";
import { LimitedQueue } from "../support/limited-queue";
import { newProject, type TestProject } from "../support/project";
import { emailRows, eventCounts } from "../support/rows";
import { World } from "../support/world";

const link = "https://shop.example/sale";

interface Scene {
  world: World;
  project: TestProject;
  emailIds: string[];
}

async function sent(recipients = 1, world = new World()): Promise<Scene> {
  const project = await newProject();
  const { ctx } = await world.context(project);
  const to = Array.from({ length: recipients }, (_, n) => `r${n}@example.com`);
  await sendEmails(ctx, SendEmail.parse({ to, from: `hi@${project.domain}`, subject: "Hi", body: "Hi" }));
  await world.drain();
  return { world, project, emailIds: (await emailRows(project)).map(({ id }) => id) };
}

let made = 0;

function hit(emailId: string, fields: Partial<Hit> = {}): Hit {
  return {
    id: `hit-${++made}`,
    kind: "click",
    emailId: readId(emailId),
    at: Date.now(),
    link,
    isAutomated: false,
    ...fields,
  };
}

const open = (emailId: string, fields: Partial<Hit> = {}) => hit(emailId, { kind: "open", link: undefined, ...fields });

function messageOf(project: TestProject, hits: Hit[]): QueueMessage {
  return { type: "tracking.record", projectId: project.number, hits };
}

async function record({ world, project }: Scene, ...hits: Hit[]): Promise<void> {
  await handleMessage(world.process().platform, messageOf(project, hits));
}

async function stateOf({ project, emailIds: [id] }: Scene) {
  const { body } = await project.api.get(`/emails/${id}`);
  const { status, opens, clicks, sentAt, deliveredAt, openedAt, clickedAt } = body;
  return { status, opens, clicks, sentAt, deliveredAt, openedAt, clickedAt };
}

describe("opens and clicks", () => {
  it("move a mail forward by rank only, in whatever order they come", async () => {
    const scene = await sent();
    const [id = ""] = scene.emailIds;
    expect(await stateOf(scene)).toMatchObject({ status: "SENT", deliveredAt: null });
    await record(scene, hit(id, { at: Date.parse("2026-01-02T00:00:00Z") }));
    expect(await stateOf(scene)).toMatchObject({ status: "CLICKED", clicks: 1, clickedAt: "2026-01-02T00:00:00.000Z" });
    await record(scene, open(id), hit(id, { at: Date.parse("2026-01-01T00:00:00Z") }));
    const state = await stateOf(scene);
    expect(state).toMatchObject({ status: "CLICKED", opens: 1, clicks: 2, clickedAt: "2026-01-01T00:00:00.000Z" });
    expect(await eventCounts(scene.project)).toEqual({
      ...{ "email.sent": 1, "email.delivered": 1, "email.clicked": 2, "email.opened": 1 },
    });
  });

  it("count once, however often their message comes", async () => {
    const scene = await sent();
    const [id = ""] = scene.emailIds;
    const hits = [open(id), hit(id), hit(id), hit(id, { isAutomated: true })];
    await record(scene, ...hits);
    await record(scene, ...hits);
    await record(scene, hit(id), ...hits.toReversed(), ...hits);
    expect(await stateOf(scene)).toMatchObject({ status: "CLICKED", opens: 1, clicks: 3 });
    expect(await eventCounts(scene.project)).toMatchObject({ "email.opened": 1, "email.clicked": 4 });
  });

  it("count once also when two consumers have the message", async () => {
    const scene = await sent();
    const [id = ""] = scene.emailIds;
    const hits = [open(id), hit(id)];
    await Promise.all(Array.from({ length: 5 }, () => record(scene, ...hits)));
    expect(await stateOf(scene)).toMatchObject({ opens: 1, clicks: 1 });
    expect(await eventCounts(scene.project)).toMatchObject({ "email.opened": 1, "email.clicked": 1 });
  });

  it.each([1, 2, 3, 4])("count once when their consumer dies at step %i", async (atStep) => {
    const scene = await sent();
    const [id = ""] = scene.emailIds;
    for (const when of ["before", "after"] as const) {
      const message = messageOf(scene.project, [open(id), hit(id)]);
      const { platform } = scene.world.process({ atStep, when });
      await handleMessage(platform, message).catch(() => {});
      await handleMessage(scene.world.process().platform, message);
    }
    expect(await stateOf(scene)).toMatchObject({ opens: 2, clicks: 2 });
    expect(await eventCounts(scene.project)).toMatchObject({ "email.opened": 2, "email.clicked": 2 });
  });

  it("of one mail are counted and have events up to a limit", async () => {
    const scene = await sent();
    const [id = ""] = scene.emailIds;
    for (let n = 0; n < 3; n++) {
      await record(scene, ...Array.from({ length: 60 }, () => hit(id, { isAutomated: true })));
      await record(scene, ...Array.from({ length: 60 }, () => open(id)));
      await record(scene, ...Array.from({ length: 60 }, () => hit(id)));
    }
    const { opens, clicks, automatedClicks } = maxHits;
    expect(await stateOf(scene)).toMatchObject({ status: "CLICKED", opens, clicks });
    expect(await eventCounts(scene.project)).toMatchObject({
      "email.opened": opens,
      "email.clicked": clicks + automatedClicks,
    });
    // What happens to it next is still seen.
    const { events } = (await scene.project.api.get(`/emails/${id}`)).body;
    expect(events).toHaveLength(2 + opens + clicks + automatedClicks);
  });

  it("leave a complaint and a bounce as they are, and are recorded", async () => {
    for (const status of ["COMPLAINED", "BOUNCED"]) {
      const scene = await sent();
      const [id = ""] = scene.emailIds;
      await scene.project.db.prepare("UPDATE emails SET status = ? WHERE id = ?").bind(status, id).run();
      await record(scene, open(id), hit(id));
      expect(await stateOf(scene)).toMatchObject({ status, opens: 1, clicks: 1 });
    }
  });

  it("of a mail whose outcome is lost show that it went out", async () => {
    const world = new World();
    world.answer = () => {
      throw new TypeError("Network connection lost.");
    };
    const scene = await sent(1, world);
    const [id = ""] = scene.emailIds;
    expect(await stateOf(scene)).toMatchObject({ status: "UNKNOWN", sentAt: null });
    await record(scene, hit(id, { isAutomated: true }));
    expect(await stateOf(scene)).toMatchObject({ status: "SENT", sentAt: expect.any(String), deliveredAt: null });
    await record(scene, open(id));
    expect(await stateOf(scene)).toMatchObject({ status: "OPENED", deliveredAt: expect.any(String) });
    expect(await eventCounts(scene.project)).toMatchObject({ "email.sent": 1, "email.delivered": 1 });
  });

  it("of mail that never went out, of another project and of nobody are not recorded", async () => {
    const scene = await sent();
    const other = await sent();
    const [id = ""] = scene.emailIds;
    await record(other, hit(id), hit(scene.project.id));
    await scene.project.db
      .prepare("UPDATE emails SET status = 'CANCELLED', sent_at = NULL WHERE id = ?")
      .bind(id)
      .run();
    await record(scene, hit(id));
    expect(await stateOf(scene)).toMatchObject({ status: "CANCELLED", clicks: 0 });
    await handleMessage(scene.world.process().platform, {
      ...messageOf(scene.project, [hit(id)]),
      projectId: 1,
    } as QueueMessage);
    for (const { project } of [scene, other]) expect(await eventCounts(project)).not.toHaveProperty("email.clicked");
  });
});

it("a hundred messages of a queue batch are recorded by the statements of one", async () => {
  const scene = await sent(50);
  const hits = scene.emailIds.flatMap((id) => [open(id), hit(id)]);
  const arrived = hits.map((one) => ({ message: messageOf(scene.project, [one]), isAgain: false, received: one.id }));
  const [merged, ...others] = mergeMessages(arrived);
  expect([others, merged?.received.length]).toEqual([[], 100]);
  const { platform, process } = scene.world.process();
  if (merged) await handleMessage(platform, merged.message);
  expect(process.steps.filter((step) => step === "batch")).toHaveLength(1);
  expect(process.statements.length).toBeLessThan(20);
  expect(process.rowsWritten / hits.length).toBeLessThan(12);
  expect(await eventCounts(scene.project)).toMatchObject({ "email.opened": 50, "email.clicked": 50 });
  const { body } = await scene.project.api.get("/emails?status=CLICKED&limit=100");
  expect(body.data.map(({ opens, clicks }: { opens: number; clicks: number }) => [opens, clicks])).toEqual(
    Array.from({ length: 50 }, () => [1, 1]),
  );
});

it("those of two projects are not put together, nor is other work", () => {
  const received = null;
  const of = (projectId: number): QueueMessage => ({ type: "tracking.record", projectId, hits: [] });
  const other: QueueMessage = { type: "events.dispatch", projectId: 1, eventIds: [] };
  const merged = mergeMessages([of(1), of(2), other, of(1)].map((message) => ({ message, isAgain: false, received })));
  expect(merged.map(({ received }) => received.length)).toEqual([2, 1, 1]);
});

it("an answer does not fail when the queue takes nothing", async () => {
  const scene = await sent();
  const [id = ""] = scene.emailIds;
  const logged: string[] = [];
  const work: Promise<unknown>[] = [];
  enqueueHit(
    {
      ...scene.world.process().platform,
      enqueue: async () => Promise.reject(new Error("Too many requests")),
      later: (one) => work.push(one),
      log: (_, message) => logged.push(message),
    },
    { projectId: scene.project.number, emailId: readId(id) },
    { kind: "click", link, isAutomated: false },
  );
  await Promise.all(work);
  expect(logged).toEqual(["Opens or clicks could not be recorded"]);
});

describe("the queue of an isolate", () => {
  /** Tells hits one after another, some milliseconds apart. `sleep` ends when the test says so. */
  async function isolate() {
    const scene = await sent();
    const [world, { platform }] = [scene.world, scene.world.process()];
    const [start, messages, sleeps]: [number, QueueMessage[][], (() => void)[]] = [world.now, [], []];
    const base: typeof platform = {
      ...platform,
      enqueue: async (queued) => void messages.push(queued.map(({ message }) => message)),
      sleep: () => new Promise((resolve) => sleeps.push(resolve)),
    };
    const tell = (afterMs: number, projectId = scene.project.number) => {
      world.now = start + afterMs;
      const at = { ...base, now: new Date(world.now) };
      enqueueHit(at, { projectId, emailId: readId(scene.emailIds[0] ?? "") }, { kind: "open", isAutomated: false });
    };
    const hits = () =>
      messages.map((some) => some.map((one) => (one.type === "tracking.record" ? one.hits.length : 0)));
    const wake = async () => {
      for (const end of sleeps.splice(0)) end();
    };
    return { tell, hits, wake };
  }
  const settle = () => new Promise((resolve) => setTimeout(resolve, 0));

  it("gets a hit at once, and those of the second after it together", async () => {
    const { tell, hits, wake } = await isolate();
    for (let ms = 0; ms < 900; ms += 100) tell(ms);
    await settle();
    expect(hits()).toEqual([[1]]);
    await wake();
    await settle();
    expect(hits()).toEqual([[1], [8]]);
  });

  it("gets a message for each project", async () => {
    const { tell, hits, wake } = await isolate();
    for (const project of [1, 1, 2, 2]) tell(10, project);
    await wake();
    await settle();
    expect(hits()).toEqual([[1], [1, 2]]);
  });

  it("gets a hit at once after a quiet second", async () => {
    const { tell, hits, wake } = await isolate();
    tell(0);
    tell(5_000);
    await wake();
    await settle();
    expect(hits()).toEqual([[1], [1]]);
  });

  it("gets hits whose request died with those that come five seconds later", async () => {
    const { tell, hits } = await isolate();
    for (const ms of [0, 100, 200, 7_000]) tell(ms);
    await settle();
    expect(hits()).toEqual([[1], [3]]);
  });
});

it("are all recorded when two thousand links of 2,000 characters are followed within a second", async () => {
  const scene = await sent(20);
  const queue = new LimitedQueue();
  const [{ platform }, work, logged]: [ReturnType<World["process"]>, Promise<unknown>[], string[]] = [
    scene.world.process(),
    [],
    [],
  ];
  const isolate: typeof platform = {
    ...platform,
    enqueue: openQueues({ ...env, EVENTS_QUEUE: queue.binding }),
    later: (one) => work.push(one),
    log: (_, message) => logged.push(message),
  };
  const long = `https://shop.example/${"a".repeat(1_979)}`;
  const clicks = scene.emailIds.flatMap((id) => Array.from({ length: 100 }, () => readId(id)));
  for (const emailId of clicks) {
    enqueueHit(
      isolate,
      { projectId: scene.project.number, emailId },
      { kind: "click", link: long, isAutomated: false },
    );
  }
  await Promise.all(work);
  expect(logged).toEqual([]);
  const told = queue.messages.flatMap((message) => (message.type === "tracking.record" ? message.hits : []));
  expect(told).toHaveLength(2_000);
  expect(new Set(told.map(({ id }) => id)).size).toBe(2_000);
  // A hundred of each mail, which is as many as it keeps.
  for (const message of queue.messages) await handleMessage(scene.world.process().platform, message);
  expect(await eventCounts(scene.project)).toMatchObject({ "email.clicked": 2_000 });
});

it("are counted after an hour in which no database answers", async () => {
  const scene = await sent();
  const body = messageOf(scene.project, [open(scene.emailIds[0] ?? "")]);
  const isAcknowledged = await consumeInOutage({ queue: "petrel-events", body, retries: 5, awaySeconds: 3_600 });
  expect(isAcknowledged).toBe(true);
  expect(await stateOf(scene)).toMatchObject({ status: "OPENED", opens: 1 });
});
