import { expect } from "vitest";
import { readId } from "../../src/core/ids";
import { type QueueMessage, redelivered } from "../../src/core/messages";
import { shardOf } from "../../src/core/workflows/shard-of";
import { handleMessage } from "../../src/queue";
import { DatabaseFault, type FaultName, faultNames, fromTrip, fromWrite, type Meant } from "./database-fault";
import { everyRow } from "./every-row";
import { type FaultTally, harmBetween, harmOfCounts, sumOf } from "./fault-tally";
import { Outside } from "./outside";
import { newProject, type TestProject } from "./project";
import { isDeep, sample } from "./sample";
import type { Work } from "./works";
import { World } from "./world";

/** Works through the queue. Messages of this type meet the fault; one that fails comes again, as a queue brings it. */
export async function work(world: World, type: QueueMessage["type"] | undefined, fault: DatabaseFault): Promise<void> {
  for (let turn = 0; turn < 200; turn++) {
    const index = world.queue.findIndex(({ due }) => due <= world.now);
    const [next] = index < 0 ? [] : world.queue.splice(index, 1);
    if (!next) return;
    const { message } = next.queued;
    if (message.type === type) world.fault = fault;
    try {
      await handleMessage(world.process().platform, message, world.listeners);
    } catch {
      world.queue.push({ queued: { message: redelivered(message) }, due: world.now + 5_000 });
    } finally {
      world.fault = null;
    }
  }
  throw new Error("The queue never comes to rest");
}

/** How often something was tried or announced, what nobody needs any more, and where chance has put it. */
const notes = [
  "attempts",
  "outcome",
  "counted_of",
  "version",
  "step",
  "generation",
  "announcements",
  "failing_since",
  "shard",
  "next_announce_at",
];

/** Tables whose rows differ from project to project. */
export const uncompared = ["projects", "api_keys", "rounds", "verified_domains"];

