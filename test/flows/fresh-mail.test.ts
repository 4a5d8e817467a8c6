import { createExecutionContext } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { expect, it } from "vitest";
import { permitMs } from "../../src/core/mail/account";
import type { MessageOf } from "../../src/core/messages";
import { deliverMessages } from "../../src/engine/mail/deliver/deliver-fresh";
import { SendEmail } from "../../src/features/send/schema";
import { sendEmails } from "../../src/features/send/send";
import { consume } from "../../src/queue";
import { type Death, wasKilled } from "../support/killable";
import { newProject, type TestProject } from "../support/project";
import { emailRows } from "../support/rows";
import { sample } from "../support/sample";
import { accepts, World } from "../support/world";

type Deliver = MessageOf<"mail.deliver">;

/** Mail of so many projects, one message each. The queue holds them no more. */
async function arrived(world: World, projects: TestProject[], mails = 1): Promise<Deliver[]> {
  for (const project of projects) {
    const { ctx } = await world.context(project);
    const to = Array.from({ length: mails }, (_, index) => `r${index}@example.com`);
    await sendEmails(ctx, SendEmail.parse({ to, from: `hi@${project.domain}`, subject: "Hi", body: "Hi" }));
  }
  return world.queue.splice(0).flatMap(({ queued: { message } }) => (message.type === "mail.deliver" ? [message] : []));
}

const someProjects = (count: number) => Promise.all(Array.from({ length: count }, () => newProject()));

async function statusesOf(projects: TestProject[]): Promise<string[]> {
  const rows = await Promise.all(projects.map((project) => emailRows(project)));
  return rows.flat().map(({ status }) => status);
}

/** The account's object, with the names of the methods that are called. */
function counting(calls: string[]): typeof env.PACE {
  const stubOf = (stub: object) =>
    new Proxy(stub, {
      get(target, name) {
        const own: unknown = Reflect.get(target, name);
        if (typeof own !== "function") return own;
        return (...values: unknown[]) => {
          calls.push(String(name));
          return Reflect.apply(own, target, values);
        };
      },
    });
  return new Proxy(env.PACE, {
    get(target, name) {
      const own: unknown = Reflect.get(target, name);
      if (typeof own !== "function") return own;
      return (...values: unknown[]) => {
        const result: unknown = Reflect.apply(own, target, values);
        return name === "get" && result instanceof Object ? stubOf(result) : result;
      };
    },
  });
}

it("of a batch of messages asks the account once, and gives all permits back once", async () => {
  const projects = await someProjects(10);
  const mails = await Promise.all(
    projects.flatMap((project) =>
      ["ada@example.com", "bob@example.com"].map(async (to) => {
        const mail = { to, from: `hi@${project.domain}`, subject: "Hi", body: "Hi" };
        const { ctx } = await new World().context(project);
        const [{ id } = { id: null }] = await sendEmails({ ...ctx, enqueue: async () => {} }, SendEmail.parse(mail));
        return { project, id };
      }),
    ),
  );
  let acknowledged = 0;
  const messages = mails.map(({ project, id }, index) => ({
    ...{ id: String(index), timestamp: new Date(), attempts: 1 },
    body: { type: "mail.deliver", projectId: project.number, priority: 0, emailIds: [id] },
    ack: () => acknowledged++,
    retry: () => {},
  }));
  // What the consumer asks of a batch.
  const batch = { queue: "petrel-mail", messages } as unknown as MessageBatch;
  const calls: string[] = [];
  await consume(batch, { ...env, PACE: counting(calls) }, createExecutionContext());
  expect(calls).toEqual(["askAll", "giveBackAll"]);
  expect(acknowledged).toBe(20);
  expect(await statusesOf(projects)).toEqual(Array(20).fill("DELIVERED"));
});

it("that the account does not take waits for its turn, whosever it is", async () => {
  const projects = await someProjects(6);
  const world = new World();
  world.paceRule = { perSecond: 3, transactionalShare: 0 };
  const jobs = await arrived(world, projects, 2);
  const errors = await deliverMessages(world.process().platform, jobs);
  expect(errors).toEqual(jobs.map(() => null));
  for (let second = 0; second < 30; second++) {
    await world.drain();
    world.now += 200;
  }
  expect(await statusesOf(projects)).toEqual(Array(12).fill("SENT"));
  expect(world.taken).toHaveLength(12);
  // The first one has its call at once and then its turn, as it would have had alone; nobody else has two before others.
  const firsts = new Set(world.taken.slice(0, 7).map(({ projectId }) => projectId));
  expect(firsts.size).toBe(6);
});

