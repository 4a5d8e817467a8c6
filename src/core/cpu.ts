/**
 * CPU is counted in units of about ten nanoseconds, because on Workers every clock stands still while code computes.
 * `core/templating/budget.ts` counts the units of a rendering. A rendering of 10,000,000 units was measured to take at
 * most 80 ms.
 */
const unitsPerMs = 100_000;

/**
 * The maximum number of units that one invocation may compute for tenants: about 10 s. The platform ends an invocation
 * at 60 s of CPU, and a call of an object at 30 s. The difference leaves room for a slower machine, and for work that
 * continues a little after the limit is reached.
 */
const unitsPerInvocation = 10_000 * unitsPerMs;

/**
 * The CPU budget of one invocation. Loops that compute stop when it is spent, because no clock advances while they run.
 */
export interface Cpu {
  spend(units: number): void;
  isSpent(): boolean;
}

export function openCpu(maxUnits = unitsPerInvocation): Cpu {
  let left = maxUnits;
  return {
    spend: (units) => {
      left -= units;
    },
    isSpent: () => left <= 0,
  };
}

/** Returns a budget that is part of another. Units count for both, and the part is spent when either one is. */
export function partOf(whole: Cpu, maxUnits: number): Cpu {
  const part = openCpu(maxUnits);
  return {
    spend: (units) => {
      part.spend(units);
      whole.spend(units);
    },
    isSpent: () => part.isSpent() || whole.isSpent(),
  };
}
