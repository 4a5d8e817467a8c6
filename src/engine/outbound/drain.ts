import type { SQL } from "drizzle-orm";
import type { QueueMessage } from "../../core/messages";
import { secondMs } from "../../core/time";
import type { Db } from "../../db/client";
import { type Context, forProject, inRealTime, type Platform } from "../../platform/context";
import { openParts } from "../../platform/sweep";
import { findProject } from "../projects/project";
import type { OutboundTables } from "./rows";

/**
 * The length of a run. After it, or when the invocation's statements are used up, another message continues the work.
 * Calls in progress may take ten more seconds, during which other receivers still get turns.
 */
const runMs = 20 * secondMs;
/** The pause between two searches for due receivers while a call is in progress. */
const pollMs = 500;
/**
 * The maximum number of receivers of one project that are called at the same time, so that one project cannot take up
 * all calls.
 */
const maxPerProject = 2;

/** A due receiver of calls. */
export interface Receiver {
  projectId: number;
  /** The name of the receiver, which is unique within its kind and its project. */
  name: string;
  /**
   * The time since which the receiver has been due, in milliseconds since 1970. The receiver that waits longest goes
   * first.
   */
  waitsSince: number;
}

/** A kind of outbound call to URLs of tenants, such as deliveries to webhooks. */
export interface OutboundCalls {
  kind: string;
  rows: OutboundTables;
  /** The message that announces due calls of this kind. */
  message: QueueMessage;
  /** Returns a FROM clause with a condition that selects rows of receivers, including all that are due. */
  waiting(now: number): SQL;
  findDue(db: Db, now: number, limit?: number): Promise<Receiver[]>;
  /**
   * Makes some calls to a receiver, one after the other. Stops after a time limit, and earlier when the run is over.
   */
  takeTurn(ctx: Context, name: string, isOver: () => boolean): Promise<void>;
}

type Parts = ReturnType<typeof openParts>;

interface DueReceiver extends Receiver {
  calls: OutboundCalls;
  key: string;
}

/**
 * Makes the due calls of all projects and kinds until none is left. A run has at most one call to each receiver in
 * progress, but several runs may call the same receiver, each for its own calls. While one receiver is slow, others get
 * turns, because this consumer may be the only one. When the run's time is up, it sends the message `again`.
 */
export async function drainOutbound(
  platform: Platform,
  kinds: readonly OutboundCalls[],
  again: QueueMessage,
): Promise<void> {
  const until = platform.clock().getTime() + runMs;
  const isLate = () => platform.clock().getTime() >= until || !platform.spent.hasLeft();
  const busy = new Map<string, { projectId: number; isExtra: boolean; turn: Promise<void> }>();
  // A turn that hangs past the limit keeps this consumer alive anyway, so the consumer continues to serve other
  // receivers.
  const isOver = () => isLate() && [...busy.values()].every(({ isExtra }) => isExtra);
  /** Receivers whose project was deleted or whose turn failed: another run may try them. */
  const ignored = new Set<string>();
  const parts = openParts();
  const databases = new Set(platform.databases);
  /**
   * Kinds that had no due receivers when this run last looked. They are checked again only by the timer, and not after
   * each turn.
   */
  let idle = new Set<OutboundCalls>();
  let isPollDue = true;
  for (;;) {
    const checked = kinds.filter((calls) => isPollDue || busy.size === 0 || !idle.has(calls));
    const isFull = isOver() || busy.size >= platform.callsAtOnce;
    const due = isFull ? [] : await findDue(platform, checked, databases, parts);
    if (!isFull) idle = new Set(kinds.filter((calls) => !due.some((receiver) => receiver.calls === calls)));
    const callable = due.filter(({ key }) => !ignored.has(key));
    for (const receiver of chooseNext(callable, busy, platform.callsAtOnce)) {
      const { key, projectId } = receiver;
      ignored.add(key);
      const isExtra = isLate();
      const turn = parts
        .run(async () => {
          if (await takeTurn(platform, receiver, isExtra ? isOver : isLate)) ignored.delete(key);
        })
        .finally(() => busy.delete(key));
      busy.set(key, { projectId, isExtra, turn });
    }
    // The last look found nothing that this run may call, and no turn is open, so the run ends.
    if (busy.size === 0) break;
    const turnsNow = [...busy.values()].map(({ turn }) => turn);
    isPollDue = await nextEvent(turnsNow, isOver());
  }
  if (isLate()) await platform.enqueue([{ message: again }]);
  parts.end();
}

/** Takes one turn of a receiver. Returns false when its project was deleted. */
async function takeTurn(
  platform: Platform,
  { calls, projectId, name }: DueReceiver,
  isOver: () => boolean,
): Promise<boolean> {
  const project = await findProject(platform, projectId);
  if (project) await calls.takeTurn(inRealTime(forProject(platform, project)), name, isOver);
  return project !== null;
}

/** Chooses the receivers that wait longest, within the limits on concurrent calls. */
function chooseNext(due: DueReceiver[], busy: Map<string, { projectId: number }>, callsAtOnce: number): DueReceiver[] {
  const perProject = new Map<number, number>();
  for (const { projectId } of busy.values()) perProject.set(projectId, (perProject.get(projectId) ?? 0) + 1);
  const chosen: DueReceiver[] = [];
  for (const receiver of due.toSorted((a, b) => a.waitsSince - b.waitsSince)) {
    const others = perProject.get(receiver.projectId) ?? 0;
    if (busy.has(receiver.key) || others >= maxPerProject || busy.size + chosen.length >= callsAtOnce) continue;
    perProject.set(receiver.projectId, others + 1);
    chosen.push(receiver);
  }
  return chosen;
}

/** Finds the due receivers in all databases. A database that does not answer is skipped for the rest of the run. */
async function findDue(
  platform: Platform,
  kinds: readonly OutboundCalls[],
  databases: Set<Db>,
  parts: Parts,
): Promise<DueReceiver[]> {
  const due: DueReceiver[] = [];
  const look = (db: Db) =>
    parts.run(async () => {
      databases.delete(db);
      const now = platform.clock().getTime();
      await Promise.all(
        kinds.map(async (calls) => {
          const found = await calls.findDue(db, now);
          due.push(
            ...found.map((receiver) => ({
              ...receiver,
              calls,
              key: `${calls.kind} ${receiver.projectId} ${receiver.name}`,
            })),
          );
        }),
      );
      databases.add(db);
    });
  await Promise.all([...databases].map(look));
  return due;
}

/** Waits for the end of a turn (false) or for the next poll (true). When the run is over, waits for all turns. */
async function nextEvent(turns: Promise<void>[], isOver: boolean): Promise<boolean> {
  if (isOver) {
    await Promise.all(turns);
    return true;
  }
  let timer: ReturnType<typeof setTimeout> | undefined;
  const look = new Promise<boolean>((resolve) => {
    timer = setTimeout(() => resolve(true), pollMs);
  });
  const isTime = await Promise.race([...turns.map((turn) => turn.then(() => false)), look]);
  clearTimeout(timer);
  return isTime;
}
