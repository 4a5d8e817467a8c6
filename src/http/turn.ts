import { TooSlow, Unavailable } from "../core/errors";
import { secondMs } from "../core/time";

/**
 * How many large requests one isolate works on at a time. A body of 10 MB of attachments is held as text, as parsed
 * strings and as what goes to R2, and all requests of an isolate share 128 MB.
 */
const atOnce = 2;
const lookEveryMs = 20;
const patienceMs = 35 * secondMs;

/** What the rest of a body may take from when its request has its turn: 10 MB at 8 Mbit/s. */
const readingMs = 10 * secondMs;

/** A turn is given back by itself after this: a request that its caller cut off never says that it is over. */
const longestTurnMs = 30 * secondMs;

/** When each turn that is taken began. */
const turns = new Map<symbol, number>();

/** The turn of one request. Most are small and never take it. */
export interface Turn {
  /** Waits until it is this one's turn, unless it has come. Throws Unavailable when that takes too long. */
  take(): Promise<void>;
  /** Waits for a part of the body. Throws TooSlow when a turn was taken and the body is late. */
  inTime<T>(part: Promise<T>): Promise<T>;
  giveBack(): void;
}

export function openTurn(): Turn {
  const turn = Symbol("turn");
  let late: Promise<never> | null = null;
  let timer: ReturnType<typeof setTimeout> | undefined;
  return {
    async take() {
      if (late) return;
      await untilOneIsFree();
      turns.set(turn, Date.now());
      late = new Promise((_, reject) => {
        timer = setTimeout(() => reject(new TooSlow(readingMs / secondMs)), readingMs);
      });
      // By then the body may have arrived, and nobody listens.
      late.catch(() => {});
    },
    inTime: (part) => (late ? Promise.race([part, late]) : part),
    giveBack() {
      clearTimeout(timer);
      turns.delete(turn);
    },
  };
}

/** Looks again and again rather than being told, as one request cannot wake another one on Workers. */
async function untilOneIsFree(): Promise<void> {
  for (let waitedMs = 0; turnsTaken() >= atOnce; waitedMs += lookEveryMs) {
    if (waitedMs >= patienceMs) throw busy();
    await new Promise((resolve) => setTimeout(resolve, lookEveryMs));
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
