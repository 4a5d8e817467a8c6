/**
 * Every third of many cases that are alike, so that a run takes minutes: another third with each commit. `npm test -- --deep` has
 * all of them.
 */
export function sample<Case>(cases: readonly Case[], { of = 3 } = {}): Case[] {
  if (process.env.PETREL_TEST_DEEP) return [...cases];
  const turn = Number(process.env.PETREL_TEST_TURN || 0);
  return cases.filter((_, place) => place % of === turn % of);
}
