import { drawShort, randomStream } from "../parts/random.mjs";

const oddsOfRestore = 0.2;

const tenants = ["acme", "globex"];
const peopleAmong = 4;

/** Draws a restore of a database, from a stream of its own: none in most worlds. */
export function drawRestoreEntries(seed, { number, withinMs, persons }) {
  const random = randomStream(seed, "restore");
  const draws = () => drawShort(random, 3);
  const at = (from, to) => Math.round(Math.max(0, from + random() * (to - from)));
  if (random() >= oddsOfRestore) return [];
  const bookmark = at(0.1 * withinMs, 0.6 * withinMs);
  // Some people are in workflows when the database is kept, and go on before it is put back.
  const among = Array.from({ length: peopleAmong }, (_, index) => ({
    ...{ number: number + 1 + index, at: at(bookmark - 20_000, bookmark), tenant: tenants[index % tenants.length] },
    ...{ kind: "comeBack", people: [Math.floor(random() * persons)], draws: draws() },
  }));
  const restore = { number, at: bookmark, tenant: tenants[0], kind: "restoreDatabase", people: [0], draws: draws() };
  return [restore, ...among];
}
