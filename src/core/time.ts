export const secondMs = 1000;
export const minuteMs = 60 * secondMs;
export const hourMs = 60 * minuteMs;
export const dayMs = 24 * hourMs;

/** Converts milliseconds since 1970, as rows store times, to `2026-01-31T09:00:00.000Z`, as answers show them. */
export function iso(ms: number): string {
  // Cached, because the times of a row are often equal, and rows of one call share their time.
  if (ms !== last.ms) last = { ms, text: new Date(ms).toISOString() };
  return last.text;
}

let last = { ms: Number.NaN, text: "" };

export function isoOrNull(ms: number | null): string | null {
  return ms === null ? null : iso(ms);
}

/** Returns the calendar month in UTC, for sending limits: `2026-01`. */
export function monthOf(now: Date): string {
  return now.toISOString().slice(0, 7);
}
