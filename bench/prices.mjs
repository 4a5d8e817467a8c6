/**
 * Cloudflare's list prices on the paid plan in November 2026, in dollars, beyond the included amounts. Left out:
 * storage, the mail provider's price, and the durations of Durable Objects, which depend on how busy an installation is
 * otherwise.
 */
const perMillion = {
  rowsRead: 0.001,
  rowsWritten: 1,
  queueOperations: 0.4,
  invocations: 0.3,
  cpuMs: 0.02,
  objectCalls: 0.15,
};

/**
 * The monthly amounts that the plan for five dollars includes. Databases and the SQLite of objects are counted
 * separately.
 */
export const included = {
  rowsRead: 25e9,
  rowsWritten: 50e6,
  messages: 1e6 / 3,
  invocations: 10e6,
  cpuMs: 30e6,
  objectCalls: 1e6,
};

/** A message is written, read and deleted. Ours are smaller than the 64 KB of one operation. */
const operationsPerMessage = 3;

/**
 * Returns the price of each of a million, and of all: by the meter's counts for one, and by its CPU time in each phase.
 */
export function pricesOfMillion(each, msOfPhases) {
  const cpuMs = sum(Object.values(msOfPhases));
  const needed = { ...each, queueOperations: each.messages * operationsPerMessage, cpuMs };
  const prices = Object.fromEntries(Object.entries(perMillion).map(([name, price]) => [name, needed[name] * price]));
  return { ...prices, all: sum(Object.values(prices)) };
}

function sum(values) {
  return values.reduce((total, value) => total + value, 0);
}
