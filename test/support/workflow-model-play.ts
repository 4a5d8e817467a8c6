import { sql } from "drizzle-orm";
import { vi } from "vitest";
import { textOf } from "../../src/core/ids";
import { upsertContact } from "../../src/features/contacts/upsert";
import { getProject } from "../../src/features/projects/project";
import { type Context, forProject, type Project } from "../../src/platform/context";
import { databaseOf } from "./database";
import { AtRun, type Death } from "./killable";
import { Outside } from "./outside";
import { newProject, type TestProject } from "./project";
import { type Random, randomOf } from "./random";
import { Register } from "./register";
import { newTemplate } from "./template";
import { newHost } from "./webhook";
import { newWorkflow } from "./workflow";
import { type Drawing, drawWorkflow } from "./workflow-model-draw";
import { Endpoints } from "./workflow-model-endpoints";
import { Shards } from "./workflow-model-shards";
import { Timeline } from "./workflow-model-timeline";
import { aMoment, Turns } from "./workflow-model-turns";
import { World } from "./world";

/** A project with workflows, on which acts are played, and all that was seen of it. */
export interface Play {
  world: World;
  project: TestProject;
  row: Project;
  random: Random;
  drawing: Drawing;
  turns: Turns;
  shards: Shards;
  timeline: Timeline;
  endpoints: Endpoints;
  isDisabled: Register<boolean>;
  addresses: string[];
  workflowIds: string[];
  /** Emails whose consumer may have died of handing them over. */
  hasKilledConsumer: boolean;
  /** All that was done, in the order in which it ended. */
  log: string[];
}

/** Time passes for the product's own clocks too, such as that of an object which is made anew. */
export function advance({ world }: Pick<Play, "world">, ms: number): void {
  world.now += ms;
  vi.setSystemTime(world.now);
}

/** Far from real time, so that no alarm rings by itself. */
const begin = Date.UTC(2031, 2, 10, 8, 30);

/** Whatever chance decides comes out the same for the same seed, also in the product. */
function foresee(seed: number): void {
  const random = randomOf(seed * 31 + 7);
  vi.spyOn(Math, "random").mockImplementation(() => random.below(1_000_000) / 1_000_000);
  vi.spyOn(crypto, "getRandomValues").mockImplementation((array) => {
    if (array)
      new Uint8Array(array.buffer, array.byteOffset, array.byteLength).forEach((_, n, all) => {
        all[n] = random.below(256);
      });
    return array;
  });
}

export async function newPlay(seed: number): Promise<Play> {
  const random = randomOf(seed * 7_919);
  const [world, project] = [new World(), await newProject()];
  const template = async (type: string) =>
    (await newTemplate(project, { subject: "Hi", body: "<p>Hi {{ event.note }}</p>", type })).id as string;
  const templates = { marketing: await template("MARKETING"), transactional: await template("TRANSACTIONAL") };
  vi.useFakeTimers({ toFake: ["Date"], now: begin });
  foresee(seed);
  world.now = begin;
  const row = await getProject(world.process().platform, project.id);
  const hosts = [newHost(world), newHost(world)];
  const turns = new Turns(random);
  const timeline = new Timeline(databaseOf(row.shard), project.number, () => world.now);
  const takeTurn = async (name: string) => {
    await turns.askInObject(name);
    advance({ world }, 1);
  };
  const play: Play = {
    ...{ world, project, row, random, turns, timeline, log: [], workflowIds: [], hasKilledConsumer: false },
    drawing: { random, templates, hosts },
    shards: new Shards(world, random, turns, takeTurn, () => timeline.see(true)),
    endpoints: new Endpoints(new Outside(), hosts, random, () => world.now),
    isDisabled: new Register(false, 0),
    addresses: ["c0@example.com", "c1@example.com", "c2@example.com"],
  };
  for (const [n, email] of play.addresses.slice(0, 2).entries()) {
    advance(play, 1_000);
    await upsertContact(quietContext(play), { email, data: { plan: n % 2 ? "pro" : "free", trail: "|" } });
  }
  const count = 2 + random.below(2);
  for (let n = 0; n < count; n++) {
    advance(play, 1_000);
    const { id } = await newWorkflow(project, drawWorkflow(play.drawing, n));
    play.workflowIds.push(textOf(id));
  }
  await timeline.see();
  return play;
}

/** A process that is alone: nobody comes between its steps. Its shards are set in motion all the same. */
function quietContext(play: Play): Context {
  const { platform } = play.world.process();
  return inPlay(play, platform);
}

function inPlay({ world, row }: Play, platform: Context | ReturnType<World["process"]>["platform"]): Context {
  const databaseNow = sql`CAST(${new AtRun(() => world.now)} AS INTEGER)`;
  const ctx = forProject({ ...platform, callsAtOnce: 1, databaseNow, realDatabaseNow: databaseNow }, row);
  // Sweeps have no other database to look into.
  return { ...ctx, databases: [ctx.db], origin: "https://petrel.example" };
}

/** Who acts, and the last of the steps that it has begun. */
export interface Actor {
  name: string;
  steps: Promise<unknown>;
}

/** The context of a process that waits for its turn before each step. No two steps have the same time. */
export function contextOf(play: Play, actor: Actor, death?: Death): Context {
  const { turns, timeline, shards } = play;
  const { platform, process } = play.world.process(death);
  const step = process.step.bind(process);
  const take: typeof step = async (what, effect) => {
    await turns.ask(actor.name);
    advance(play, 1);
    const written = process.rowsWritten;
    return step(what, async () => {
      const result = await effect();
      if (process.rowsWritten > written) await timeline.see();
      return result;
    });
  };
  // An actor takes one step at a time, also those that it begins at once, such as its calls of shards.
  process.step = (what, effect) => {
    const taken = actor.steps.then(() => take(what, effect));
    actor.steps = taken.catch(() => {});
    return taken;
  };
  return inPlay(play, { ...platform, workflowShards: shards.of(process) });
}

/** Comes back when the actor has taken all of its steps. Some go on when another one has failed. */
export async function allSteps(actor: Actor): Promise<void> {
  for (let last: unknown = null; last !== actor.steps; ) {
    last = actor.steps;
    await actor.steps;
    await aMoment();
  }
}
