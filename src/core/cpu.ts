/**
 * CPU is counted in units of about ten nanoseconds, because on Workers every clock stands still while code computes.
 * `core/templating/budget.ts` counts those of a rendering. Measured: a rendering of 10,000,000 units takes 80 ms at most.
 */
const unitsPerMs = 100_000;

/**
 * The most that one invocation computes for tenants. The platform ends it at 60 s of CPU, and a call of an object at 30 s. The
 * work under way when this is reached may be as much again, and the machine three times as slow as the measured one.
 */
const unitsPerInvocation = 10_000 * unitsPerMs;

/** The CPU of one invocation. A loop that computes ends by it, where a clock would never end it. */
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

/** A part of it: what is spent counts for both, and either may be spent. */
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
