import { secondMs } from "../core/time";

/**
 * The number of memory slots: how many large requests and deliveries one isolate works on at the same time. A mail with
 * 10 MB of files is in memory as parsed text and as the file for R2, or as the file from R2 and as the complete
 * message; all work of an isolate shares 128 MB.
 */
const atOnce = 2;
const lookEveryMs = 20;

/** A memory slot becomes free by itself after this: a request that its caller cut off never gives its slot back. */
const longestTurnMs = 30 * secondMs;

/** A body or a mail larger than this needs a memory slot. */
export const turnBytes = 4 * 1024 * 1024;

/** The start time of each taken slot. */
const turns = new Map<symbol, number>();

export interface TakenTurn {
  giveBack(): void;
}

/**
 * Waits for a memory slot; null when none becomes free in time. It polls, because one request cannot wake another one
 * on Workers.
 */
export async function takeTurn(patienceMs: number): Promise<TakenTurn | null> {
  for (let waitedMs = 0; turnsTaken() >= atOnce; waitedMs += lookEveryMs) {
    if (waitedMs >= patienceMs) return null;
    await new Promise((resolve) => setTimeout(resolve, lookEveryMs));
  }
  const turn = Symbol("turn");
  turns.set(turn, Date.now());
  return { giveBack: () => turns.delete(turn) };
}

function turnsTaken(): number {
  for (const [turn, since] of turns) if (Date.now() - since >= longestTurnMs) turns.delete(turn);
  return turns.size;
}
