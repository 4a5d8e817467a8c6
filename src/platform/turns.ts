import { secondMs } from "../core/time";

/**
 * How many large things one isolate works on at a time, requests and deliveries together. A mail with 10 MB of files is
 * held as parsed text and as what goes to R2, or as what came from there and as a finished message; and all that an
 * isolate does shares 128 MB.
 */
const atOnce = 2;
const lookEveryMs = 20;

/** A turn is given back by itself after this: a request that its caller cut off never says that it is over. */
const longestTurnMs = 30 * secondMs;

/** Above this, a body or a mail counts as such a thing. */
export const turnBytes = 4 * 1024 * 1024;

/** When each turn that is taken began. */
const turns = new Map<symbol, number>();

export interface TakenTurn {
  giveBack(): void;
}

/**
 * Waits for a turn; null when none comes in time. Looks again and again rather than being told, as one request cannot
 * wake another one on Workers.
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
