import { TooSlow, Unavailable } from "../core/errors";
import { secondMs } from "../core/time";
import { type TakenTurn, takeTurn } from "../platform/turns";

const patienceMs = 35 * secondMs;

/** What the rest of a body may take once its request has its turn: 14 MB at 8 Mbit/s. */
const readingMs = 15 * secondMs;

/** A request that takes a turn if it turns out to be large. Most never do. */
export interface Turn {
  /** Waits for the turn, unless it is there. Throws Unavailable when none comes. */
  take(): Promise<void>;
  /** Waits for a part of the body. Throws TooSlow when the body is late, as others wait for the turn. */
  inTime<T>(part: Promise<T>): Promise<T>;
  giveBack(): void;
}

export function openTurn(): Turn {
  let turn: TakenTurn | null = null;
  let late: Promise<never> | null = null;
  let timer: ReturnType<typeof setTimeout> | undefined;
  return {
    async take() {
      if (turn) return;
      turn = await takeTurn(patienceMs);
      if (!turn) throw busy();
      late = new Promise((_, reject) => {
        timer = setTimeout(() => reject(new TooSlow(readingMs / secondMs)), readingMs);
      });
      // By then the body may have arrived, and nobody listens.
      late.catch(() => {});
    },
    inTime: (part) => (late ? Promise.race([part, late]) : part),
    giveBack() {
      clearTimeout(timer);
      turn?.giveBack();
    },
  };
}

function busy(): Unavailable {
  return new Unavailable("Too many large requests are being processed at the same time.", {
    retryAfterSeconds: 1,
    suggestion: "Try again, and send fewer requests with large attachments at a time.",
  });
}
