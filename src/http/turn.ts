import { Unavailable } from "../core/errors";

/**
 * How many large requests one isolate works on at a time. A body of 10 MB of attachments is held as text, as parsed
 * strings and as what goes to R2, and all requests of an isolate share 128 MB.
 */
const atOnce = 2;
const lookEveryMs = 20;
const patienceMs = 35_000;

/** A turn is given back by itself after this: a request that its caller cut off never says that it is over. */
const longestTurnMs = 30_000;

/** When each turn that is taken began. */
const turns = new Map<symbol, number>();

/**
 * Waits for a turn, does the work, and gives the turn back. Looks again and again rather than being told, as one
 * request cannot wake another one on Workers. Throws Unavailable when it takes too long.
 */
export async function inTurn<T>(work: () => Promise<T>): Promise<T> {
  for (let waitedMs = 0; turnsTaken() >= atOnce; waitedMs += lookEveryMs) {
    if (waitedMs >= patienceMs) throw busy();
    await new Promise((resolve) => setTimeout(resolve, lookEveryMs));
  }
  const turn = Symbol("turn");
  turns.set(turn, Date.now());
  try {
    return await work();
  } finally {
    turns.delete(turn);
  }
}

function turnsTaken(): number {
  for (const [turn, since] of turns) if (Date.now() - since >= longestTurnMs) turns.delete(turn);
  return turns.size;
}

function busy(): Unavailable {
  return new Unavailable("Too many large requests are being worked on.", {
    retryAfterSeconds: 1,
    suggestion: "Send large attachments a few at a time.",
  });
}
