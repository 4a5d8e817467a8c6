import type { ExecutionPosition, StepRecord } from "../../../core/workflows/execution";
import { advance, cancelled, decide, isWait, type Move, stepOf } from "../../../core/workflows/machine";
import type { StepOutcome } from "../../../core/workflows/outcome";
import type { Step } from "../../../core/workflows/step";
import { effectOf } from "../step-effects";
import type { Standing } from "./arrivals";
import { goneReason, workflowRemoved } from "./erase";
import type { Live, LiveWorkflow } from "./live";
import { type ExecutionChange, moveExecutions } from "./moves";
import { withRecords } from "./records";
import type { ShardStore, StoredExecution } from "./store";

/**
 * Moves executions as far as the graph and the clock alone decide. Returns those that are then at a step with an
 * effect. Their move to that step is stored later, together with the move that the effect causes, because everything
 * before the effect can be repeated.
 */
export function settle(store: ShardStore, live: Live, work: StoredExecution[], now: number): Standing[] {
  const steps = work.filter(({ needs }) => needs === "step");
  const settling = steps.map((execution) => {
    const change = settled(live, execution, now);
    const step = stepAfter(live, execution, change);
    return { execution, change, step, isStored: change !== null && !(step && staysOpen(step)) };
  });
  const stored = moveAll(
    store,
    settling.map(({ execution, change, isStored }) => ({ execution, change: isStored ? change : null })),
    now,
  );
  return settling.flatMap(({ execution, change, step, isStored }, index) => {
    const workflow = live.workflows.get(execution.workflowId);
    const read = stored[index] ?? null;
    if (!workflow || read === null || step === null) return [];
    if (isStored || change === null) return [{ read, execution: read, passed: [], workflow, step }];
    const { position, records: passed = [] } = change;
    const records = withRecords(execution.records, passed);
    return [{ read, execution: { ...execution, ...position, records }, passed, workflow, step }];
  });
}

/** Returns the step at which an execution still runs after a change; null if there is none. */
function stepAfter({ workflows }: Live, execution: StoredExecution, change: ExecutionChange | null): Step | null {
  const { position } = change ?? { position: execution };
  const workflow = workflows.get(execution.workflowId);
  return workflow && position.status === "RUNNING" ? stepOf(workflow.graph, position) : null;
}

/**
 * Whether the arrival at a step can be stored later, together with the move off the step. If a step waits for a report
 * or an event, the arrival must be stored first, because the report or event must find the execution at its stored
 * step.
 */
function staysOpen(step: Step): boolean {
  return !isWait(step) && effectOf(step.type)?.awaitsReport !== true;
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
 * Stores all changes together. An unchanged execution is returned as it was read; null stands for an execution that
 * another call moved meanwhile.
 */
export function moveAll(
  store: ShardStore,
  moves: { execution: StoredExecution; change: ExecutionChange | null }[],
  now: number,
): (StoredExecution | null)[] {
  const changes = moves.flatMap(({ change }) => change ?? []);
  const moved = moveExecutions(store, changes, now);
  const after = new Map(changes.map((change, index) => [change, moved[index] ?? null]));
  return moves.map(({ execution, change }) => (change === null ? execution : (after.get(change) ?? null)));
}

/**
 * Applies the outcome, if there is one, then moves on through steps that need no effect. Returns the result as one
 * change of the execution as it was read, together with the records in `passed`; null if nothing changes.
 */
export function applyOutcomes(
  { graph }: LiveWorkflow,
  read: StoredExecution,
  first: StepOutcome | null,
  now: number,
  { from, passed }: { from: ExecutionPosition; passed: StepRecord[] } = { from: read, passed: [] },
): ExecutionChange | null {
  let move: Move = { position: from, record: null };
  const records: StepRecord[] = [...passed];
  let outcome = first ?? decided(graph, from);
  while (outcome !== null && move.position.status === "RUNNING") {
    move = advance(graph, move.position, outcome, now);
    if (move.record) records.push(move.record);
    outcome = move.position.status === "RUNNING" ? decided(graph, move.position) : null;
  }
  return move.position === read ? null : { read, position: move.position, records };
}

/**
 * Returns the outcome of the current step; null if it depends on more than the graph and the clock. A removed step
 * counts as done, so that the execution leaves it.
 */
function decided(graph: LiveWorkflow["graph"], position: ExecutionPosition): StepOutcome | null {
  const step = stepOf(graph, position);
  return step === null ? { kind: "done" } : decide(step, position);
}
