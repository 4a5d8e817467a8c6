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

/** A body or a mail larger than this needs a memory slot. */
export const slotBytes = 4 * 1024 * 1024;

/** The start time of each taken slot. */
const slots = new Map<symbol, number>();

export interface TakenSlot {
  giveBack(): void;
}

/**
 * Waits for a memory slot; null when none becomes free in time. It polls, because one request cannot wake another one
 * on Workers.
 */
export async function takeSlot(patienceMs: number): Promise<TakenSlot | null> {
  for (let waitedMs = 0; slotsTaken() >= atOnce; waitedMs += lookEveryMs) {
    if (waitedMs >= patienceMs) return null;
    await new Promise((resolve) => setTimeout(resolve, lookEveryMs));
  }
  const slot = Symbol("slot");
  slots.set(slot, Date.now());
  return { giveBack: () => slots.delete(slot) };
}

function slotsTaken(): number {
  for (const [slot, since] of slots) if (Date.now() - since >= longestSlotMs) slots.delete(slot);
  return slots.size;
}
