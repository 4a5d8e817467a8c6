import { Refusal } from "../command";
import { type Doc, inOrder } from "./doc";
import { type Names, segmentsIn, turnSegments } from "./names";
import { freeName, slugOf } from "./slug";

const order = ["name", "description", "enabled", "triggerType", "eventName", "triggerConfig", "allowReentry"];
export const workflowFields = [...order, "steps", "transitions"];
const stepFields = ["key", "type", "name", "template", "config"];
const wayFields = ["from", "to", "branch", "priority"];
const idPattern = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;

type Fields = Record<string, unknown>;

/** A workflow as the service returns it. */
interface ServerDocument {
  triggerConfig: { segmentId?: string };
  steps: { key: string; type: string; name: string; config: object; templateId: string | null }[];
  transitions: { from: string; to: string }[];
}

/** Returns the content of a workflow's file, and the keys of steps whose key is an id, by their names in the file. */
export function readDocument(
  document: ServerDocument,
  names: Names,
  kept: Record<string, string>,
): { doc: Doc; keys: Record<string, string> } {
  const keys = keysOf(document, kept);
  const called = new Map(Object.entries(keys).map(([alias, id]) => [id, alias]));
  const call = (key: string) => called.get(key) ?? key;
  const { segmentId, ...trigger } = document.triggerConfig;
  const steps = document.steps.map((step) => {
    const config: Fields = turnSegments(step.config, (id) => names.nameOf("segment", id)) as Fields;
    const templateId = step.templateId ?? (step.type === "SEND_EMAIL" ? config.templateId : null);
    if (step.type === "SEND_EMAIL") delete config.templateId;
    const template = typeof templateId === "string" ? names.nameOf("template", templateId) : undefined;
    return { ...step, key: call(step.key), config, template };
  });
  const doc = canonical({
    ...document,
    triggerConfig: { ...trigger, ...(segmentId && { segment: names.nameOf("segment", segmentId) }) },
    steps,
    transitions: document.transitions.map((way) => ({ ...way, from: call(way.from), to: call(way.to) })),
  });
  return { doc, keys };
}

/** Returns the names of steps that were created one by one. Their key is an id, so a file calls them by their name. */
function keysOf({ steps }: ServerDocument, kept: Record<string, string>): Record<string, string> {
  const aliasOf = new Map(Object.entries(kept).map(([alias, id]) => [id, alias]));
  const taken = new Set(steps.map(({ key }) => aliasOf.get(key) ?? key));
  const keys: Record<string, string> = {};
  for (const { key, name, type } of steps) {
    if (!idPattern.test(key)) continue;
    const alias = aliasOf.get(key) ?? freeName(slugOf(name, type.toLowerCase()), (one) => taken.has(one));
    taken.add(alias);
    keys[alias] = key;
  }
  return keys;
}

/** Returns the workflow without default values. */
export function canonical(fields: Fields): Doc {
  const { triggerType, triggerConfig, eventName: event, ...rest } = fields;
  const { eventName = event, publicEvents, ...trigger } = (triggerConfig ?? {}) as Fields;
  const isEvent = (triggerType ?? "EVENT") === "EVENT";
  const isUsual = isEvent && publicEvents !== false;
  const config = isUsual ? {} : { ...(isEvent && { eventName, publicEvents }), ...trigger };
  return {
    ...inOrder(
      {
        ...rest,
        enabled: rest.enabled === true,
        triggerType: isEvent ? undefined : triggerType,
        eventName: isUsual ? eventName : undefined,
        triggerConfig: Object.keys(config).length > 0 ? config : undefined,
        allowReentry: rest.allowReentry === true ? true : undefined,
      },
      order,
    ),
    steps: listIn(fields.steps).map(stepOf),
    transitions: listIn(fields.transitions).map((way) =>
      inOrder({ ...way, priority: way.priority || undefined }, wayFields),
    ),
  } as unknown as Doc;
}

function stepOf(step: Fields): Fields {
  const config = (step.config ?? {}) as Fields;
  return inOrder(
    {
      ...step,
      name: step.name === step.type ? undefined : step.name,
      config: Object.keys(config).length > 0 ? config : undefined,
    },
    stepFields,
  );
}

export function listIn(value: unknown): Fields[] {
  return Array.isArray(value) ? value : [];
}

/** Throws Refusal when a step or a transition has an unknown field. */
export function insistOnFields(fields: Fields, file: string): void {
  for (const [list, known] of [
    ["steps", stepFields],
    ["transitions", wayFields],
  ] as const) {
    if (fields[list] !== undefined && !Array.isArray(fields[list]))
      throw new Refusal(`${file}: ${list} must be a list`);
    listIn(fields[list]).forEach((one, index) => {
      const unknown = Object.keys(one ?? {}).filter((name) => !known.includes(name));
      if (unknown.length > 0)
        throw new Refusal(
          `${file}: ${list}[${index}] has no field ${unknown.join(", ")}. There are: ${known.join(", ")}`,
        );
    });
  }
}

/** Returns the templates and segments that a workflow needs. */
export function namesIn(doc: Doc): { templates: string[]; segments: string[] } {
  const { segment } = (doc.triggerConfig ?? {}) as Fields;
  const steps = listIn(doc.steps);
  return {
    templates: steps.flatMap(({ template }) => (typeof template === "string" ? [template] : [])),
    segments: [...(typeof segment === "string" ? [segment] : []), ...segmentsIn(steps)],
  };
}

/** Returns the document in the service's form. Throws Refusal for an unknown name. */
export function documentOf(
  doc: Doc,
  names: Names,
  file: string,
  keys: Record<string, string>,
): Fields & { name: string } {
  const keyOf = (called: unknown) =>
    typeof called === "string" && Object.hasOwn(keys, called) ? keys[called] : called;
  const { segment, ...trigger } = (doc.triggerConfig ?? {}) as Fields;
  const eventName = doc.eventName ?? trigger.eventName;
  const segmentId = typeof segment === "string" ? names.idOf("segment", segment, file) : undefined;
  const body = {
    name: doc.name,
    description: doc.description ?? null,
    enabled: doc.enabled,
    triggerType: doc.triggerType ?? "EVENT",
    triggerConfig: { ...trigger, ...(eventName !== undefined && { eventName }), ...(segmentId && { segmentId }) },
    allowReentry: doc.allowReentry ?? false,
    steps: listIn(doc.steps).map(({ key, template, config, ...step }) => ({
      ...step,
      key: keyOf(key),
      ...(typeof template === "string" && { templateId: names.idOf("template", template, file) }),
      config: turnSegments(config ?? {}, (one) => names.idOf("segment", one, file)),
    })),
    transitions: listIn(doc.transitions).map(({ from, to, ...way }) => ({ ...way, from: keyOf(from), to: keyOf(to) })),
  };
  return body;
}
