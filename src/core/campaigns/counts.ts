/**
 * The counters of a campaign's emails. The first six, "queued" to "sent", are exclusive: each email counts in exactly
 * one. All others are independent: an email that was delivered and then bounced counts in both.
 */
export const counters = [
  "queued",
  "failed",
  "suppressed",
  "cancelled",
  "unknown",
  "sent",
  "delivered",
  "opened",
  "clicked",
  "bounced",
  "complained",
  "unsubscribed",
] as const;
export type Counter = (typeof counters)[number];
export type Counts = Record<Counter, number>;

export function noCounts(): Counts {
  return sumOf([]);
}

export function sumOf(several: Counts[]): Counts {
  const sum = (counter: Counter) => several.reduce((total, counts) => total + counts[counter], 0);
  // The cast is safe: `counters` contains every counter, so the object has every key.
  return Object.fromEntries(counters.map((counter) => [counter, sum(counter)])) as Counts;
}
