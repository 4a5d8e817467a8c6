import type { Random } from "./random";
import type { GivenSteps, GivenWay, GivenWorkflow } from "./workflow";

/** What events are called, so that workflows meet. */
export const eventNames = ["signup", "purchase", "visit"] as const;

export interface Drawing {
  random: Random;
  templates: { marketing: string; transactional: string };
  hosts: string[];
}

const units = ["minutes", "minutes", "minutes", "minutes", "hours", "days"] as const;

export const filters = [
  { field: "data.plan", operator: "equals", value: "pro" },
  { field: "contact.data.plan", operator: "notEquals", value: "free" },
  { field: "event.kind", operator: "equals", value: "pro" },
  { field: "event.n", operator: "greaterThan", value: 5 },
  { field: "subscribed", operator: "equals", value: true },
  { field: "contact.email", operator: "contains", value: "C1" },
  { field: "data.missing", operator: "notExists" },
  { field: "context.gift", operator: "exists" },
  { field: "data.trail", operator: "contains", value: "w1" },
] as const;

/** How a step of a type is set up. */
export function drawConfig({ random, hosts }: Drawing, type: string, tag: string): object {
  switch (type) {
    case "DELAY":
      return { amount: random.of([1, 1, 1, 2, 5]), unit: random.of(units) };
    case "WAIT_FOR_EVENT": {
      const eventName = random.of([...eventNames, ...eventNames, "contact.unsubscribed", "email.sent"]);
      return { eventName, ...(random.isIn(75) ? { timeout: random.of([60, 60, 60, 300, 3_600, 86_400]) } : {}) };
    }
    case "CONDITION":
      return drawCondition(random);
    case "UPDATE_CONTACT":
      return {
        data: {
          trail: `{{ trail }}${tag};`,
          ...(random.isIn(30) ? { plan: random.of(["pro", "free", "{{ event.kind }}"]) } : {}),
          ...(random.isIn(30) ? { note: "{{ event.note }}" } : {}),
        },
        ...(random.isIn(35) ? { subscribed: random.isIn(50) } : {}),
      };
    case "WEBHOOK":
      return { url: `https://${random.of(hosts)}/hook?of={{ email }}`, method: random.of(["POST", "POST", "PUT"]) };
    case "EXIT":
      return random.isIn(70) ? { reason: `left by ${tag}` } : {};
    default:
      return {};
  }
}

function drawCondition(random: Random): object {
  if (random.isIn(30)) {
    const branches = ["pro", "free"].map((value) => ({ id: value, name: value, operator: "equals", value }));
    return { mode: "multi", field: random.of(["event.kind", "data.plan"]), branches };
  }
  if (random.isIn(60)) return random.of(filters);
  const groups = [{ filters: [random.of(filters)] }, { filters: [random.of(filters), random.of(filters)] }];
  return { condition: { logic: random.of(["AND", "OR"]), groups } };
}

const types = [
  ...(["DELAY", "DELAY", "WAIT_FOR_EVENT", "WAIT_FOR_EVENT", "WAIT_FOR_EVENT", "CONDITION", "CONDITION"] as const),
  ...(["UPDATE_CONTACT", "UPDATE_CONTACT", "SEND_EMAIL", "WEBHOOK", "EXIT"] as const),
];

/** The branches of a step; null is the way without one. */
export function branchesOf(type: string, config: object): (string | null)[] {
  if (type === "EXIT") return [];
  if (type === "WAIT_FOR_EVENT") return ["event", "timeout", null];
  if (type !== "CONDITION") return [null];
  return "mode" in config ? ["pro", "free", "default"] : ["yes", "no"];
}

/** A workflow whose steps lead to later ones, so that there is no circle. Some ways are not drawn. */
export function drawWorkflow(drawing: Drawing, index: number): GivenWorkflow {
  const { random, templates } = drawing;
  const names = Array.from({ length: 2 + random.below(6) }, (_, n) => `w${index}s${n}`);
  const steps: GivenSteps = {};
  for (const name of names) {
    const type = random.of(types);
    const templateId = random.of([templates.marketing, templates.transactional]);
    steps[name] = [type, drawConfig(drawing, type, name), type === "SEND_EMAIL" ? { templateId } : {}];
  }
  const ways: GivenWay[] = random.isIn(97) ? [["TRIGGER", names[0] ?? ""]] : [];
  for (const [n, name] of names.entries()) {
    const [type, config = {}] = steps[name] ?? ["EXIT"];
    const later = names.slice(n + 1, n + 4);
    for (const branch of later.length > 0 ? branchesOf(type, config) : []) {
      if (!random.isIn(branch === null && type === "WAIT_FOR_EVENT" ? 40 : 80)) continue;
      const to = random.isIn(60) ? (later[0] ?? "") : random.of(later);
      ways.push(branch === null ? [name, to] : [name, to, branch]);
    }
  }
  const eventName = random.of(["signup", "signup", "signup", "purchase", "contact.unsubscribed", "contact.subscribed"]);
  return {
    ...{ eventName, steps, ways, allowReentry: random.isIn(70), publicEvents: random.isIn(70) },
    enabled: random.isIn(95),
  };
}
