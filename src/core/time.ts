export const secondMs = 1000;
export const minuteMs = 60 * secondMs;
export const hourMs = 60 * minuteMs;
export const dayMs = 24 * hourMs;

/** Milliseconds since 1970 → `2026-01-31T09:00:00.000Z`. Rows store the former, answers use the latter. */
export function iso(ms: number): string {
  // Cached, because a row's times are often equal, and rows of one call have the same time.
  if (ms !== last.ms) last = { ms, text: new Date(ms).toISOString() };
  return last.text;
}

let last = { ms: Number.NaN, text: "" };

export function isoOrNull(ms: number | null): string | null {
  return ms === null ? null : iso(ms);
}

/** The calendar month, in UTC, for sending limits: `2026-01`. */
export function monthOf(now: Date): string {
  return now.toISOString().slice(0, 7);
}
