import { dayMs, hourMs, minuteMs } from "../time";

export const units = ["days", "hours", "minutes"] as const;
export type Unit = (typeof units)[number];

const unitMs: Record<Unit, number> = { days: dayMs, hours: hourMs, minutes: minuteMs };

/** ISO 8601: a day, or a time with its zone. */
const isoDate = /^\d{4}-\d{2}-\d{2}(T\d{2}:\d{2}(:\d{2}(\.\d+)?)?(Z|[+-]\d{2}:\d{2}))?$/;
const isoDayLength = "2026-01-31".length;

/** The time a text means, in milliseconds since 1970: of a day, its UTC midnight. Null when it is no date. */
export function dateMs(text: string): number | null {
  const [fraction = ""] = isoDate.exec(text)?.slice(3) ?? [];
  // The fraction apart: SQLite rounds it, though never up to a whole second, and Date.parse cuts it off.
  const wholeSeconds =
    isoDate.test(text) && isDay(text.slice(0, isoDayLength)) ? Date.parse(text.replace(fraction, "")) : Number.NaN;
  return Number.isNaN(wholeSeconds) ? null : wholeSeconds + Math.min(999, Math.round(Number(`0${fraction}`) * 1000));
}

/** Is there such a day? Date.parse takes the 30th of February for the 2nd of March. */
function isDay(text: string): boolean {
  const time = Date.parse(text);
  return !Number.isNaN(time) && new Date(time).toISOString().startsWith(text);
}

/** The start of the UTC day that a text means as a whole; null when it means a time, or no date at all. */
export function dayStartMs(text: string): number | null {
  return text.length === isoDayLength ? dateMs(text) : null;
}

const earliestMs = -8.64e15;

/** When a window of so many units, which ends at `now`, began. */
export function windowStartMs(now: Date, amount: number, unit: Unit): number {
  return Math.max(earliestMs, now.getTime() - amount * unitMs[unit]);
}
