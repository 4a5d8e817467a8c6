/**
 * Rows that one statement looks at, at most: D1 does one thing at a time, and whatever else it is asked waits for it.
 * 25,000 take some 40 ms.
 */
export const mostRowsPerStatement = 25_000;
