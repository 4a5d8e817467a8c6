import type { FieldFault } from "../errors";
import { type Id, textOf } from "../ids";
import { definitionOf, type Graph, type Step, type Transition } from "./step";

/** A transition to be drawn. */
export type Drawing = Pick<Transition, "fromStepId" | "toStepId" | "branch">;

/**
 * Returns the branches of a step; most types have none. If `isPlain`, a transition without a branch is allowed as well.
 */
export function branchNames({ type, config }: Step): { names: string[]; isPlain: boolean } {
  const { branches } = definitionOf(type);
  return branches ? { names: branches.namesOf(config), isPlain: branches.areOptional } : { names: [], isPlain: true };
}

export function stepOf({ steps }: Graph, id: Id): Step | undefined {
  return steps.find((step) => step.id === id);
}

/**
 * Returns why this transition cannot be drawn, as a fault in one of its fields; null if it can. Both of its steps must
 * be in the graph.
 */
export function drawingFault(graph: Graph, { fromStepId, toStepId, branch }: Drawing): FieldFault | null {
  const [from, to] = [stepOf(graph, fromStepId), stepOf(graph, toStepId)];
  if (from === undefined || to === undefined) throw new Error("A transition must join two steps of its workflow");
  if (from.id === to.id) return fault("toStepId", "A step cannot lead to itself");
  if (definitionOf(from.type).isEnd) {
    return fault("fromStepId", `${from.type} ends an execution: nothing leads out of it`);
  }
  if (to.type === "TRIGGER") return fault("toStepId", "Executions begin at TRIGGER: nothing leads into it");
  const taken = branchFault(from, branch) ?? doubleFault(graph, from, branch);
  if (taken !== null) return taken;
  if (isReachable(graph, to.id, from.id)) {
    return fault("toStepId", `${nameOf(to)} leads to ${nameOf(from)} already: this would be a loop`);
  }
  return null;
}

function branchFault(from: Step, branch: string | null): FieldFault | null {
  const { names, isPlain } = branchNames(from);
  const listed = names.join(", ");
  if (branch === null) {
    if (isPlain) return null;
    return { field: "branch", code: "required", message: `Out of ${nameOf(from)}, name a branch: ${listed}` };
  }
  if (names.includes(branch)) return null;
  const message =
    names.length === 0
      ? `${nameOf(from)} is a ${from.type}, which has no branches: leave branch out`
      : `${nameOf(from)} has no branch ${branch}: use ${listed}${isPlain ? ", or none" : ""}`;
  return { field: "branch", code: "invalid_enum_value", message };
}

function doubleFault({ transitions }: Graph, from: Step, branch: string | null): FieldFault | null {
  if (!transitions.some((drawn) => drawn.fromStepId === from.id && drawn.branch === branch)) return null;
  return branch === null
    ? fault("fromStepId", `${nameOf(from)} has a transition already: delete it first, or use a CONDITION`)
    : fault("branch", `The branch ${branch} of ${nameOf(from)} is drawn already: delete its transition first`);
}

/** Returns the branches that have a transition, but that `changed`, the new form of the step, no longer has. */
export function lostBranches({ transitions }: Graph, changed: Step): string[] {
  const { names } = branchNames(changed);
  const drawn = transitions.flatMap(({ fromStepId, branch }) => (fromStepId === changed.id && branch ? [branch] : []));
  return drawn.filter((branch) => !names.includes(branch));
}

/** The changes to the transitions around a step that is deleted. */
export interface Splice {
  removed: Transition[];
  /** Transitions into the step, which then lead to its successor. */
  moved: Transition[];
}

/**
 * Joins the predecessors of a step to its only successor. Returns null if the step always takes a branch or has several
 * successors, because the right successor is then unknown.
 */
export function splice({ transitions }: Graph, step: Step): Splice | null {
  const into = transitions.filter(({ toStepId }) => toStepId === step.id);
  const out = transitions.filter(({ fromStepId }) => fromStepId === step.id);
  const [next, ...others] = new Set(out.map(({ toStepId }) => toStepId));
  if (!branchNames(step).isPlain || others.length > 0) return null;
  if (next === undefined) return { removed: into, moved: [] };
  return { removed: out, moved: into.map((transition) => ({ ...transition, toStepId: next })) };
}

/** Returns the steps that can be reached from this one, including itself. */
export function reachableFrom({ transitions }: Graph, start: Id): Set<Id> {
  const next = Map.groupBy(transitions, ({ fromStepId }) => fromStepId);
  const seen = new Set([start]);
  // The loop adds to the set that it iterates over.
  for (const id of seen) for (const { toStepId } of next.get(id) ?? []) seen.add(toStepId);
  return seen;
}

function isReachable(graph: Graph, from: Id, to: Id): boolean {
  return reachableFrom(graph, from).has(to);
}

function nameOf({ name, id }: Step): string {
  return name === "" ? textOf(id) : JSON.stringify(name);
}

function fault(field: string, message: string): FieldFault {
  return { field, code: "custom", message };
}
