import { useFirstWords } from "../words/first";

/**
 * Shows a time in the reader's time zone. Its title has the seconds and the zone. The short form omits today's date,
 * and the current year.
 */
export function Time({ at, isShort = false }: { at: string; isShort?: boolean }) {
  const { locale } = useFirstWords();
  const date = new Date(at);
  return (
    <time dateTime={at} title={date.toLocaleString(locale, { dateStyle: "full", timeStyle: "long" })}>
      {date.toLocaleString(locale, isShort ? shortStyle(date) : longStyle)}
    </time>
  );
}

const longStyle = { dateStyle: "medium", timeStyle: "short" } as const;

function shortStyle(date: Date): Intl.DateTimeFormatOptions {
  const now = new Date();
  if (date.toDateString() === now.toDateString()) return { timeStyle: "short" };
  if (date.getFullYear() !== now.getFullYear()) return longStyle;
  return { month: "short", day: "numeric", hour: "numeric", minute: "2-digit" };
}

const units = [
  ["day", 86_400_000],
  ["hour", 3_600_000],
  ["minute", 60_000],
  ["second", 1000],
] as const;

/** Returns a duration as text, in its two largest units. */
export function lengthOf(ms: number, locale: string): string {
  const say = (value: number, unit: string) =>
    new Intl.NumberFormat(locale, { style: "unit", unit, unitDisplay: "short", maximumFractionDigits: 0 }).format(
      value,
    );
  if (ms < 1000) return say(Math.max(0, ms), "millisecond");
  const first = units.findIndex(([, size]) => ms >= size);
  const parts: string[] = [];
  let rest = ms;
  for (const [unit, size] of units.slice(first, first + 2)) {
    const count = Math.floor(rest / size);
    rest -= count * size;
    if (count > 0) parts.push(say(count, unit));
  }
  return parts.join(" ");
}
