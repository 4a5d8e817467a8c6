import { evictDurableObject, runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { onTestFinished, vi } from "vitest";
import { readId } from "../../src/core/ids";
import { runSweeps } from "../../src/cron";
import { openPlatform } from "../../src/platform/open-platform";
import { handleMessage } from "../../src/queue";
import { SweepObject } from "../../src/sweep-object";
import { callAtFault } from "./cloud";
import { databaseOf, shards } from "./database";
import { DatabaseFault, type FaultName, fromTrip } from "./database-fault";
import { everyRow } from "./every-row";
import { type Harm, harmBetween, harmOfCounts, sumOf } from "./fault-tally";
import { killableDatabase, Process } from "./killable";
import { type Reset, resetOnce } from "./object-fault";
import { Outside } from "./outside";
import { newProject, type TestProject } from "./project";
import { comparable, ringAll, uncompared, work } from "./same-end";
import { newTemplate } from "./template";
import { callWith } from "./with-settings";
import { addressOf, newWorkflow, track } from "./workflow";
import { loseMessages } from "./works";
import { shardStub, World } from "./world";

/** What happens to an object: a fault of the database at one of its round trips, or a reset at one of its steps or calls. */
export type Mishap =
  | { fault: FaultName; trip: number }
  | { reset: Reset; step: number }
  | { reset: Reset; method: string }
  | null;

/** How work with an object ended. */
export interface End {
  rows: string[];
  /** The mails that the provider took, or the calls that succeeded. */
  effects: number;
  /** The round trips that the object made, or its steps. */
  trips: number;
  /** The mishap has come to pass. */
  isMet: boolean;
}

export function harmOfEnds(good: End, end: End): Harm {
  return sumOf(harmBetween(good.rows, end.rows), harmOfCounts(good.effects, end.effects));
}

async function rowsOf(project: TestProject): Promise<string[]> {
  return comparable(await everyRow(project, uncompared), [project.number, project.domain, project.id]);
}

/** The faults and deaths of an object's own platform, beside a world that has none. */
function objectWorld(world: World, mishap: Mishap) {
  const inner = new World();
  inner.queue = world.queue;
  const meant = mishap && "fault" in mishap ? fromTrip(mishap.trip) : fromTrip(1);
  const fault = new DatabaseFault(mishap && "fault" in mishap ? [mishap.fault] : [], meant.isMeant);
  inner.fault = fault;
  const isDeath = mishap !== null && "step" in mishap;
  const dying = isDeath ? inner.process({ atStep: mishap.step, when: mishap.reset }) : null;
  const isDead = () => isDeath && (dying?.process.steps.length ?? 0) >= mishap.step;
  return {
    platform: () => {
      inner.now = world.now;
      return dying && !isDead() ? dying.platform : inner.process().platform;
    },
    trips: meant.count,
    isMet: () => fault.met > 0 || isDead(),
    isDead,
  };
}

/** A path of every kind of effect, and a wait that ends by its time. */
async function newJourney(project: TestProject): Promise<void> {
  const { id: templateId } = await newTemplate(project, { type: "TRANSACTIONAL" });
  await newWorkflow(project, {
    steps: {
      mail: ["SEND_EMAIL", {}, { templateId }],
      update: ["UPDATE_CONTACT", { data: { welcomed: "yes" } }],
      decide: ["CONDITION", { field: "data.welcomed", operator: "equals", value: "yes" }],
      wait: ["WAIT_FOR_EVENT", { eventName: "purchase", timeout: 3_600 }],
      left: ["EXIT", { reason: "left" }],
      no: ["EXIT", { reason: "no" }],
    },
    ways: [
      ["TRIGGER", "mail"],
      ["mail", "update"],
      ["update", "decide"],
      ["decide", "wait", "yes"],
      ["decide", "no", "no"],
      ["wait", "left", "timeout"],
    ],
  });
}

const noFault = new DatabaseFault([]);

/** An event begins an execution, which waits for an hour and leaves. */
export async function playShard(mishap: Mishap): Promise<End> {
  const world = new World();
  const project = await newProject();
  const object = objectWorld(world, mishap);
  world.shardPlatform = object.platform;
  await newJourney(project);
  const { contactId } = await track(world, project, "signup");
  await work(world, undefined, noFault);
  if (object.isDead()) await evictDurableObject(shardStub(addressOf(project, contactId)));
  for (const minutes of [2, 6, 61, 2]) {
    world.now += minutes * 60_000;
    await world.sweep();
    await ringAll(world, project);
    await work(world, undefined, noFault);
    if (object.isDead()) await evictDurableObject(shardStub(addressOf(project, contactId)));
  }
  return { rows: await rowsOf(project), effects: world.taken.length, trips: object.trips(), isMet: object.isMet() };
}

const sweepStub = () => {
  const objects = env.SWEEPS as unknown as DurableObjectNamespace<SweepObject>;
  return objects.get(objects.idFromName("sweeps"));
};

/** The object finds what lost messages left. Whatever happens to it, it rings again. */
export async function playSweeps(mishap: Mishap): Promise<End & { ringsAgain: boolean }> {
  const world = new World();
  const outside = new Outside();
  const project = await newProject();
  // Its clock is that of the runtime, and all of this was lost before.
  world.now -= 15 * 60_000;
  const { ctx } = await world.context(project);
  await loseMessages({ world, outside, project, ctx: { ...ctx, origin: "https://petrel.example" } });
  const meant = mishap && "fault" in mishap ? fromTrip(mishap.trip) : fromTrip(1);
  const fault = new DatabaseFault(mishap && "fault" in mishap ? [mishap.fault] : [], meant.isMeant);
  const process = new Process(mishap && "step" in mishap ? { atStep: mishap.step, when: mishap.reset } : undefined);
  const databases = shards.map((shard) => [
    shard,
    killableDatabase(databaseOf(shard), process, (trip, make) => fault.meet(trip, make)),
  ]);
  const queues = Object.keys(env).filter((name) => name.endsWith("_QUEUE"));
  const queue = {
    sendBatch: (messages: { body: World["queue"][number]["queued"]["message"] }[]) =>
      process.step("enqueue", async () => {
        world.queue.push(...messages.map(({ body: message }) => ({ queued: { message }, due: world.now })));
      }),
  };
  const bindings = {
    ...env,
    ...Object.fromEntries(databases),
    ...Object.fromEntries(queues.map((name) => [name, queue])),
  };
  await runInDurableObject(sweepStub(), (_, state) => new SweepObject(state, bindings).alarm());
  const isDead = mishap !== null && "step" in mishap && process.steps.length >= mishap.step;
  // A reset takes the alarm along that its death would have set, and the tick of the next minute sees to it.
  if (isDead) await runInDurableObject(sweepStub(), (_, { storage }) => storage.deleteAlarm());
  if (isDead) await evictDurableObject(sweepStub());
  if (isDead) await sweepStub().keepGoing();
  const ringsAgain = await runInDurableObject(
    sweepStub(),
    async (_, { storage }) => (await storage.getAlarm()) !== null,
  );
  await work(world, undefined, noFault);
  for (const minutes of [2, 6]) {
    world.now += minutes * 60_000;
    await world.sweep();
    await ringAll(world, project);
    await work(world, undefined, noFault);
  }
  return {
    ...{ rows: await rowsOf(project), effects: world.taken.length, ringsAgain },
    ...{ trips: meant.count(), isMet: fault.met > 0 || isDead },
  };
}

function resettable<Objects extends object>(real: Objects, mishap: Mishap) {
  if (mishap === null || !("method" in mishap)) return { objects: real, isMet: () => false };
  let isMet = false;
  const objects = resetOnce(real, mishap.method, mishap.reset, () => {
    isMet = true;
  });
  return { objects, isMet: () => isMet };
}

const mailTo = (project: TestProject, to: string, from = `hello@${project.domain}`) => ({
  ...{ to, from, subject: "Hi", body: "Hi" },
});

/** Two mails come again, so each has a round of its own, and a third waits for a sweep. */
export async function playPace(mishap: Mishap): Promise<End> {
  const world = new World();
  const project = await newProject();
  const reset = resettable(env.PACE, mishap);
  const { pace } = openPlatform({ ...env, PACE: reset.objects }, { waitUntil: () => {} });
  const platform = () => {
    const made = world.process().platform;
    return { ...made, pace, accounts: { ...made.accounts, main: { ...made.accounts.main, pace } } };
  };
  const send = async (to: string) => {
    const call = { key: project.keys.secret, body: mailTo(project, to), fault: new DatabaseFault([]) };
    return readId((await callAtFault("POST", "/v1/send", call)).body.data.emails[0].email);
  };
  vi.useRealTimers();
  const emailIds = [await send("ada@example.com"), await send("grace@example.com")];
  await send("eve@example.com");
  // Later than what is due.
  world.now = Date.now() + 1_000;
  vi.useFakeTimers({ now: world.now, toFake: ["Date"] });
  onTestFinished(() => {
    vi.useRealTimers();
  });
  const toProject = { projectId: project.number, priority: 0 as const };
  await handleMessage(platform(), { type: "mail.deliver", ...toProject, emailIds, again: true });
  for (const minutes of [3, 3, 6]) {
    world.now += minutes * 60_000;
    // The object waits for a drainer by the clock of the runtime.
    vi.setSystemTime(world.now);
    await runSweeps(platform(), "* * * * *");
    for (let next = world.queue.shift(); next; next = world.queue.shift()) {
      await handleMessage(platform(), next.queued.message);
    }
  }
  const mine = world.taken.filter(({ projectNumber }) => projectNumber === project.number);
  return { rows: await rowsOf(project), effects: mine.length, trips: 0, isMet: reset.isMet() };
}

/** A request with a key is made and repeated; another one is refused, and its key is free for the next. */
export async function playGate(mishap: Mishap): Promise<End> {
  const project = await newProject();
  const reset = resettable(env.GATE, mishap);
  const bindings = { GATE: reset.objects };
  const call = async (key: string, body: object) => {
    const headers = { "Idempotency-Key": key };
    return (await callWith(bindings, "POST", "/v1/send", { token: project.keys.secret, body, headers })).status;
  };
  const statuses = [
    await call("order-1", mailTo(project, "ada@example.com")),
    await call("order-1", mailTo(project, "ada@example.com")),
    await call("order-2", mailTo(project, "grace@example.com", "hello@elsewhere.test")),
    await call("order-2", mailTo(project, "grace@example.com")),
  ];
  const rows = [...(await rowsOf(project)), ...statuses.map((status, index) => `answers ${index} ${status}`)];
  const effects = statuses.filter((status) => status === 200).length;
  return { rows, effects, trips: 0, isMet: reset.isMet() };
}
