import { toValue } from "liquidjs";

/**
 * Converts an argument to a number: 0 when it is not numeric, undefined when it is not given. liquidjs counts and
 * compares with arguments unconverted, so it would parse a text of 60,000 digits again at each step of a loop.
 */
export function asNumber(value: unknown): number | undefined {
  const plain: unknown = toValue(value);
  if (plain === undefined) return undefined;
  // Lists and objects count as 0: Number() would first turn them into text, which may be much longer than the value.
  return typeof plain === "object" ? 0 : Number(plain) || 0;
}
