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
  suppressMany: 0.5,
  liveAndBeErased: 2,
  importContacts: 1,
  createSegment: 1,
  changeSegment: 2,
  computeSegment: 3,
  startCampaign: 4,
  pauseCampaign: 2,
  resumeCampaign: 1,
  cancelCampaign: 1,
  changeWorkflow: 2,
  startExecution: 2,
  cancelExecutions: 0.5,
  cancelExecution: 1,
  renewKey: 1,
  rotateSecret: 0.5,
  moveProject: 0.8,
  takeMoveBack: 0.3,
  disableForAWhile: 0.4,
  deleteProject: 0.1,
  loseMachine: 3,
  forgeReport: 0.7,
  forgeLink: 0.7,
  reachForAnother: 1,
};
/** How often people do something at the moment of another deed, to the same person, or just as another tenant does. */
const oddsOfMoment = 0.4;
const oddsOfSamePerson = 0.4;
const twins = new Set(["send", "sendMarketing", "track"]);
const oddsOfTwin = 0.15;
const mostApartMs = 40;

/**
 * Draws what people do in a world, and how faulty it is: an entry for each deed, with its time after the beginning and
 * numbers that the deed takes its choices from. A plan is all that a run does to the product, so one with fewer entries is
 * a smaller world. Each world leaves out some kinds of deeds and has more of others, and what depends on two things that
 * meet is made to meet.
 */
export function drawPlan(seed, steps) {
  const random = randomStream(seed, "plan");
  const rates = drawRates(randomStream(seed, "rates"));
  const drawKind = kindDrawer(random);
  const entries = [];
  for (let number = 0; number < steps; number++) {
    const last = entries.at(-1);
    const kind = drawKind();
    // The third tenant has few people and alone is ever deleted.
    const tenant = kind === "deleteProject" || random() < 0.15 ? 2 : Math.floor(random() * 2);
    const people = Array.from({ length: 1 + Math.floor(random() * 3) }, () => Math.floor(random() * persons));
    if (last && random() < oddsOfSamePerson) people.unshift(last.people[0]);
    const isMeeting = last !== undefined && (kind === "loseMachine" || random() < oddsOfMoment);
    const at = Math.round(isMeeting ? last.at + random() * mostApartMs : random() * withinMs);
    const draws = Array.from({ length: 3 }, () => Math.round(random() * 1e4) / 1e4);
    const entry = { number, at, tenant: tenants[tenant], kind, people: [...new Set(people)], draws };
    entries.push(entry);
    // Both call with one idempotency key.
    if (twins.has(kind) && tenant < 2 && random() < oddsOfTwin) entries.push({ ...entry, tenant: tenants[1 - tenant] });
  }
  return { seed, rates, entries: entries.sort((a, b) => a.at - b.at) };
}

/** Draws the kinds of deeds of one world. */
function kindDrawer(random) {
  const shares = Object.entries(weights).map(([kind, weight]) => [kind, random() < 0.3 ? 0 : weight * 3 ** random()]);
  const sum = shares.reduce((total, [, share]) => total + share, 0);
  return () => {
    let rest = random() * sum;
    const drawn = shares.find(([, share]) => {
      rest -= share;
      return rest < 0;
    });
    return drawn[0];
  };
}
