import { randomStream } from "../parts/random.mjs";

const oddsOfRestore = 0.12;

/** Draws a restore of a database, from a stream of its own: none in most worlds. */
export function drawRestoreEntries(seed, { number, withinMs }) {
  const random = randomStream(seed, "restore");
  if (random() >= oddsOfRestore) return [];
  const at = Math.round((0.1 + random() * 0.5) * withinMs);
  const draws = Array.from({ length: 3 }, () => Math.round(random() * 1e4) / 1e4);
  return [{ number, at, tenant: "acme", kind: "restoreDatabase", people: [0], draws }];
}
