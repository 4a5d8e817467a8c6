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