/** The shard of a contact follows from its id. */
const shardOfCursor = /(\\"cursors\\":\{\\")\d+/g;

/** Rows without what differs between two runs of the same work: ids, times and notes. */
export function comparable(rows: Record<string, string[]>, names: (string | number)[]): string[] {
  const of = (row: string) => {
    const columns = Object.entries(JSON.parse(row)).filter(([column]) => !notes.includes(column));
    const whole = JSON.stringify(Object.fromEntries(columns));
    const text = names.reduce<string>((all, name) => all.replaceAll(String(name), "·"), whole);
    return text
      .replace(/[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f-]{22,}/g, "·")
      .replace(/[\w-]{22,}/g, "·")
      .replace(/\bsk_[0-9a-f]{8}\b/g, "·")
      .replace(/\b\d{12,}(\.\d+)?\b/g, "·")
      .replace(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, "·")
      .replace(/h·\.com/g, "·")
      .replace(/("(?:refusedMs|steps|hours)\W+)\d+/g, "$1·")
      .replace(shardOfCursor, "$1·");
  };
  return Object.entries(rows)
    .flatMap(([table, all]) => all.map((row) => `${table.slice(table.indexOf(".") + 1)} ${of(row)}`))
    .sort();
}

/** The beginning of work, its end, and what happened on the way. */
interface Played {
  rows: string[];
  /** The mails that the provider took. */
  mails: number;
  /** The trips that wrote. */
  trips: number;
  /** How many of them failed. */
  met: number;
}

async function play(
  { project: settings, begin, restMinutes = [2, 6] }: Work,
  faults: FaultName[],
  { type, cron }: At,
  meant: Meant,
): Promise<Played> {
  const world = new World();
  const outside = new Outside();
  const project = await newProject(settings);
  const { ctx } = await world.context(project);
  await begin({ world, outside, project, ctx: { ...ctx, origin: "https://petrel.example" } });
  const fault = new DatabaseFault(faults, meant.isMeant);
  if (cron !== undefined) {
    world.fault = fault;
    await world.sweep(cron);
    world.fault = null;
  }
  await work(world, type, fault);
  for (const minutes of restMinutes) {
    world.now += minutes * 60_000;
    await world.sweep();
    if (cron !== undefined) await world.sweep(cron);
    await ringAll(world, project);
    await work(world, type, fault);
  }
  const rows = comparable(await everyRow(project, uncompared), [project.number, project.domain, project.id]);
  return { rows, mails: world.taken.length, trips: meant.count(), met: fault.met };
}

/** The alarms of the shards that keep the project's contacts ring. */
export async function ringAll(world: World, { db, number }: TestProject): Promise<void> {
  const { results } = await db
    .prepare("SELECT id FROM contacts WHERE project_id = ?")
    .bind(number)
    .all<{ id: string }>();
  for (const shard of new Set(results.map(({ id }) => shardOf(readId(id)))))
    await world.ring({ project: number, shard });
}

interface At {
  type?: QueueMessage["type"];
  cron?: string;
}

/** Work of a thousand writes does the same ones again and again. A whole tick takes longer than one message. */
const maxTrips = { type: 6, cron: 5 };

/** The trips at which a read fails, if they read. */
const readPlaces = { type: [1, 2], cron: [1] };

/**
 * At the first write of a message: every fault. At each other write of a message: a commit whose answer is lost, and
 * another fault. At each write of a tick: one fault, in turn. A fault that is left over meets the first write. Then the
 * first trips fail, which read. A run has a part of these, and of each path at least one commit whose answer is lost.
 */
export async function expectSameEnd(begun: Work, at: At, tally: FaultTally): Promise<void> {
  const path = at.cron ?? at.type ?? "";
  const good = await play(begun, [], at, fromWrite(1));
  expect(good.trips).toBeGreaterThan(0);
  const compare = async ({ trip, fault }: Meeting) => {
    const what = `write ${trip}, ${fault}`;
    const { rows, mails, met } = await play(begun, [fault], at, fromWrite(trip));
    // How many trips there are depends on the shards of the contacts, and in a sweep on other projects.
    if (trip === 1 && at.cron === undefined) expect(met, what).toBe(1);
    if (met > 0) tally.add(path, fault, sumOf(harmBetween(good.rows, rows), harmOfCounts(good.mails, mails)));
    expect(rows, what).toEqual(good.rows);
    expect(mails, what).toBe(good.mails);
  };
  const meetings = tripsOf(begun, good.trips, at).flatMap((trip) =>
    faultsAt(trip, at).map((fault) => ({ trip, fault })),
  );
  for (const meeting of sample(meetings, { name: path })) await compare(meeting);
  const missed = faultNames.filter((fault) => !tally.hasMet(path, fault));
  for (const fault of missed) if (isDeep || fault === "answer lost") await compare({ trip: 1, fault });
  for (const index of sample(readPlaces[at.cron === undefined ? "type" : "cron"], { of: 2, name: path })) {
    const { rows, mails } = await play(begun, ["connection lost"], at, fromTrip(index));
    expect(rows, `trip ${index}`).toEqual(good.rows);
    expect(mails, `trip ${index}`).toBe(good.mails);
  }
}

interface Meeting {
  trip: number;
  fault: FaultName;
}

function tripsOf({ lastWrites = 0 }: Work, all: number, { cron }: At): number[] {
  const first = maxTrips[cron === undefined ? "type" : "cron"];
  return Array.from({ length: all }, (_, before) => before + 1).filter(
    (trip) => trip <= first || trip > all - lastWrites,
  );
}

function faultsAt(trip: number, { cron }: At): FaultName[] {
  if (trip === 1 && cron === undefined) return faultNames;
  const [, ...others] = faultNames;
  if (cron !== undefined) return faultNames.slice((trip - 1) % faultNames.length).slice(0, 1);
  return ["answer lost", ...others.slice((trip - 1) % others.length).slice(0, 1)];
}
