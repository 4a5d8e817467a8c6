import { dayMs } from "../time";

/** The maximum size of a D1 database: https://developers.cloudflare.com/d1/platform/limits/ */
export const maxDatabaseBytes = 10_000_000_000;

/** The fullness of a database at which the operator must act soon, as a share of `maxDatabaseBytes`. */
export const fillingShare = 0.8;

/** The fullness at which a database gets no new project. The rest of its space is for the projects that it has. */
const almostFullShare = 0.95;

export function isAlmostFull(bytes: number): boolean {
  return bytes >= almostFullShare * maxDatabaseBytes;
}

/** The size of a database, and when it was measured. */
export interface NotedSize {
  notedAt: number;
  bytes: number;
}

/**
 * Returns when a database will be full if it keeps growing at its average rate since the oldest recorded size. Null
 * while it does not grow, or when the oldest size is less than a day old.
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
