import { dayMs } from "../time";

/** The most bytes that a D1 database holds: https://developers.cloudflare.com/d1/platform/limits/ */
export const maxDatabaseBytes = 10_000_000_000;

/** The size of a database at a time. */
export interface NotedSize {
  notedAt: number;
  bytes: number;
}

/**
 * Returns when a database is full if it keeps growing as it did since the oldest note; null while it does not grow, or
 * when the notes span less than a day.
 */
export function fullAt(notes: readonly NotedSize[], now: NotedSize): number | null {
  const oldest = notes.reduce<NotedSize | null>(
    (first, note) => (first === null || note.notedAt < first.notedAt ? note : first),
    null,
  );
  if (oldest === null || now.notedAt - oldest.notedAt < dayMs || now.bytes <= oldest.bytes) return null;
  const bytesPerMs = (now.bytes - oldest.bytes) / (now.notedAt - oldest.notedAt);
  return now.notedAt + Math.max(0, maxDatabaseBytes - now.bytes) / bytesPerMs;
}
