import { Unavailable } from "../core/errors";

/**
 * How many large requests one isolate works on at a time. A body of 10 MB of attachments is held as text, as parsed
 * strings and as what goes to R2, and all requests of an isolate share 128 MB.
 */
const atOnce = 2;
const lookEveryMs = 20;
const patienceMs = 20_000;

let working = 0;

/**
 * Waits for a turn, does the work, and gives the turn back. Looks again and again rather than being told, as one
 * request cannot wake another one on Workers. Throws Unavailable when it takes too long.
 */
export async function inTurn<T>(work: () => Promise<T>): Promise<T> {
  for (let waitedMs = 0; working >= atOnce; waitedMs += lookEveryMs) {
    if (waitedMs >= patienceMs) throw busy();
    await new Promise((resolve) => setTimeout(resolve, lookEveryMs));
  }
  working++;
  try {
    return await work();
  } finally {
    working--;
  }
}

function busy(): Unavailable {
  return new Unavailable("Too many large requests are being worked on.", {
    retryAfterSeconds: 1,
    suggestion: "Send large attachments a few at a time.",
  });
}
