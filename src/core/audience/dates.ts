import { dayMs, hourMs, minuteMs } from "../time";

export const units = ["days", "hours", "minutes"] as const;
export type Unit = (typeof units)[number];

const unitMs: Record<Unit, number> = { days: dayMs, hours: hourMs, minutes: minuteMs };

/** ISO 8601: a day, or a time with a zone. */
const isoDate = /^\d{4}-\d{2}-\d{2}(T\d{2}:\d{2}(:\d{2}(\.\d+)?)?(Z|[+-]\d{2}:\d{2}))?$/;
const isoDayLength = "2026-01-31".length;

/**
 * Parses a date into milliseconds since 1970. Returns null when the text is not a date. A day means its UTC midnight.
 */
export function dateMs(text: string): number | null {
  const [fraction = ""] = isoDate.exec(text)?.slice(3) ?? [];
  // The fraction is read separately, to get the same result as SQLite, which rounds it to at most 999 ms. Date.parse
  // truncates it.
  const wholeSeconds =
    isoDate.test(text) && isDay(text.slice(0, isoDayLength)) ? Date.parse(text.replace(fraction, "")) : Number.NaN;
  return Number.isNaN(wholeSeconds) ? null : wholeSeconds + Math.min(999, Math.round(Number(`0${fraction}`) * 1000));
}

/** Reports whether the day exists. Date.parse alone cannot tell, because it reads 30 February as 2 March. */
function isDay(text: string): boolean {
  const time = Date.parse(text);
  return !Number.isNaN(time) && new Date(time).toISOString().startsWith(text);
}

/** Returns the start of the UTC day; null when the text is a time or not a date. */
export function dayStartMs(text: string): number | null {
  return text.length === isoDayLength ? dateMs(text) : null;
}

const earliestMs = -8.64e15;

/** The length of a window of time that ends now. */
export interface TimeWindow {
  amount: number;
  unit: Unit;
}

/** Returns the start of a window that ends at `now`. */
export function windowStartMs(now: Date, window: TimeWindow): number {
  return Math.max(earliestMs, now.getTime() - windowLengthMs(window));
}

export function windowLengthMs({ amount, unit }: TimeWindow): number {
  return amount * unitMs[unit];
}
