import { z } from "zod";
import { closestTo } from "../closest";
import type { FieldFault } from "../errors";
import { type Id, publicId } from "../ids";
import type { JsonObject } from "../json";
import type { Graph, Step, StepType, Transition } from "./step";
import { drawingFault } from "./structure";
import type { Trigger } from "./trigger";

/** A whole workflow as its author keeps it: steps by keys of their own, and no ids. */
export type WorkflowDocument = Trigger & {
  name: string;
  description: string | null;
  enabled: boolean;
  allowReentry: boolean;
  steps: DocumentStep[];
  transitions: DocumentTransition[];
};

export interface DocumentStep {
  key: string;
  type: StepType;
  name: string;
  config: JsonObject;
  /** A public id. */
  templateId: string | null;
  position: { x: number; y: number };
}

export interface DocumentTransition {
  from: string;
  to: string;
  branch: string | null;
  priority: number;
}

/** What an author calls a step. */
export const StepKey = z
  .string()
  .regex(/^[A-Za-z0-9_-]{1,64}$/, { error: "A key is 1 to 64 letters, digits, _ and -" })
  .meta({ example: "welcome" });

/** The key of the step that every workflow has. A document may leave it out of its steps. */
export const triggerKey = "trigger";

/** What documents call a step: its author's key, or the id of one that a single call has made. */
export function keyOf({ type, id, key }: { type: StepType; id: Id; key: string | null }): string {
  return type === "TRIGGER" ? triggerKey : (key ?? publicId(id));
}

/** Keys that two steps share, and TRIGGER under another one. */
export function keyFaults(steps: readonly Pick<DocumentStep, "key" | "type">[]): FieldFault[] {
  const first = new Map(steps.map(({ key }, index) => [key, index] as const).toReversed());
  return steps.flatMap(({ key, type }, index): FieldFault[] => {
    const field = `steps[${index}].key`;
    const other = first.get(key);
    const fault = (message: string): FieldFault[] => [{ field, code: "custom", message, received: key }];
    if (type === "TRIGGER" && key !== triggerKey) return fault(`The key of the TRIGGER step is ${triggerKey}`);
    if (type !== "TRIGGER" && key === triggerKey) return fault(`${triggerKey} is the key of the TRIGGER step`);
    return other === index ? [] : fault(`steps[${other}] has this key already`);
  });
}

/** A transition that a document draws. */
export type Drawn = Omit<Transition, "id">;

/**
 * Draws the transitions of a document one after the other, by the rules of single ones. `steps` are those of the graph,
 * by their keys; `unread` are keys of steps with faults of their own, whose transitions are left out.
 */
export function drawAll(
  steps: ReadonlyMap<string, Step>,
  transitions: readonly DocumentTransition[],
  unread: ReadonlySet<string> = new Set(),
): { drawn: Drawn[]; faults: FieldFault[] } {
  const keys = new Map([...steps.keys(), ...unread].map((key) => [key, key] as const));
  const graph: Graph & { transitions: Transition[] } = { steps: [...steps.values()], transitions: [] };
  const faults = transitions.flatMap(({ from, to, branch, priority }, index): FieldFault[] => {
    const at = `transitions[${index}]`;
    const [start, end] = [steps.get(from), steps.get(to)];
    if (!start || !end) {
      return [
        ...(keys.has(from) ? [] : [unknownKey(`${at}.from`, from, keys)]),
        ...(keys.has(to) ? [] : [unknownKey(`${at}.to`, to, keys)]),
      ];
    }
    const drawing = { fromStepId: start.id, toStepId: end.id, branch };
    const fault = drawingFault(graph, drawing);
    if (fault) return [{ ...fault, field: `${at}.${names[fault.field] ?? fault.field}` }];
    // Nobody asks for the id of a transition here.
    graph.transitions.push({ id: start.id, ...drawing, priority });
    return [];
  });
  return { drawn: graph.transitions.map(({ id: _, ...drawn }) => drawn), faults };
}

/** The fields of a transition, as a document calls them. */
const names: Record<string, string> = { fromStepId: "from", toStepId: "to" };

export function unknownKey(field: string, key: string, steps: ReadonlyMap<string, unknown>): FieldFault {
  const meant = closestTo(key, steps.keys());
  const message = `No step of the document has this key${meant === null ? "" : `: did you mean ${meant}?`}`;
  return { field, code: "custom", message, received: key };
}

/** What becomes of the steps of a document, by their keys. */
export interface Difference {
  created: string[];
  changed: string[];
  removed: string[];
  unchanged: string[];
}

/** Compares the steps of two documents, in the order of the second one. */
export function compareSteps(before: readonly DocumentStep[], after: readonly DocumentStep[]): Difference {
  const had = new Map(before.map((step) => [step.key, JSON.stringify(step)]));
  const has = new Set(after.map(({ key }) => key));
  const whereIt = (fits: (was: string | undefined, is: string) => boolean) =>
    after.filter((step) => fits(had.get(step.key), JSON.stringify(step))).map(({ key }) => key);
  return {
    created: whereIt((was) => was === undefined),
    changed: whereIt((was, is) => was !== undefined && was !== is),
    removed: before.filter(({ key }) => !has.has(key)).map(({ key }) => key),
    unchanged: whereIt((was, is) => was === is),
  };
}

const ownFields = ["name", "description", "triggerType", "triggerConfig", "allowReentry", "enabled"] as const;

/** The fields of the workflow itself that a document changes; all of them where there is none before. */
export function changedFields(before: WorkflowDocument | null, after: WorkflowDocument): (typeof ownFields)[number][] {
  return ownFields.filter((field) => !before || JSON.stringify(before[field]) !== JSON.stringify(after[field]));
}

/** A transition as a difference shows it: without what is as if left out. */
type ShownTransition = Pick<DocumentTransition, "from" | "to"> & Partial<{ branch: string; priority: number }>;

/** A transition with another branch or priority is another one. Their order means nothing. */
export function compareTransitions(
  before: readonly DocumentTransition[],
  after: readonly DocumentTransition[],
): Record<"created" | "removed", ShownTransition[]> {
  return { created: waysBeyond(before, after), removed: waysBeyond(after, before) };
}

/** Those of the second list that the first one does not have. */
function waysBeyond(known: readonly DocumentTransition[], ways: readonly DocumentTransition[]): ShownTransition[] {
  const texts = new Set(known.map((way) => JSON.stringify(shown(way))));
  return ways.map(shown).filter((way) => !texts.has(JSON.stringify(way)));
}

function shown({ from, to, branch, priority }: DocumentTransition): ShownTransition {
  return { from, to, ...(branch !== null && { branch }), ...(priority !== 0 && { priority }) };
}

interface Placed {
  id: Id;
  place: number | null;
}

/** Rows in the order of their document: those that have a place in it, then the others as they were made. */
export function inOrder<T extends Placed>(rows: readonly T[]): T[] {
  const placeOf = ({ place }: T) => place ?? Number.MAX_SAFE_INTEGER;
  return rows.toSorted((a, b) => placeOf(a) - placeOf(b) || (a.id < b.id ? -1 : 1));
}

/** The rows with places that keep them in this order. Where they are in it anyway, none of them changes. */
export function placed<T extends Placed>(rows: readonly T[]): T[] {
  const isInOrder = inOrder(rows).every((row, index) => row === rows[index]);
  return isInOrder ? [...rows] : rows.map((row, place) => ({ ...row, place }));
}
