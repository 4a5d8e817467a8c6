import { Unavailable } from "../core/errors";
import { secondMs } from "../core/time";

/**
 * The number of memory slots: how many large requests and deliveries one isolate processes at the same time. An email
 * with 10 MB of files is in memory twice: as parsed text and as the file for R2 when it is accepted, and as the file
 * from R2 and as the complete message when it is delivered. All work of an isolate shares 128 MB.
 */
const atOnce = 2;
const pollEveryMs = 20;

/** A slot is freed after this time, because a request that was cut off never returns its slot. */
const longestSlotMs = 30 * secondMs;

/** Waiting work polls every few milliseconds. An entry that has not polled for this long was cut off. */
const goneAfterMs = 2 * secondMs;

/** A body or an email larger than this needs a memory slot. */
export const slotBytes = 4 * 1024 * 1024;

/** How long a request waits for a memory slot. */
export const patienceMs = 35 * secondMs;

interface SlotEntry {
  project: number;
  /** When the slot was taken or, for waiting work, when it last polled. */
  since: number;
}

const slots = new Set<SlotEntry>();

/** Waiting entries, in the order in which they asked. */
const waiting = new Set<SlotEntry>();

export interface TakenSlot {
  giveBack(): void;
}

/**
 * Waits for a memory slot; returns null when none becomes free in time. A project has at most one slot, so that it
 * cannot keep others out. Projects without a slot are served in the order in which they asked. Waiting work polls,
 * because one request cannot wake another on Workers.
 */
export async function takeSlot(project: number, patienceMs: number): Promise<TakenSlot | null> {
  const entry: SlotEntry = { project, since: Date.now() };
  waiting.add(entry);
  try {
    for (let waitedMs = 0; !isNext(entry); waitedMs += pollEveryMs) {
      if (waitedMs >= patienceMs) return null;
      await new Promise((resolve) => setTimeout(resolve, pollEveryMs));
      entry.since = Date.now();
    }
    slots.add(entry);
    return { giveBack: () => slots.delete(entry) };
  } finally {
    waiting.delete(entry);
  }
}

/** Does work that needs a memory slot. Throws Unavailable when none becomes free in time. */
export async function inSlot<T>(project: number, work: () => Promise<T>): Promise<T> {
  const slot = await takeSlot(project, patienceMs);
  if (!slot) throw busy();
  try {
    return await work();
  } finally {
    slot.giveBack();
  }
}

export function busy(): Unavailable {
  return new Unavailable("Too many large requests are being processed at the same time.", {
    retryAfterSeconds: 1,
    suggestion: "Try again, and send fewer large requests at a time.",
  });
}

function isNext(entry: SlotEntry): boolean {
  dropOlder(slots, longestSlotMs);
  dropOlder(waiting, goneAfterMs);
  if (slots.size >= atOnce) return false;
  const busy = new Set([...slots].map(({ project }) => project));
  const first = [...waiting].find(({ project }) => !busy.has(project));
  // An entry may have been dropped by mistake, if the isolate was stopped for a while. It then takes a slot only when
  // no other entry can take it.
  return first === entry || (first === undefined && !busy.has(entry.project));
}

function dropOlder(entries: Set<SlotEntry>, ms: number): void {
  const now = Date.now();
  for (const entry of entries) if (now - entry.since >= ms) entries.delete(entry);
}
