import type { Id } from "../ids";
import type { Lane } from "./message";
import { laneOf, type Priority, priorities } from "./priority";

/**
 * Projects with waiting mail, in the order of their turns. No operation becomes slower when more projects wait: each
 * lane has a ring of its own, and the numbers of their turns show which of two projects comes first.
 */
export interface Ring {
  projects: Map<number, Waiting>;
  lanes: Record<Lane, Map<number, Waiting>>;
  turns: number;
}

/** A position in a project's waiting mail of one priority: that of the last mail read. */
export interface MailCursor {
  dueAt: number;
  id: Id;
}

export interface Waiting {
  project: number;
  turn: number;
  /** The calls that the project may make before the next project's turn (deficit round robin). */
  deficit: number;
  mail: Map<Priority, WaitingMail>;
  /** Whether a consumer died while handling the project's mail, so that the next consumers handle each email alone. */
  isSuspect: boolean;
}

interface WaitingMail {
  /** The position after which to continue reading; null at the beginning. */
  cursor: MailCursor | null;
  /**
   * The permit of the drainer (a consumer of waiting mail) that is reading this email; null when none is. A second
   * drainer would read the same mail.
   */
  reader: string | null;
  /**
   * Whether new mail has arrived since reading began. New mail may be before the cursor, so reading starts over once it
   * has reached the end.
   */
  hasNew: boolean;
}

export function newRing(): Ring {
  return { projects: new Map(), lanes: { transactional: new Map(), campaign: new Map() }, turns: 0 };
}

/**
 * Records that a project has waiting mail. New mail usually comes after the mail that waits already, so the cursor
 * stays (`from` is `cursor`). Mail that comes back may be before the cursor, so reading starts over (`from` is
 * `beginning`), and a consumer that is reading now can no longer move the cursor.
 */
export function join(ring: Ring, project: number, priority: Priority, from: "cursor" | "beginning"): void {
  const waiting = ring.projects.get(project) ?? enter(ring, project);
  const known = waiting.mail.get(priority);
  if (known && from === "cursor") known.hasNew = true;
  else waiting.mail.set(priority, { cursor: null, reader: null, hasNew: false });
  const lane = ring.lanes[laneOf(priority)];
  if (!lane.has(project)) lane.set(project, waiting);
}

function enter(ring: Ring, project: number): Waiting {
  const waiting = { project, turn: ++ring.turns, deficit: 0, mail: new Map(), isSuspect: false };
  ring.projects.set(project, waiting);
  return waiting;
}

export function leave(ring: Ring, project: number, priority: Priority): void {
  const waiting = ring.projects.get(project);
  if (!waiting) return;
  waiting.mail.delete(priority);
  const lane = laneOf(priority);
  if (![...waiting.mail.keys()].some((each) => laneOf(each) === lane)) ring.lanes[lane].delete(project);
  if (waiting.mail.size === 0) ring.projects.delete(project);
}

export function moveToEnd(ring: Ring, waiting: Waiting): void {
  waiting.turn = ++ring.turns;
  for (const lane of Object.values(ring.lanes)) {
    if (lane.delete(waiting.project)) lane.set(waiting.project, waiting);
  }
}

/**
 * Returns the first project with mail in these lanes that no drainer is reading, and the most urgent priority of that
 * mail.
 */
export function firstOf(ring: Ring, lanes: readonly Lane[]): { waiting: Waiting; priority: Priority } | null {
  const isFree = ({ mail }: Waiting, priority: Priority) => mail.get(priority)?.reader === null;
  const first = lanes
    .flatMap((lane) => {
      // Skips only projects whose mail drainers are reading, at most one project per permit, so the loop is short.
      for (const waiting of ring.lanes[lane].values()) {
        if (priorities.some((each) => laneOf(each) === lane && isFree(waiting, each))) return [waiting];
      }
      return [];
    })
    .reduce<Waiting | null>((best, each) => (best === null || each.turn < best.turn ? each : best), null);
  const priority = first && priorities.find((each) => lanes.includes(laneOf(each)) && isFree(first, each));
  return first === null || priority == null ? null : { waiting: first, priority };
}

/** Records the position up to which a reader has read. `cursor` is null when there is no more mail. */
export function readTo(
  ring: Ring,
  project: number,
  priority: Priority,
  reader: string,
  cursor: MailCursor | null,
): void {
  const mail = ring.projects.get(project)?.mail.get(priority);
  if (!mail || mail.reader !== reader) return;
  mail.reader = null;
  mail.cursor = cursor;
  if (cursor !== null) return;
  if (mail.hasNew) mail.hasNew = false;
  else leave(ring, project, priority);
}

/** Releases the reader's claim when the reader ends without reporting a position. */
export function stopReading(ring: Ring, project: number, priority: Priority, reader: string): void {
  const mail = ring.projects.get(project)?.mail.get(priority);
  if (mail?.reader === reader) mail.reader = null;
}
