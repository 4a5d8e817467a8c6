import { secondMs } from "../core/time";

/**
 * The number of memory slots: how many large requests and deliveries one isolate works on at the same time. A mail with
 * 10 MB of files is in memory as parsed text and as the file for R2, or as the file from R2 and as the complete
 * message; all work of an isolate shares 128 MB.
 */
const atOnce = 2;
const lookEveryMs = 20;

/** A memory slot becomes free by itself after this: a request that its caller cut off never gives its slot back. */
const longestSlotMs = 30 * secondMs;

/** Whoever waits looks every few milliseconds. Who has not looked for this long was cut off. */
const goneAfterMs = 2 * secondMs;

/** A body or a mail larger than this needs a memory slot. */
export const slotBytes = 4 * 1024 * 1024;

interface Entry {
  project: number;
  /** When it was taken; of one who waits, when it last looked. */
  since: number;
}

const slots = new Set<Entry>();

/** Those who wait, the longest first. */
const waiting = new Set<Entry>();

export interface TakenSlot {
  giveBack(): void;
}

/**
 * Waits for a memory slot; null when none becomes free in time. A project has one at a time, so that it cannot keep
 * the others out; of those that may have one, the first that came gets it. It polls, because one request cannot wake
 * another one on Workers.
 */
export async function takeSlot(project: number, patienceMs: number): Promise<TakenSlot | null> {
  const entry: Entry = { project, since: Date.now() };
  waiting.add(entry);
  try {
    for (let waitedMs = 0; !isNext(entry); waitedMs += lookEveryMs) {
      if (waitedMs >= patienceMs) return null;
      await new Promise((resolve) => setTimeout(resolve, lookEveryMs));
      entry.since = Date.now();
    }
    slots.add(entry);
    return { giveBack: () => slots.delete(entry) };
  } finally {
    waiting.delete(entry);
  }
}

function isNext(entry: Entry): boolean {
  dropOlder(slots, longestSlotMs);
  dropOlder(waiting, goneAfterMs);
  if (slots.size >= atOnce) return false;
  const busy = new Set([...slots].map(({ project }) => project));
  const first = [...waiting].find(({ project }) => !busy.has(project));
  // One that was dropped by mistake, after a long stop of the isolate, goes without its place.
  return first === entry || (first === undefined && !busy.has(entry.project));
}

function dropOlder(entries: Set<Entry>, ms: number): void {
  const now = Date.now();
  for (const entry of entries) if (now - entry.since >= ms) entries.delete(entry);
}
