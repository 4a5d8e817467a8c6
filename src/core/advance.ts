import { dayMs, hourMs, minuteMs, secondMs } from "./time";

const unitMs: Record<string, number> = { s: secondMs, m: minuteMs, h: hourMs, d: dayMs, w: 7 * dayMs };

/** Parses a duration such as `36h` into milliseconds. Null when the text is not a duration. */
export function readLength(text: string): number | null {
  const [, amount, unit = ""] = /^([1-9]\d{0,8})([smhdw])$/.exec(text) ?? [];
  const ms = unitMs[unit];
  return amount === undefined || ms === undefined ? null : Number(amount) * ms;
}
