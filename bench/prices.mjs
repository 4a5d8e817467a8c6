/**
 * Cloudflare's list prices on the paid plan as of November 2026, in dollars, beyond what the plan includes. Left out: storage, what the mail
 * provider takes, and the durations of Durable Objects, which depend on how busy an installation is besides.
 */
const perMillion = {
  rowsRead: 0.001,
  rowsWritten: 1,
  queueOperations: 0.4,
  invocations: 0.3,
  cpuMs: 0.02,
  objectCalls: 0.15,
};

/** A message is written, read and deleted. Ours have less than the 64 KB that one operation takes. */
export const operationsPerMessage = 3;

/** What each of a million costs, from what one of them needs. */
export function pricesOfMillion(perOne) {
  return Object.fromEntries(Object.entries(perMillion).map(([name, price]) => [name, perOne[name] * price]));
}
