import { randomStream } from "../parts/random.mjs";

/** What the events of people say, by which conditions choose. */
export const kindsOfEvents = ["pro", "free", "other"];

/** All steps that a workflow may have, by their keys. A key always is of one type. */
const pool = {
  welcome: ({ templates }) => mail(templates.marketing),
  wait: ({ whole }) => ({ type: "WAIT_FOR_EVENT", config: { eventName: "purchase", timeout: 60 * (1 + whole(3)) } }),
  pro: () => ({ type: "CONDITION", config: { field: "event.kind", operator: "equals", value: "pro" } }),
  note: ({ form }) => ({ type: "UPDATE_CONTACT", config: { data: { noted: form } } }),
  call: ({ host }) => ({ type: "WEBHOOK", config: { url: `https://${host}/steps` } }),
  split: () => ({
    type: "CONDITION",
    config: { mode: "multi", field: "event.kind", branches: kinds(["pro", "free"]) },
  }),
  rest: ({ whole }) => ({ type: "DELAY", config: { amount: 1 + whole(3), unit: "minutes" } }),
  again: ({ templates }) => mail(templates.transactional),
  even: () => ({ type: "CONDITION", config: { field: "email", operator: "contains", value: "p1" } }),
  visit: ({ whole }) => ({ type: "WAIT_FOR_EVENT", config: { eventName: "visit", timeout: 30 * (1 + whole(4)) } }),
  last: ({ whole }) => ({ type: "DELAY", config: { amount: 1 + whole(2), unit: "minutes" } }),
  leave: ({ form }) => ({ type: "EXIT", config: { reason: `left ${form}` } }),
};

/**
 * Draws the document of a workflow. Steps lead to later ones, so that there is no circle. All that is drawn follows from
 * `draw`.
 */
export function drawDocument(draw, { title, eventName, allowReentry, host, templates }) {
  const random = randomStream(draw, "document");
  const whole = (below) => Math.floor(random() * below);
  const given = { host, templates, whole, form: whole(1_000) };
  const keys = shuffled(Object.keys(pool), random).slice(0, 1 + whole(8));
  const steps = keys.map((key) => ({ key, name: key, ...pool[key](given) }));
  const transitions = [{ from: "trigger", to: keys[0] }];
  for (const [place, { key, ...step }] of steps.entries()) {
    const later = keys.slice(place + 1, place + 4);
    for (const branch of later.length > 0 ? branchesOf(step) : []) {
      if (random() < 0.12) continue;
      const to = random() < 0.6 ? later[0] : later[whole(later.length)];
      transitions.push(branch === null ? { from: key, to } : { from: key, to, branch });
    }
  }
  return { name: title, eventName, enabled: random() < 0.9, allowReentry, steps, transitions };
}

/** The first workflow of a tenant has all parts, so that every world meets them. */
export function firstDocument({ eventName, host, templates }) {
  const given = { host, templates, whole: () => 0, form: 0 };
  const keys = ["welcome", "wait", "note", "call", "rest", "again"];
  const steps = keys.map((key) => ({ key, name: key, ...pool[key](given) }));
  const transitions = keys.map((to, place) => ({ from: place === 0 ? "trigger" : keys[place - 1], to }));
  return { name: "Journey", eventName, enabled: true, allowReentry: true, steps, transitions };
}

/** A workflow without a step that waits: a contact may soon enter it again. */
export function shortDocument({ title, eventName, allowReentry }) {
  const steps = [{ key: "note", name: "note", ...pool.note({ form: 0 }) }];
  return { name: title, eventName, enabled: true, allowReentry, steps, transitions: [{ from: "trigger", to: "note" }] };
}

/** The branches that may lead out of a step; null is the way without one. */
function branchesOf({ type, config }) {
  if (type === "EXIT") return [];
  if (type === "WAIT_FOR_EVENT") return config.timeout % 60 === 0 ? ["event", "timeout"] : [null];
  if (type !== "CONDITION") return [null];
  return config.mode === "multi" ? [...config.branches.map(({ id }) => id), "default"] : ["yes", "no"];
}

function mail({ id }) {
  return { type: "SEND_EMAIL", templateId: id, config: {} };
}

function kinds(values) {
  return values.map((value) => ({ id: value, name: value, operator: "equals", value }));
}

function shuffled(items, random) {
  const left = [...items];
  return items.map(() => left.splice(Math.floor(random() * left.length), 1)[0]);
}
