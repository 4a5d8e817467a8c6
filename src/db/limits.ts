/**
 * Contacts, events or the like that one statement goes past, at most: D1 does one thing at a time, and whatever else it is
 * asked waits for it. 25,000 take some 40 ms.
 */
export const maxRowsPerStatement = 25_000;

const microsecondsPerStatement = 25_000;

/**
 * Contacts that one statement asks a condition of, at most. To read a contact takes some microsecond, a filter that reads
 * its JSON a tenth, one that reads another table nearly as much as the contact.
 */
export function maxAskedPerStatement({ filters, lookups }: { filters: number; lookups: number }): number {
  const microseconds = 1 + 0.1 * filters + 0.8 * lookups;
  return Math.min(maxRowsPerStatement, Math.floor(microsecondsPerStatement / microseconds));
}
