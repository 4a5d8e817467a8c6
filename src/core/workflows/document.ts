import { z } from "zod";
import { closestTo } from "../closest";
import type { FieldFault } from "../errors";
import { type Id, publicId } from "../ids";
import type { JsonObject } from "../json";
import type { Graph, Step, StepType, Transition } from "./step";
import { drawingFault } from "./structure";
import type { Trigger } from "./trigger";

/** A whole workflow as its author stores it: steps have the author's keys instead of ids. */
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
  /** The public id of the step's own template. */
  templateId: string | null;
  position: { x: number; y: number };
}

export interface DocumentTransition {
  from: string;
  to: string;
  branch: string | null;
  priority: number;
}

/** The key that an author gives a step. */
export const StepKey = z
  .string()
  .regex(/^[A-Za-z0-9_-]{1,64}$/, { error: "A key is 1 to 64 letters, digits, _ and -" })
  .meta({ example: "welcome" });

/** The key of the TRIGGER step, which every workflow has. A document may leave that step out. */
export const triggerKey = "trigger";

/** Returns the key of a step in documents: its author's key, or the id of a step that was created by a single call. */
export function keyOf({ type, id, key }: { type: StepType; id: Id; key: string | null }): string {
  return type === "TRIGGER" ? triggerKey : (key ?? publicId(id));
}

/**
 * Returns a fault for each key that an earlier step already has, for a TRIGGER whose key is not `trigger`, and for any
 * other step whose key is `trigger`.
 */
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

/** A transition of a document. It has no id yet. */
export type NewTransition = Omit<Transition, "id">;

/**
 * Adds the transitions of a document one by one, under the same rules as transitions that are created singly. `steps`
 * are the graph's steps by key; `unread` are the keys of faulty steps, whose transitions are skipped.
 */
export function drawAll(
  steps: ReadonlyMap<string, Step>,
  transitions: readonly DocumentTransition[],
  unread: ReadonlySet<string> = new Set(),
): { drawn: NewTransition[]; faults: FieldFault[] } {
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
    // The id of a transition is not used here, so any will do.
    graph.transitions.push({ id: start.id, ...drawing, priority });
    return [];
  });
  return { drawn: graph.transitions.map(({ id: _, ...drawn }) => drawn), faults };
}

/** The transition fields that have another name in documents. */
const names: Record<string, string> = { fromStepId: "from", toStepId: "to" };

export function unknownKey(field: string, key: string, steps: ReadonlyMap<string, unknown>): FieldFault {
  const meant = closestTo(key, steps.keys());
  const message = `No step of the document has this key${meant === null ? "" : `: did you mean ${meant}?`}`;
  return { field, code: "custom", message, received: key };
}

/** The keys of the steps that a document creates, changes, removes or leaves unchanged. */
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

/** Returns the workflow's own fields that a document changes; all of them for a new workflow. */
export function changedFields(before: WorkflowDocument | null, after: WorkflowDocument): (typeof ownFields)[number][] {
  return ownFields.filter((field) => !before || JSON.stringify(before[field]) !== JSON.stringify(after[field]));
}

/** A transition as a difference shows it: without fields that have their default value. */
type ShownTransition = Pick<DocumentTransition, "from" | "to"> & Partial<{ branch: string; priority: number }>;

/**
 * Compares the transitions of two documents, ignoring their order. A transition whose branch or priority has changed
 * counts as removed and created.
 */
export function compareTransitions(
  before: readonly DocumentTransition[],
  after: readonly DocumentTransition[],
): Record<"created" | "removed", ShownTransition[]> {
  return { created: addedTransitions(before, after), removed: addedTransitions(after, before) };
}

/** Returns the transitions of the second list that the first one lacks. */
function addedTransitions(
  before: readonly DocumentTransition[],
  after: readonly DocumentTransition[],
): ShownTransition[] {
  const texts = new Set(before.map((transition) => JSON.stringify(shown(transition))));
  return after.map(shown).filter((transition) => !texts.has(JSON.stringify(transition)));
}

function shown({ from, to, branch, priority }: DocumentTransition): ShownTransition {
  return { from, to, ...(branch !== null && { branch }), ...(priority !== 0 && { priority }) };
}

interface Ordered {
  id: Id;
  ordinal: number | null;
}

/** Sorts rows by their order in the document; rows without an ordinal follow in the order of their creation. */
export function inOrder<T extends Ordered>(rows: readonly T[]): T[] {
  const ordinalOf = ({ ordinal }: T) => ordinal ?? Number.MAX_SAFE_INTEGER;
  return rows.toSorted((a, b) => ordinalOf(a) - ordinalOf(b) || (a.id < b.id ? -1 : 1));
}

/**
 * Gives rows ordinals that preserve the order of the list. If the rows already sort in that order, they stay unchanged.
 */
export function withOrdinals<T extends Ordered>(rows: readonly T[]): T[] {
  const isInOrder = inOrder(rows).every((row, index) => row === rows[index]);
  return isInOrder ? [...rows] : rows.map((row, index) => ({ ...row, ordinal: index }));
}
