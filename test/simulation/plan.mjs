import { randomStream } from "./parts/random.mjs";

const tenants = ["acme", "globex"];
const people = 6;
const withinMs = 180_000;

/**
 * Draws what the people of a world do: an entry each, with its time after the beginning. A plan is all that a run does to the
 * product, so one with fewer entries is a smaller world.
 */
export function drawPlan(seed, steps) {
  const random = randomStream(seed, "plan");
  const one = (items) => items[Math.floor(random() * items.length)];
  const person = (tenant) => `p${Math.floor(random() * people)}@${tenant}.example`;
  return Array.from({ length: steps }, (_, number) => {
    const tenant = one(tenants);
    const to = Array.from({ length: 1 + Math.floor(random() * 3) }, () => person(tenant));
    const kind = one(["send", "send", "send", "track", "contact", "unsubscribe"]);
    return { number, at: random() * withinMs, tenant, kind, to: [...new Set(to)], hasKey: random() < 0.6 };
  }).sort((a, b) => a.at - b.at);
}

export { tenants };
