import type { Cpu } from "../core/cpu";

/**
 * Gives other requests a chance to run. Locally, the database is in this very process, and a busy job would block them.
 */
export async function letOthersIn(): Promise<void> {
  await new Promise((resolve) => setTimeout(resolve, 0));
}

/**
 * Some five milliseconds: a request waits for its turn at each of its steps, of which it has ten or more, and several works
 * may compute at once. Counted in units, because the clock stands still within a slice.
 */
const sliceUnits = 500_000;

/** Long computing, cut into slices between which others run. */
export interface Slices {
  /** Counts what was computed. */
  spend(units: number): void;
  /** Called at every place where others may run: lets them, once the slice is over. */
  between(): Promise<void>;
}

/** Slices count for the invocation, too. */
export function openSlices(cpu: Cpu): Slices {
  let spent = 0;
  return {
    spend: (units) => {
      spent += units;
      cpu.spend(units);
    },
    between: async () => {
      if (spent < sliceUnits) return;
      await letOthersIn();
      spent = 0;
    },
  };
}

/** Who asks for a turn, in order, and who has one: when each was last heard of. */
const asking = new Map<object, number>();
const begun = new Map<object, number>();
/** Who was not heard of for so long has died, or waits for something that takes no time of this isolate. */
const silenceMs = 500;
const askAgainMs = 5;
const longestPauseMs = 200;

/**
 * Waits until fewer than `atOnce` others have a turn in this isolate, and takes one; the returned function gives it back.
 * Objects that are busy all at once share one thread: a request in between would wait for each of them at each of its
 * own steps. They ask again and again, because a promise of one object must not depend on another; who is far behind asks
 * less often, as asking takes time too.
 */
export async function takeTurn(atOnce: number): Promise<() => void> {
  const turn = {};
  for (;;) {
    const now = performance.now();
    forgetSilent(asking, now);
    forgetSilent(begun, now);
    asking.set(turn, now);
    const before = [...asking.keys()].indexOf(turn) + begun.size;
    if (before < atOnce) {
      asking.delete(turn);
      begun.set(turn, now);
      return () => void begun.delete(turn);
    }
    const pauseMs = Math.min((before - atOnce + 1) * askAgainMs, longestPauseMs);
    await new Promise((resolve) => setTimeout(resolve, pauseMs));
  }
}

function forgetSilent(turns: Map<object, number>, now: number): void {
  for (const [turn, since] of turns) if (now - since > silenceMs) turns.delete(turn);
}
