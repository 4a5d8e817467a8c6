/**
 * The most rows, such as contacts or events, that one statement scans: D1 runs one statement at a time, and all others
 * wait. 25,000 rows take some 40 ms.
 */
export const maxRowsPerStatement = 25_000;

/**
 * The most statements that one invocation makes by itself. D1 documents 1,000, and does not say whether each statement of
 * a batch counts. The rest is for work that goes on beside the statement that reached it, and for the few queries that are
 * not counted: those of drizzle's own, and of the embedded outbox.
 * https://developers.cloudflare.com/d1/platform/limits/
 */
export const maxStatements = 700;

const microsecondsPerStatement = 25_000;

/**
 * The most contacts for which one statement evaluates a condition. Reading a contact takes about a microsecond, a
 * filter on its JSON a tenth of that, and a filter on another table nearly as much as the contact.
 */
export function maxAskedPerStatement({ filters, lookups }: { filters: number; lookups: number }): number {
  const microseconds = 1 + 0.1 * filters + 0.8 * lookups;
  return Math.min(maxRowsPerStatement, Math.floor(microsecondsPerStatement / microseconds));
}
