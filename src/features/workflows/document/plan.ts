import { Conflict } from "../../../core/errors";
import type { Id } from "../../../core/ids";
import {
  changedFields,
  compareSteps,
  compareTransitions,
  type Difference,
  keyOf,
} from "../../../core/workflows/document";
import { countSteps } from "../../../engine/workflows/count-steps";
import type { Context } from "../../../platform/context";
import { rowsToWrite } from "../graph-rows";
import type { WholeWorkflow } from "../workflow";
import { documentOf, issuesByKey } from "./document";

/** A removed step with active executions. */
interface Waiting {
  key: string;
  count: number;
}

/** The changes that a document would make. */
export interface DocumentPlan extends Difference {
  fields: ReturnType<typeof changedFields>;
  transitions: ReturnType<typeof compareTransitions>;
  waiting: Waiting[];
  issues: ReturnType<typeof issuesByKey>;
}

export async function planOf(ctx: Context, before: WholeWorkflow | null, after: WholeWorkflow): Promise<DocumentPlan> {
  const [had, has] = [before && documentOf(before), documentOf(after)];
  return {
    ...compareSteps(had?.steps ?? [], has.steps),
    fields: changedFields(had, has),
    transitions: compareTransitions(had?.transitions ?? [], has.transitions),
    waiting: before ? await waitingOn(ctx, before, removedSteps(before, after)) : [],
    issues: issuesByKey(after, after.row.issues),
  };
}

export function removedSteps(before: WholeWorkflow, after: WholeWorkflow): Id[] {
  return rowsToWrite(before.steps, after.steps).gone;
}

/** Counts the executions that are at these steps, as reported by the shards. */
export async function waitingOn(ctx: Context, { row, steps }: WholeWorkflow, stepIds: Id[]): Promise<Waiting[]> {
  if (stepIds.length === 0) return [];
  const keys = new Map(steps.map((step) => [step.id, keyOf(step)]));
  const counted = await countSteps(ctx, row.id, stepIds);
  return counted.flatMap(({ stepId, waiting }) => {
    const key = keys.get(stepId);
    return waiting > 0 && key !== undefined ? [{ key, count: waiting }] : [];
  });
}

export function stepsAreOccupied(waiting: Waiting[]): Conflict {
  const total = waiting.reduce((sum, { count }) => sum + count, 0);
  const where = waiting.map(({ key, count }) => `${key} (${count})`).join(", ");
  const subject = total === 1 ? "1 active execution is" : `${total} active executions are`;
  return new Conflict(`${subject} at steps that the document no longer has: ${where}. Nothing was changed.`, {
    suggestion:
      "Send the document again with ?moveTo=<key> to move them to that step, or with ?force=true to end them.",
    details: { waiting },
  });
}