it("costs the open calls of all projects together when the provider goes away, and others hear of it at once", async () => {
  const projects = await someProjects(20);
  const world = new World();
  const jobs = await arrived(world, projects);
  world.answer = () => {
    throw new Error("The network is gone");
  };
  const { platform, process } = world.process();
  await deliverMessages(platform, jobs);
  const lost = world.calls.length;
  expect(lost).toBeGreaterThanOrEqual(3);
  expect(lost).toBeLessThanOrEqual(5);
  const statuses = await statusesOf(projects);
  expect(statuses.filter((status) => status === "UNKNOWN")).toHaveLength(lost);
  expect(statuses.filter((status) => status === "QUEUED")).toHaveLength(20 - lost);
  expect(world.account.lanes.transactional.pausedUntil).not.toBeNull();
  expect(world.account.permits.size).toBe(0);
  expect(process.steps.filter((step) => step === "ask")).toHaveLength(1);
  world.answer = accepts;
  await world.pass(10);
  expect((await statusesOf(projects)).filter((status) => status === "SENT")).toHaveLength(20 - lost);
  expect(world.taken).toHaveLength(20 - lost);
});

it("that fails comes again alone: the others of its batch are delivered", async () => {
  const projects = await someProjects(4);
  const world = new World();
  const jobs = await arrived(world, projects);
  const [broken] = projects;
  if (!broken) throw new Error("No project");
  await broken.db
    .prepare(
      `CREATE TRIGGER no_hand_over BEFORE UPDATE OF status ON emails
        WHEN NEW.status = 'SENDING' AND NEW.project_id = ${broken.number}
        BEGIN SELECT RAISE(ABORT, 'The database is busy'); END`,
    )
    .run();
  const errors = await deliverMessages(world.process().platform, jobs).finally(() =>
    broken.db.prepare("DROP TRIGGER no_hand_over").run(),
  );
  expect(errors).toEqual([expect.any(Error), null, null, null]);
  expect(await statusesOf(projects)).toEqual(["QUEUED", "SENT", "SENT", "SENT"]);
  expect(world.account.permits.size).toBe(0);
  await world.pass(3);
  expect(await statusesOf(projects)).toEqual(Array(4).fill("SENT"));
});

it("whose turn comes too late for its permit waits, and a drainer takes it", async () => {
  const projects = await someProjects(8);
  const world = new World();
  const jobs = await arrived(world, projects);
  world.answer = () => {
    world.now += 10_000;
    return accepts();
  };
  await deliverMessages({ ...world.process().platform, callsAtOnce: 1 }, jobs);
  expect(world.taken).toHaveLength(3);
  expect(world.account.permits.size).toBe(0);
  world.answer = accepts;
  await world.drain();
  expect(world.taken).toHaveLength(8);
});

const deaths = [1, 2, 3, 8, 12, 16, 20, 24, 30].flatMap((atStep): Death[] => [
  { atStep, when: "before" },
  { atStep, when: "after" },
]);

it.each(sample(deaths))(
  "of many projects whose consumer dies $when step $atStep is not lost, and holds no permit for long",
  async (death) => {
    const projects = await someProjects(6);
    const world = new World();
    const jobs = await arrived(world, projects);
    await deliverMessages(world.process(death).platform, jobs).catch((error) => {
      if (!wasKilled(error)) throw error;
    });
    world.now += permitMs;
    await world.pass(10);
    expect(world.account.permits.size).toBe(0);
    const statuses = await statusesOf(projects);
    expect(statuses.filter((status) => status !== "SENT" && status !== "UNKNOWN")).toEqual([]);
    expect(statuses.filter((status) => status === "UNKNOWN").length).toBeLessThanOrEqual(5);
    expect(new Set(world.taken.map(({ emailId }) => emailId)).size).toBe(world.taken.length);
  },
);
