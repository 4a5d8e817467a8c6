import { toValue } from "liquidjs";

/**
 * Turns an argument into the number that it means: 0 when it means none, undefined when it is not given. liquidjs
 * counts and compares with arguments as they are, so it would read a text of 60,000 digits again at each step of a loop.
 */
export function asNumber(value: unknown): number | undefined {
  const plain: unknown = toValue(value);
  if (plain === undefined) return undefined;
  // The number of a list or an object is that of its text, which may be much longer than the value.
  return typeof plain === "object" ? 0 : Number(plain) || 0;
}
