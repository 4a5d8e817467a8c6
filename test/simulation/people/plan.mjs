import { drawRates } from "../parts/faults.mjs";
import { drawShort, randomStream } from "../parts/random.mjs";
import { drawClockEntries } from "./clock-plan.mjs";
import { drawRestoreEntries } from "./restore-plan.mjs";

/** The tenants of a world: the first two always live there, the third is deleted in some worlds. */
export const tenants = ["acme", "globex", "initech"];
export const persons = 8;
/** For so long people act: in some worlds all at once, in others so long that what happens is old by the end. */
const spansMs = [60_000, 150_000, 240_000, 240_000, 600_000];

/** How often each kind of deed is drawn. */
const weights = {
  send: 8,
  sendMarketing: 5,
  track: 8,
  openMail: 5,
  clickLink: 6,
  writeMail: 1.5,
  saveContact: 6,
  patchContact: 3,
  optOutByLink: 6,
  optOutByApi: 2,
  optOutMany: 1,
  resubscribe: 1,
  suppress: 2,
  suppressMany: 0.5,
  liveAndBeErased: 2,
  importContacts: 2,
  createSegment: 1,
  changeSegment: 2,
  computeSegment: 3,
  startCampaign: 4,
  pauseCampaign: 2,
  resumeCampaign: 1,
  cancelCampaign: 1,
  changeWorkflow: 2,
  startExecution: 2,
  comeBack: 3,
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
  forgeLink: 1,
  reachForAnother: 1,
};
/** How often people do something at the moment of another deed, to the same person, or just as another tenant does. */
const oddsOfMoment = 0.4;
const oddsOfSamePerson = 0.4;
const twins = new Set(["send", "sendMarketing", "track"]);
const oddsOfTwin = 0.15;
const mostApartMs = 40;
/** How often they do so when what another deed began is about to end: workflows wait for halves of minutes. */
const oddsOfEcho = 0.15;
const echoMs = 30_000;
const mostEchoes = 4;
/** Many read their mail when all else has been done. */
const readers = new Set(["openMail", "clickLink"]);
const oddsOfLateReader = 0.6;
const readWithinMs = 300_000;
/** In some worlds, most happens to one person, and most deeds are of two kinds. */
const oddsOfFocus = 0.5;
const focusOnPerson = 0.6;
const focusOnKind = 12;

/**
 * Draws what people do in a world, and how faulty it is: an entry for each deed, with its time after the beginning and
 * numbers that the deed takes its choices from. A plan is all that a run does to the product, so one with fewer entries is
 * a smaller world. Each world leaves out some kinds of deeds and has more of others, and what depends on two things that
 * meet is made to meet.
 */
export function drawPlan(seed, steps) {
  const random = randomStream(seed, "plan");
  const rates = drawRates(randomStream(seed, "rates"));
  const whole = (below) => Math.floor(random() * below);
  const withinMs = spansMs[whole(spansMs.length)];
  const drawKind = kindDrawer(random);
  const focus = random() < oddsOfFocus ? { tenant: whole(2), person: whole(persons) } : null;
  const entries = [];
  for (let number = 0; number < steps; number++) {
    const last = entries.at(-1);
    const kind = drawKind();
    const isOnFocus = focus !== null && random() < focusOnPerson;
    // The third tenant has few people and alone is ever deleted.
    const other = random() < 0.15 ? 2 : whole(2);
    const tenant = kind === "deleteProject" ? 2 : isOnFocus ? focus.tenant : other;
    const people = Array.from({ length: 1 + whole(3) }, () => whole(persons));
    if (last && random() < oddsOfSamePerson) people.unshift(last.people[0]);
    if (isOnFocus) people.unshift(focus.person);
    const before = last?.at > withinMs ? undefined : last;
    const readMs = readers.has(kind) && random() < oddsOfLateReader ? Math.round(random() * readWithinMs) : 0;
    const at = Math.min(momentAfter(before, kind, withinMs, random), withinMs) + readMs;
    const draws = drawShort(random, 3);
    const entry = { number, at, tenant: tenants[tenant], kind, people: [...new Set(people)], draws };
    entries.push(entry);
    // Both call with one idempotency key.
    if (twins.has(kind) && tenant < 2 && random() < oddsOfTwin) entries.push({ ...entry, tenant: tenants[1 - tenant] });
  }
  // No clock that was moved goes back.
  const onClock = drawClockEntries(seed, { number: steps, withinMs, persons });
  entries.push(...(onClock.length > 0 ? onClock : drawRestoreEntries(seed, { number: steps, withinMs, persons })));
  return { seed, rates, withinMs, entries: entries.sort((a, b) => a.at - b.at) };
}

/** The time of a deed: that of the last one, or some halves of minutes later, or any other. */
function momentAfter(last, kind, withinMs, random) {
  const draw = random();
  if (last && (kind === "loseMachine" || draw < oddsOfMoment)) return Math.round(last.at + random() * mostApartMs);
  if (last && draw < oddsOfMoment + oddsOfEcho) {
    return Math.round(last.at + echoMs * (1 + Math.floor(random() * mostEchoes)) + random() * 3_000);
  }
  return Math.round(random() * withinMs);
}

/** Draws the kinds of deeds of one world. */
function kindDrawer(random) {
  const kinds = Object.keys(weights);
  const focus = random() < oddsOfFocus ? [0, 1].map(() => kinds[Math.floor(random() * kinds.length)]) : [];
  const shares = Object.entries(weights).map(([kind, weight]) => {
    if (focus.includes(kind)) return [kind, Math.max(1, weight) * focusOnKind];
    return [kind, random() < 0.3 ? 0 : weight * 3 ** random()];
  });
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
