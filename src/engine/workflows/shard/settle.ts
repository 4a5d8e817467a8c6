import type { ExecutionPosition, StepRecord } from "../../../core/workflows/execution";
import { advance, cancelled, decide, type Move, stepOf } from "../../../core/workflows/machine";
import type { StepOutcome } from "../../../core/workflows/outcome";
import type { Standing } from "./arrivals";
import { goneReason, workflowRemoved } from "./erase";
import type { Live, LiveWorkflow } from "./live";
import { type ExecutionChange, moveExecutions } from "./moves";
import { dropEntry } from "./rows";
import type { ShardStore, StoredExecution } from "./store";

/**
 * Moves executions as far as the graph and the clock alone decide. Returns those that are then at a step with an
 * effect.
 */
export function settle(store: ShardStore, live: Live, work: StoredExecution[], now: number): Standing[] {
  const steps = work.filter(({ needs }) => needs === "step");
  const moves = steps.map((execution) => ({ execution, change: settled(live, execution, now) }));
  const moved = moveAll(store, moves, now);
  return steps.flatMap((execution, place) => {
    const workflow = live.workflows.get(execution.workflowId);
    if (!workflow) dropEntry(store, execution);
    const after = moved[place] ?? null;
    const step = workflow && after?.status === "RUNNING" ? stepOf(workflow.graph, after) : null;
    return workflow && after && step ? [{ execution: after, workflow, step }] : [];
  });
}

function settled(live: Live, execution: StoredExecution, now: number): ExecutionChange | null {
  const workflow = live.workflows.get(execution.workflowId);
  if (!workflow) {
    // The execution started while its workflow was being deleted, so there is no graph to follow.
    const over = cancelled(execution, workflowRemoved, now);
    return { read: execution, position: { ...over, status: "EXITED" } };
  }
  if (!live.contacts.has(execution.contactId)) {
    return { read: execution, position: cancelled(execution, goneReason, now) };
  }
  return applyOutcomes(workflow, execution, execution.outcome, now);
}

/**
 * Stores all changes together. Unchanged executions are returned as read; null stands for one that another call moved
 * meanwhile.
 */
export function moveAll(
  store: ShardStore,
  moves: { execution: StoredExecution; change: ExecutionChange | null }[],
  now: number,
): (StoredExecution | null)[] {
  const changes = moves.flatMap(({ change }) => change ?? []);
  const moved = moveExecutions(store, changes, now);
  const after = new Map(changes.map((change, place) => [change, moved[place] ?? null]));
  return moves.map(({ execution, change }) => (change === null ? execution : (after.get(change) ?? null)));
}

/**
 * Applies the outcome, if there is one, then moves on through steps that need no effect. Returns the result as one
 * change; null if nothing changes.
 */
export function applyOutcomes(
  { graph }: LiveWorkflow,
  execution: StoredExecution,
  first: StepOutcome | null,
  now: number,
  from: ExecutionPosition = execution,
): ExecutionChange | null {
  let move: Move = { position: from, record: null };
  const records: StepRecord[] = [];
  let outcome = first ?? decided(graph, from);
  while (outcome !== null && move.position.status === "RUNNING") {
    move = advance(graph, move.position, outcome, now);
    if (move.record) records.push(move.record);
    outcome = move.position.status === "RUNNING" ? decided(graph, move.position) : null;
  }
  return move.position === execution ? null : { read: execution, position: move.position, records };
}

/** Returns the outcome of the current step. A removed step is left in any case. */
function decided(graph: LiveWorkflow["graph"], position: ExecutionPosition): StepOutcome | null {
  const step = stepOf(graph, position);
  return step === null ? { kind: "done" } : decide(step, position);
}
