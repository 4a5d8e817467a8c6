/**
 * Gives other requests a chance to run. Locally, the database is in this very process, and a busy job would block them.
 */
export async function letOthersIn(): Promise<void> {
  await new Promise((resolve) => setTimeout(resolve, 0));
}

/**
 * A request waits for its turn at each of its steps, of which it has ten or more, and several works may compute at once: so no
 * slice takes longer.
 */
const sliceMs = 5;

/**
 * Cuts long computing into slices. Call the returned function at every place where others may run; it lets them, once the
 * slice is over.
 */
export function openSlices(): () => Promise<void> {
  let endsAt = performance.now() + sliceMs;
  return async () => {
    if (performance.now() < endsAt) return;
    await letOthersIn();
    endsAt = performance.now() + sliceMs;
  };
}

const begun = new Map<object, number>();
/** Who has a turn for so long has died with it, or waits for something that takes no time of this isolate. */
const longestTurnMs = 2_000;
const askAgainMs = 5;

/**
 * Waits until fewer than `atOnce` others have a turn in this isolate, and takes one; the returned function gives it back.
 * Objects that are busy all at once share one thread: a request in between would wait for each of them at each of its
 * own steps. They ask again and again, because a promise of one object must not depend on another.
 */
export async function takeTurn(atOnce: number): Promise<() => void> {
  for (;;) {
    const now = performance.now();
    for (const [turn, since] of begun) if (now - since > longestTurnMs) begun.delete(turn);
    if (begun.size < atOnce) {
      const turn = {};
      begun.set(turn, now);
      return () => void begun.delete(turn);
    }
    await new Promise((resolve) => setTimeout(resolve, askAgainMs));
  }
}
