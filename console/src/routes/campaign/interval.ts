/** In a normal distribution, 95 of 100 cases are within this many standard deviations. */
const deviations = 1.96;

/**
 * Returns the range that contains the true rate in 95 of 100 cases, from 0 to 1. Uses Wilson's score interval, which
 * also holds for few cases and for rates near 0.
 */
export function intervalOf(hits: number, cases: number): { low: number; high: number } {
  if (cases === 0) return { low: 0, high: 1 };
  const rate = Math.min(1, hits / cases);
  const square = deviations ** 2 / cases;
  const middle = (rate + square / 2) / (1 + square);
  const reach = (deviations * Math.sqrt((rate * (1 - rate)) / cases + square / (4 * cases))) / (1 + square);
  return { low: Math.max(0, middle - reach), high: Math.min(1, middle + reach) };
}
