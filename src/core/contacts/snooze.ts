import { Invalid } from "../errors";
import { dayMs } from "../time";

export const snoozeDurations = ["14d", "1m", "3m", "6m", "1y"] as const;
export type SnoozeDuration = (typeof snoozeDurations)[number];

/** The requested end of a snooze: a time in milliseconds, or a length. */
export type SnoozeRequest = { until: number } | { duration: SnoozeDuration };

/** The longest snooze. A longer one is surely a mistake. */
export const maxSnoozeYears = 5;

/** Returns the end of a snooze that begins now. Throws Invalid when the end is not in the future, or too far ahead. */
export function snoozeEnd(asked: SnoozeRequest, now: Date): number {
  if ("duration" in asked) return endOf(asked.duration, now);
  const { until } = asked;
  if (until <= now.getTime()) {
    throw new Invalid([{ field: "until", code: "too_small", message: "Must be in the future" }]);
  }
  if (until > monthsLater(now, 12 * maxSnoozeYears)) {
    const message = `Must be at most ${maxSnoozeYears} years ahead`;
    throw new Invalid([{ field: "until", code: "too_big", message }]);
  }
  return until;
}

function endOf(duration: SnoozeDuration, now: Date): number {
  switch (duration) {
    case "14d":
      return now.getTime() + 14 * dayMs;
    case "1m":
      return monthsLater(now, 1);
    case "3m":
      return monthsLater(now, 3);
    case "6m":
      return monthsLater(now, 6);
    case "1y":
      return monthsLater(now, 12);
  }
}

/** Returns the same day and time in a later month, in UTC; the last day of the month when it has no such day. */
function monthsLater(from: Date, months: number): number {
  const year = from.getUTCFullYear();
  const month = from.getUTCMonth() + months;
  // Day 0 of the next month is the last day of the month.
  const lastDay = new Date(Date.UTC(year, month + 1, 0)).getUTCDate();
  const timeOfDay = from.getTime() - Date.UTC(year, from.getUTCMonth(), from.getUTCDate());
  return Date.UTC(year, month, Math.min(from.getUTCDate(), lastDay)) + timeOfDay;
}
