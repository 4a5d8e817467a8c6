import { drawShort, randomStream } from "../parts/random.mjs";

/** The tenant whose project is on a test clock. It lives in some worlds. */
export const clockTenant = "hooli";
const oddsOfClock = 0.3;
const [fewestDeeds, mostDeeds] = [10, 26];

/** How often each kind of deed is drawn. Nothing of this tenant goes to the provider, so that it has no readers. */
const weights = {
  moveClock: 9,
  comeBackByClock: 4,
  track: 6,
  sendMarketing: 4,
  send: 2,
  startCampaign: 3,
  startExecution: 2,
  saveContact: 2,
  changeWorkflow: 1,
  optOutByApi: 1.5,
  resubscribe: 0.5,
  suppress: 1,
  pauseCampaign: 0.7,
  resumeCampaign: 0.7,
  cancelCampaign: 0.3,
  computeSegment: 1,
  changeSegment: 1,
  cancelExecution: 0.6,
  cancelExecutions: 0.3,
  importContacts: 0.5,
  liveAndBeErased: 1.2,
  moveProject: 0.5,
  disableForAWhile: 0.2,
  loseMachine: 2,
};
/** Most deeds come soon after another one, when the clock is about to move or is on its way. */
const oddsOfSoon = 0.6;
const soonMs = 3_000;

/** Draws what the tenant on a test clock does, from a stream of its own: nothing in most worlds. */
export function drawClockEntries(seed, { number: first, withinMs, persons }) {
  const random = randomStream(seed, "clock");
  const whole = (below) => Math.floor(random() * below);
  if (random() >= oddsOfClock) return [];
  const entries = [];
  const count = fewestDeeds + whole(mostDeeds - fewestDeeds);
  for (let number = first; number < first + count; number++) {
    const last = entries.at(-1);
    const at = last && random() < oddsOfSoon ? last.at + random() * soonMs : random() * withinMs;
    entries.push({
      ...{ number, at: Math.round(Math.min(at, withinMs)), tenant: clockTenant, kind: drawKind(random) },
      people: Array.from({ length: 1 + whole(3) }, () => whole(persons)),
      draws: drawShort(random, 3),
    });
  }
  return entries.map((entry) => ({ ...entry, people: [...new Set(entry.people)] }));
}

function drawKind(random) {
  const sum = Object.values(weights).reduce((total, weight) => total + weight, 0);
  let rest = random() * sum;
  return Object.keys(weights).find((kind) => {
    rest -= weights[kind];
    return rest < 0;
  });
}
