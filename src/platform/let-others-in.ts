import type { Cpu } from "../core/cpu";

/**
 * Gives other requests a chance to run. In local development the database is in this process, and a busy job would
 * block it.
 */
export async function letOthersIn(): Promise<void> {
  await new Promise((resolve) => setTimeout(resolve, 0));
}

/**
 * The units of work in a slice, which takes about five milliseconds. Slices are short because a request waits for one
 * slice at each of its ten or more steps, and several tasks may compute at once. A slice is measured in units of work,
 * because the clock stands still while code computes.
 */
const sliceUnits = 500_000;

/** A long computation, cut into slices between which other work runs. */
export interface Slices {
  /** Counts units of work that have been done. */
  spend(units: number): void;
  /** Called between two pieces of work. Lets other requests run once the slice is used up. */
  between(): Promise<void>;
}

/** Opens slices whose units also count towards the invocation's CPU budget. */
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
