export const secondMs = 1000;
export const minuteMs = 60 * secondMs;
export const hourMs = 60 * minuteMs;
export const dayMs = 24 * hourMs;

/** Milliseconds since 1970 → `2026-01-31T09:00:00.000Z`. Rows hold the former, answers the latter. */
export function iso(ms: number): string {
  // A row was often changed when it was created, and rows of one call have one time.
  if (ms !== last.ms) last = { ms, text: new Date(ms).toISOString() };
  return last.text;
}

let last = { ms: Number.NaN, text: "" };

export function isoOrNull(ms: number | null): string | null {
  return ms === null ? null : iso(ms);
}

/** The calendar month, in UTC, by which sending limits count: `2026-01`. */
export function monthOf(now: Date): string {
  return now.toISOString().slice(0, 7);
}
