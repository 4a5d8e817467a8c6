/**
 * The maximum number of rows, such as contacts or events, that one statement scans. D1 runs one statement at a time
 * while all others wait. 25,000 rows take about 40 ms.
 */
export const maxRowsPerStatement = 25_000;

/**
 * The number of statements after which an invocation starts no further work. D1 documents a limit of 1,000, and does
 * not say whether each statement of a batch counts. The difference is left for work that is already under way, and for
 * the few queries that are not counted: those of drizzle itself and of the embedded outbox.
 * https://developers.cloudflare.com/d1/platform/limits/
 */
export const maxStatements = 700;

const microsecondsPerStatement = 25_000;

/**
 * Returns the maximum number of contacts for which one statement may evaluate a condition. Reading a contact takes
 * about a microsecond, a filter on its JSON a tenth of that, and a filter on another table nearly as much as the
 * contact.
 */
export function maxEvaluatedPerStatement({ filters, lookups }: { filters: number; lookups: number }): number {
  const microseconds = 1 + 0.1 * filters + 0.8 * lookups;
  return Math.min(maxRowsPerStatement, Math.floor(microsecondsPerStatement / microseconds));
}
