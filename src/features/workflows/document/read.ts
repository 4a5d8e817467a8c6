import { type FieldFault, Invalid } from "../../../core/errors";
import type { Id } from "../../../core/ids";
import { drawAll, keyFaults, keyOf, triggerKey, withOrdinals } from "../../../core/workflows/document";
import { checkCounts, checkSize } from "../../../core/workflows/size";
import type { Statement } from "../../../db/statement";
import type { WorkflowStepRow, WorkflowTransitionRow } from "../../../db/tables";
import { stepOfRow } from "../../../engine/workflows/graph";
import type { Context } from "../../../platform/context";
import { newStep, newTransition, triggerStep } from "../graph-rows";
import { rowHeight } from "../steps/create";
import type { WholeWorkflow } from "../workflow";
import { type CheckedStep, checkStep, guardTemplates } from "./check-step";
import type { SentGraph, SentStep } from "./graph-schema";

type Rows = Pick<WholeWorkflow, "steps" | "transitions">;

/** The rows that a document describes, and the conditions that must still hold when they are written. */
interface ReadGraph extends Rows {
  guards: Statement[];
}

/**
 * Reads the steps and transitions of a document, under the same rules as the calls for single ones. If `before` has a
 * step with the same key, the step keeps its id, and also its position unless the document gives one. Throws Invalid
 * with all faults and their fields, NotFound for a template, and Conflict.
 */
export async function readGraph(ctx: Context, workflowId: Id, before: Rows, sent: SentGraph): Promise<ReadGraph> {
  const keys = new Set([triggerKey, ...sent.steps.map(({ key }) => key)]);
  checkCounts({ steps: { length: keys.size }, transitions: sent.transitions });
  const trigger = before.steps.find(({ type }) => type === "TRIGGER") ?? triggerStep(ctx, workflowId);
  const known = new Map([...before.steps, trigger].map((step) => [keyOf(step), step]));
  const { checked, unread, faults } = await checkSteps(ctx, known, sent.steps);
  const listed = withOrdinals(rowsOf(ctx, workflowId, known, checked));
  const isListed = listed.some(({ type }) => type === "TRIGGER");
  const steps = inOrderOfIds(isListed ? listed : [trigger, ...listed]);
  const byKey = new Map(steps.map((step) => [keyOf(step), stepOfRow(step)]));
  const { drawn, faults: transitionFaults } = drawAll(byKey, sent.transitions, unread);
  refuseFaults([...faults, ...transitionFaults]);
  checkSize({ steps, transitions: sent.transitions }, "steps");
  const transitions = withOrdinals(
    drawn.map(
      (transition) => before.transitions.find(isAs(transition)) ?? newTransition(ctx, { workflowId, ...transition }),
    ),
  );
  const guards = [...checked.flatMap((step) => step.guards), ...(await guardTemplates(ctx, before.steps, checked))];
  return { steps, transitions: inOrderOfIds(transitions), guards };
}

function refuseFaults(faults: FieldFault[]): void {
  if (faults.length > 0) throw new Invalid(faults);
}

/** Returns the valid steps, the keys of the faulty ones, and all faults. */
async function checkSteps(ctx: Context, known: ReadonlyMap<string, WorkflowStepRow>, steps: readonly SentStep[]) {
  const faults = keyFaults(steps);
  // A step with a faulty key is not checked, because it would be compared with the wrong step.
  const hasKey = steps.map((_, index) => !faults.some(({ field }) => field === `steps[${index}].key`));
  const read = await Promise.all(
    steps.map(async (step, index): Promise<CheckedStep | null> => {
      if (!hasKey[index]) return null;
      try {
        return await checkStep(ctx, known.get(step.key), step, index);
      } catch (error) {
        if (!(error instanceof Invalid)) throw error;
        faults.push(...error.faults.map((fault) => ({ ...fault, field: `steps[${index}].${fault.field}` })));
        return null;
      }
    }),
  );
  const unread = new Set(steps.flatMap(({ key }, index) => (read[index] ? [] : key)));
  return { checked: read.filter((step) => step !== null), unread, faults };
}

/** Returns the rows of the steps. A new step without a position is drawn below all others. */
function rowsOf(
  ctx: Context,
  workflowId: Id,
  known: ReadonlyMap<string, WorkflowStepRow>,
  checked: readonly CheckedStep[],
): WorkflowStepRow[] {
  let lowest = Math.max(...[...known.values()].map(({ y }) => y));
  return checked.map(({ key, type, position, ...rest }) => {
    const { name, config, templateId } = rest;
    const row = known.get(key);
    if (!row) {
      const corner = position ?? { x: 0, y: lowest + rowHeight };
      lowest = Math.max(lowest, corner.y);
      return newStep(ctx, { workflowId, key, type, name, ...corner, config, templateId });
    }
    const after = { ...row, ...(type === "TRIGGER" && { key }), name, ...position, config, templateId };
    const isSame = JSON.stringify(after) === JSON.stringify(row);
    return isSame ? row : { ...after, updatedAt: Math.max(row.updatedAt, ctx.now.getTime()) };
  });
}

function isAs({
  fromStepId,
  toStepId,
  branch,
  priority,
}: Omit<WorkflowTransitionRow, "projectId" | "workflowId" | "id" | "ordinal" | "createdAt">) {
  return (row: WorkflowTransitionRow) =>
    row.fromStepId === fromStepId && row.toStepId === toStepId && row.branch === branch && row.priority === priority;
}

/** Sorts rows by id, the order in which the database will return them. */
function inOrderOfIds<T extends { id: Id }>(rows: readonly T[]): T[] {
  return rows.toSorted((a, b) => (a.id < b.id ? -1 : 1));
}
