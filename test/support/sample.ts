import { inject } from "vitest";

declare module "vitest" {
  interface ProvidedContext {
    /** The number of commits, by which a run chooses its part of many cases. */
    turn: number;
    isDeep: boolean;
  }
}

/**
 * Every third of many cases that are alike, so that a run takes minutes: another third with each commit. `npm test -- --deep` has
 * all of them.
 */
export function sample<Case>(cases: readonly Case[], { of = 3 } = {}): Case[] {
  if (inject("isDeep")) return [...cases];
  return cases.filter((_, index) => index % of === inject("turn") % of);
}
