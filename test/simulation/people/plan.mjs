import { drawRates } from "../parts/faults.mjs";
import { randomStream } from "../parts/random.mjs";

/** The tenants of a world: the first two always live there, the third is deleted in some worlds. */
export const tenants = ["acme", "globex", "initech"];
export const persons = 8;
/** For so long people act. */
export const withinMs = 240_000;

/** How often each kind of deed is drawn. */
const weights = {
  send: 8,
  sendMarketing: 5,
  track: 8,
  saveContact: 6,
  patchContact: 3,
  optOutByLink: 6,
  optOutByApi: 2,
  optOutMany: 1,
  resubscribe: 1,
  suppress: 2,
  liveAndBeErased: 2,
  importContacts: 1,
  createSegment: 1,
  changeSegment: 2,
  startCampaign: 4,
  pauseCampaign: 2,
  resumeCampaign: 1,
  cancelCampaign: 1,
  changeWorkflow: 2,
  startExecution: 2,
  cancelExecutions: 0.5,
  cancelExecution: 1,
  renewKey: 1,
  disableForAWhile: 0.4,
  deleteProject: 0.1,
};
const kinds = Object.keys(weights);
const sum = Object.values(weights).reduce((total, weight) => total + weight, 0);

/**
 * Draws what people do in a world, and how faulty it is: an entry for each deed, with its time after the beginning and
 * numbers that the deed takes its choices from. A plan is all that a run does to the product, so one with fewer entries is
 * a smaller world.
 */
export function drawPlan(seed, steps) {
  const random = randomStream(seed, "plan");
  const rates = drawRates(randomStream(seed, "rates"));
  const entries = Array.from({ length: steps }, (_, number) => {
    const kind = drawKind(random);
    // The third tenant has few people and alone is ever deleted.
    const tenant = kind === "deleteProject" || random() < 0.15 ? 2 : Math.floor(random() * 2);
    const people = Array.from({ length: 1 + Math.floor(random() * 3) }, () => Math.floor(random() * persons));
    const at = Math.round(random() * withinMs);
    const draws = Array.from({ length: 3 }, () => Math.round(random() * 1e4) / 1e4);
    return { number, at, tenant: tenants[tenant], kind, people: [...new Set(people)], draws };
  });
  return { seed, rates, entries: entries.sort((a, b) => a.at - b.at) };
}

function drawKind(random) {
  let rest = random() * sum;
  return kinds.find((kind) => {
    rest -= weights[kind];
    return rest < 0;
  });
}
