import { inject } from "vitest";

declare module "vitest" {
  interface ProvidedContext {
    /** Grows with the commits: a run chooses its part of many cases by it. */
    turn: number;
    isDeep: boolean;
    /** How long the simulation plays new seeds. */
    seedMinutes: string;
  }
}

/** A run has all cases, however alike they are. */
export const isDeep = inject("isDeep");

/**
 * Every third of many cases that are alike, so that a run takes minutes: another third with each commit. `npm test -- --deep` has
 * all of them. Paths with the same cases have other ones in the same run when each has a `name` of its own. Cases within a case
 * of which only each third run has one have another part with every third commit: `every`.
 */
export function sample<Case>(cases: readonly Case[], { of = 3, name = "", every = 1 } = {}): Case[] {
  if (isDeep) return [...cases];
  const begin = Math.floor(inject("turn") / every);
  const turn = [...name].reduce((sum, letter) => sum + (letter.codePointAt(0) ?? 0), begin);
  return cases.filter((_, index) => index % of === turn % of);
}
