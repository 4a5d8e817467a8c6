import { Conflict, Invalid } from "../../../core/errors";
import { type Id, newId, publicId } from "../../../core/ids";
import { keyOf, unknownKey } from "../../../core/workflows/document";
import { isInserted } from "../../../db/own-rows";
import { announceJob } from "../../../engine/jobs/queue-job";
import { insertVacating, type Vacated, vacateNext } from "../../../engine/workflows/vacate";
import type { Context } from "../../../platform/context";
import { reasonOf } from "../../../platform/log";
import { changeWorkflow, tryChange, type WorkflowChange } from "../change";
import { replaceGraph, rowsToWrite } from "../graph-rows";
import { guardBranches } from "../steps/standing";
import { guardTrigger, nextTickOf, readTrigger, triggerColumns } from "../trigger";
import type { WholeWorkflow } from "../workflow";
import { documentOf } from "./document";
import { type DocumentPlan, planOf, stepsAreOccupied, waitingOn } from "./plan";
import { readGraph } from "./read";
import type { PutDocument } from "./schema";

/**
 * Says how executions leave removed steps. Without `moveTo` and without force, a document is refused while executions
 * are at the steps that it removes.
 */
export interface Leaving {
  moveTo?: string | undefined;
  isForced: boolean;
}

/**
 * Implements `PUT /workflows/{id}/document?dryRun=true`: returns what the call would change. Throws the same errors as
 * the call itself, except that executions at removed steps are counted instead of refused.
 */
export async function planDocument(ctx: Context, id: Id, sent: PutDocument, leaving: Leaving): Promise<DocumentPlan> {
  const { before, after } = await tryChange(ctx, id, async (before) => {
    checkVersion(before, sent);
    const change = await readChange(ctx, before, sent);
    findDestination(change.after, leaving);
    return change;
  });
  return planOf(ctx, before, after);
}

/** The steps that a document removes, and the job that moves executions away from them. */
interface Removal extends Vacated {
  jobId: Id;
}

/**
 * Implements `PUT /workflows/{id}/document`. A job moves executions away from removed steps, including those that
 * arrive there at the same moment. If the call has `moveTo` or force, each shard processes a first window of them
 * before the call answers. Throws NotFound, Invalid and Conflict.
 */
export async function replaceDocument(
  ctx: Context,
  id: Id,
  sent: PutDocument,
  leaving: Leaving,
): Promise<{ workflow: WholeWorkflow; jobId: Id | null }> {
  const done: { removal: Removal | null; tries: number } = { removal: null, tries: 0 };
  const workflow = await changeWorkflow(ctx, id, async (before) => {
    // Only the first try checks the version here. If the answer to its commit was lost, this call itself has increased
    // the version, and the repeat finds nothing left to change.
    if (done.tries++ === 0) checkVersion(before, sent);
    const change = await readChange(ctx, before, sent);
    const to = findDestination(change.after, leaving);
    if (isSame(before, change.after)) return null;
    checkVersion(before, sent);
    const { gone: stepIds, made } = rowsToWrite(before.steps, change.after.steps);
    const removal = stepIds.length === 0 ? null : { workflowId: id, stepIds, to, jobId: newId() };
    if (removal && to === null && !leaving.isForced) await refuseIfOccupied(ctx, before, stepIds);
    done.removal = removal;
    const transition = rowsToWrite(before.transitions, change.after.transitions).made[0];
    const hasCommitted =
      (removal && isInserted("jobs", ctx, removal.jobId)) ??
      (made[0] && isInserted("workflow_steps", ctx, made[0].id)) ??
      (transition && isInserted("workflow_transitions", ctx, transition.id));
    return {
      ...change,
      statements: [...replaceGraph(ctx, before, change.after), ...(removal ? [insertVacating(ctx, removal)] : [])],
      ...(hasCommitted && { hasCommitted }),
    };
  });
  const { removal } = done;
  if (removal) {
    // Without `moveTo` and without force, no execution was at the steps. The job alone then handles executions that
    // arrived there at the same moment.
    if (removal.to !== null || leaving.isForced) await vacateNow(ctx, removal);
    await announceJob(ctx, "workflows.vacate", removal.jobId);
  }
  return { workflow, jobId: removal?.jobId ?? null };
}

/**
 * Returns the change that a document asks for, without statements. Fields that the document leaves out get the values
 * of a new workflow, except for `enabled`, which is unchanged.
 */
async function readChange(ctx: Context, before: WholeWorkflow, sent: PutDocument): Promise<WorkflowChange> {
  const { row } = before;
  const trigger = readTrigger(ctx, null, sent);
  const enabled = sent.enabled ?? row.enabled;
  const graph = { steps: sent.steps, transitions: sent.transitions ?? [] };
  const { steps, transitions, guards } = await readGraph(ctx, row.id, before, graph);
  const after = {
    ...row,
    name: sent.name,
    description: sent.description || null,
    allowReentry: sent.allowReentry ?? false,
    enabled,
    ...triggerColumns(trigger),
    nextTickAt: nextTickOf(ctx, row, enabled, trigger),
  };
  const stepsBefore = new Map(before.steps.map((step) => [step.id, step]));
  const branches = steps.flatMap((step) => {
    const had = stepsBefore.get(step.id);
    return had ? guardBranches(ctx, had, step) : [];
  });
  return { after: { row: after, steps, transitions }, guards: [...guardTrigger(ctx, trigger), ...guards, ...branches] };
}

function checkVersion({ row }: WholeWorkflow, { version }: PutDocument): void {
  if (typeof version !== "number" || version === row.version) return;
  throw isOvertaken(version, row.version);
}

export function isOvertaken(version: number, current: number): Conflict {
  return new Conflict(
    `The document has version ${version}, but the workflow has version ${current}. Nothing was changed.`,
    {
      suggestion: "Read the document again with GET /workflows/{id}/document, apply your change to it, and send it.",
      details: { version, current },
    },
  );
}

/** Returns the step to which executions at removed steps move; null if none is named. */
function findDestination({ steps }: WholeWorkflow, { moveTo, isForced }: Leaving): Id | null {
  if (moveTo === undefined) return null;
  if (isForced) throw new Invalid([{ field: "moveTo", code: "custom", message: "Send moveTo or force, not both" }]);
  const byKey = new Map(steps.map((step) => [keyOf(step), step.id]));
  const found = byKey.get(moveTo);
  if (found === undefined) throw new Invalid([unknownKey("moveTo", moveTo, byKey)]);
  return found;
}

function isSame(before: WholeWorkflow, after: WholeWorkflow): boolean {
  return JSON.stringify(documentOf(before)) === JSON.stringify(documentOf(after));
}

async function refuseIfOccupied(ctx: Context, before: WholeWorkflow, stepIds: Id[]): Promise<void> {
  const waiting = await waitingOn(ctx, before, stepIds);
  if (waiting.length > 0) throw stepsAreOccupied(waiting);
}

/** Has each shard process its first window of executions. If this fails, the job does it later. */
async function vacateNow(ctx: Context, { jobId, ...removal }: Removal): Promise<void> {
  try {
    await vacateNext(ctx, removal);
  } catch (error) {
    const reason = reasonOf(error);
    ctx.log("warn", "Executions on removed steps are left to the job", { jobId: publicId(jobId), reason });
  }
}
