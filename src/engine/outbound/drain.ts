import type { QueueMessage } from "../../core/messages";
import { secondMs } from "../../core/time";
import type { Db } from "../../db/client";
import { type Context, forProject, inRealTime, type Platform } from "../../platform/context";
import { openParts } from "../../platform/sweep";
import { findProject } from "../projects/project";

/** Then, or when it has made as many statements as it may, another message goes on. Calls that are under way may take ten seconds more; meanwhile others have their turns. */
const runMs = 20 * secondMs;
/** While a call is under way, how often others are looked for. */
const lookAgainMs = 500;
/** Receivers of one project that are called at once: those of its neighbours find a place beside them. */
const maxOfProject = 2;

/** A receiver of calls that is due. */
export interface Receiver {
  projectId: number;
  /** Unique among all receivers of its kind. */
  name: string;
  /** The longest waiting goes first, in milliseconds since 1970. */
  waitsSince: number;
}

/** A kind of calls to tenants' URLs. */
export interface OutboundCalls {
  kind: string;
  findDue(db: Db, now: number): Promise<Receiver[]>;
  /** Makes some calls, one after the other. Goes on no longer than its own time, and ends early when the run is over. */
  takeTurn(ctx: Context, name: string, isOver: () => boolean): Promise<void>;
}

type Parts = ReturnType<typeof openParts>;

interface Due extends Receiver {
  calls: OutboundCalls;
  key: string;
}

/**
 * Makes the calls that are due, of all projects and kinds, until none is. Each receiver has one call under way here and no
 * more. While one keeps us waiting, the others have their turns: a consumer may be the only one. Several consumers may
 * work on one receiver, each with calls of its own. `again` goes on when the time is over.
 */
export async function drainOutbound(
  platform: Platform,
  kinds: readonly OutboundCalls[],
  again: QueueMessage,
): Promise<void> {
  const until = platform.clock().getTime() + runMs;
  const isLate = () => platform.clock().getTime() >= until || !platform.spent.hasLeft();
  const busy = new Map<string, { projectId: number; isExtra: boolean; turn: Promise<void> }>();
  // Turns end with their next call when it is late. What still hangs then holds this consumer, so others go on beside it.
  const isOver = () => isLate() && [...busy.values()].every(({ isExtra }) => isExtra);
  /** Of projects that are gone, and those whose turn failed: another run may look at them. */
  const ignored = new Set<string>();
  const parts = openParts();
  const databases = new Set(platform.databases);
  /** Of what nothing was due at the last look. It is looked for less often than after each turn. */
  let idle = new Set<OutboundCalls>();
  let isTime = true;
  for (;;) {
    const looked = kinds.filter((calls) => isTime || busy.size === 0 || !idle.has(calls));
    const isFull = isOver() || busy.size >= platform.callsAtOnce;
    const due = isFull ? [] : await findDue(platform, looked, databases, parts);
    if (!isFull) idle = new Set(kinds.filter((calls) => !due.some((one) => one.calls === calls)));
    const able = due.filter(({ key }) => !ignored.has(key));
    for (const one of choose(able, busy, platform.callsAtOnce)) {
      const { key, projectId } = one;
      ignored.add(key);
      const isExtra = isLate();
      const turn = parts
        .run(async () => {
          if (await takeTurn(platform, one, isExtra ? isOver : isLate)) ignored.delete(key);
        })
        .finally(() => busy.delete(key));
      busy.set(key, { projectId, isExtra, turn });
    }
    // Looked for after the last turn had ended: there is nothing that this run may do.
    if (busy.size === 0) break;
    const turnsNow = [...busy.values()].map(({ turn }) => turn);
    isTime = await nextEvent(turnsNow, isOver());
  }
  if (isLate()) await platform.enqueue([{ message: again }]);
  parts.end();
}

/** False when the project is gone. */
async function takeTurn(platform: Platform, { calls, projectId, name }: Due, isOver: () => boolean): Promise<boolean> {
  const project = await findProject(platform, projectId);
  if (project) await calls.takeTurn(inRealTime(forProject(platform, project)), name, isOver);
  return project !== null;
}

/** Those that wait longest, as many as there are places. */
function choose(due: Due[], busy: Map<string, { projectId: number }>, callsAtOnce: number): Due[] {
  const ofProject = new Map<number, number>();
  for (const { projectId } of busy.values()) ofProject.set(projectId, (ofProject.get(projectId) ?? 0) + 1);
  const chosen: Due[] = [];
  for (const one of due.toSorted((a, b) => a.waitsSince - b.waitsSince)) {
    const others = ofProject.get(one.projectId) ?? 0;
    if (busy.has(one.key) || others >= maxOfProject || busy.size + chosen.length >= callsAtOnce) continue;
    ofProject.set(one.projectId, others + 1);
    chosen.push(one);
  }
  return chosen;
}

/** A database that does not answer is left alone for the rest of the run, and keeps nobody from the others. */
async function findDue(
  platform: Platform,
  kinds: readonly OutboundCalls[],
  databases: Set<Db>,
  parts: Parts,
): Promise<Due[]> {
  const due: Due[] = [];
  const look = (db: Db) =>
    parts.run(async () => {
      databases.delete(db);
      const now = platform.clock().getTime();
      await Promise.all(
        kinds.map(async (calls) => {
          const found = await calls.findDue(db, now);
          due.push(...found.map((one) => ({ ...one, calls, key: `${calls.kind} ${one.projectId} ${one.name}` })));
        }),
      );
      databases.add(db);
    });
  await Promise.all([...databases].map(look));
  return due;
}

/** The end of a turn (false), or the time to look for others (true). When the run is over, only turns end. */
async function nextEvent(turns: Promise<void>[], isOver: boolean): Promise<boolean> {
  if (isOver) {
    await Promise.all(turns);
    return true;
  }
  let timer: ReturnType<typeof setTimeout> | undefined;
  const look = new Promise<boolean>((resolve) => {
    timer = setTimeout(() => resolve(true), lookAgainMs);
  });
  const isTime = await Promise.race([...turns.map((turn) => turn.then(() => false)), look]);
  clearTimeout(timer);
  return isTime;
}
