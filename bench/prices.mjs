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

/** The amounts of a month that the plan for five dollars includes. Those of databases and of objects' SQLite are two. */
export const included = {
  rowsRead: 25e9,
  rowsWritten: 50e6,
  messages: 1e6 / 3,
  invocations: 10e6,
  cpuMs: 30e6,
  objectCalls: 1e6,
};

/** A message is written, read and deleted. Ours have less than the 64 KB that one operation takes. */
const operationsPerMessage = 3;

/** What each of a million costs, and all: by what the meter counted for one of them, and by its CPU time of each phase. */
export function pricesOfMillion(each, msOfPhases) {
  const cpuMs = sum(Object.values(msOfPhases));
  const needed = { ...each, queueOperations: each.messages * operationsPerMessage, cpuMs };
  const prices = Object.fromEntries(Object.entries(perMillion).map(([name, price]) => [name, needed[name] * price]));
  return { ...prices, all: sum(Object.values(prices)) };
}

function sum(values) {
  return values.reduce((total, value) => total + value, 0);
}
