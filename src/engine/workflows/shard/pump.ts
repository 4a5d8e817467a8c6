import { partOf } from "../../../core/cpu";
import { belowAllIds } from "../../../core/ids";
import { MAX_UNITS } from "../../../core/templating/budget";
import type { ExecutionPosition, StepRecord } from "../../../core/workflows/execution";
import {
  advance,
  afterFailedTry,
  beginWait,
  cancelled,
  decide,
  isWait,
  leadsToWait,
  type Move,
  stepOf,
} from "../../../core/workflows/machine";
import type { StepOutcome } from "../../../core/workflows/outcome";
import { wakeByTime } from "../../../core/workflows/wake";
import type { Context } from "../../../platform/context";
import { effectOf } from "../step-effects";
import { type Arrival, effectIdOf } from "../steps/arrival";
import { type BrokenOff, runEffect } from "../steps/run-effect";
import { chunksByEvents, type Standing } from "./arrivals";
import { gaveUp } from "./deaths";
import { goneReason, workflowRemoved } from "./erase";
import { type Live, type LiveWorkflow, readLive } from "./live";
import type { Mirrored } from "./mirror";
import { type ExecutionChange, moveExecution, moveExecutions } from "./moves";
import { askingOf, dropEntry, executionsPerPass, needLog, takeWork, unmovedOf } from "./rows";
import { readExecution, type ShardStore, type StoredExecution } from "./store";
import { askLog, readNewest } from "./wait";

const workflowsPerPass = 10;

/**
 * The most that one pass may render: as much as a single email may. Only one shard of an isolate computes at a time,
 * and the others wait for its pass.
 */
const unitsPerPass = MAX_UNITS;

/**
 * Makes one pass: wakes executions that are due, takes those that have something to do, and moves each as far as it
 * gets with one effect. Returns whether there was anything to do. Executions may change during every await here, so
 * each is moved only if it is unchanged since it was read.
 */
export async function runPass(given: Context, shard: Mirrored): Promise<boolean> {
  const { store } = shard;
  const ctx = { ...given, cpu: partOf(given.cpu, unitsPerPass) };
  const begunAt = ctx.clock().getTime();
  const work = awake(store, ofFewWorkflows(takeWork(store, executionsPerPass, begunAt)), begunAt);
  if (work.length === 0) return false;
  const live = await readLive(
    ctx,
    work.map(({ workflowId }) => workflowId),
    work.map(({ contactId }) => contactId),
  );
  const now = ctx.clock().getTime();
  const standing = store.together(() => settle(store, live, work, now));
  const groups = Map.groupBy(standing, ({ step }) => step.id);
  for (const group of groups.values()) {
    // The other executions stay at their steps, and the next pass takes them.
    if (ctx.cpu.isSpent()) break;
    await runGroup(ctx, shard, group);
  }
  await askLog(
    ctx,
    shard,
    askingOf(
      store,
      work.map(({ id }) => id),
    ),
  );
  return true;
}

/**
 * Limits a pass to a few workflows, because the graph of one may have half a megabyte. Later passes take the others.
 */
function ofFewWorkflows(work: StoredExecution[]): StoredExecution[] {
  const few = [...new Set(work.map(({ workflowId }) => workflowId))].slice(0, workflowsPerPass);
  return work.filter(({ workflowId }) => few.includes(workflowId));
}

/**
 * Treats executions as woken if their time has come. The wake-up is stored only together with the following move: until
 * then the wake time stays, so an object that dies finds them again. The event that an execution waits for may have
 * happened in time with its message still on the way, so the log is asked first.
 */
function awake(store: ShardStore, work: StoredExecution[], now: number): StoredExecution[] {
  const waited = work.filter(({ needs, pause }) => needs === null && pause === "event");
  needLog(
    store,
    waited.map(({ id }) => id),
  );
  return work.map((read) => {
    if (read.needs !== null) return read;
    return read.pause === "event" ? { ...read, needs: "log" } : { ...read, ...wakeByTime(read, now), needs: "step" };
  });
}

/** Makes executions that wait for a call repeat their step, which finds the call or its outcome. */
export function askForCalls(store: ShardStore, now: number): void {
  const calling = store.all(readExecution, "SELECT * FROM executions WHERE pause = 'call'");
  for (const execution of calling) {
    moveExecution(store, execution, wakeByTime(execution, execution.wakeAt ?? now), now);
  }
}

/**
 * Moves executions as far as the graph and the clock alone decide. Returns those that are then at a step with an
 * effect.
 */
function settle(store: ShardStore, live: Live, work: StoredExecution[], now: number): Standing[] {
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
function moveAll(
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
 * Applies the outcome, if there is one, and then those of the following steps that need no effect. Returns the result
 * as one change; null if nothing changes.
 */
function applyOutcomes(
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

/** A removed step is left whatever the outcome. */
function decided(graph: LiveWorkflow["graph"], position: ExecutionPosition): StepOutcome | null {
  const step = stepOf(graph, position);
  return step === null ? { kind: "done" } : decide(step, position);
}

/** Runs a step for all executions that are at it. */
async function runGroup(ctx: Context, shard: Mirrored, group: Standing[]): Promise<void> {
  const [first] = group;
  if (!first) return;
  const { step, workflow } = first;
  const { store } = shard;
  if (isWait(step) || leadsToWait(workflow.graph, step.id)) await recordWaitStart(ctx, store, group);
  if (isWait(step)) {
    enterWaits(store, group, ctx.clock().getTime());
    return;
  }
  const unmoved = new Set(
    unmovedOf(
      store,
      group.map(({ execution }) => execution),
    ),
  );
  const ready = group.filter(({ execution }) => unmoved.has(execution));
  for (const some of chunksByEvents(store, ready)) {
    if (ctx.cpu.isSpent()) break;
    await runEffects(ctx, store, some);
  }
}

interface Acting {
  standing: Standing;
  arrival: Arrival;
}

/**
 * Runs the effects. Steps that render are guarded against killing the object for ever (see deaths.ts); the other
 * steps only query.
 */
async function runEffects(ctx: Context, store: ShardStore, all: Acting[]): Promise<void> {
  const isRendering = all.some(({ arrival: { step } }) => effectOf(step.type)?.renders);
  if (!isRendering) return runAndMove(ctx, store, all);
  const { deaths } = store;
  for (const group of deaths.inGroups(all, ({ arrival }) => effectIdOf(arrival))) {
    if (ctx.cpu.isSpent()) return;
    const ids = group.map(({ arrival }) => effectIdOf(arrival));
    if (ids.some(deaths.isHopeless)) moveBy(ctx, store, group, () => ({ kind: "failed", reason: gaveUp }));
    else {
      deaths.begin(ids);
      await runAndMove(ctx, store, group);
    }
    deaths.survived(ids);
  }
}

async function runAndMove(ctx: Context, store: ShardStore, group: Acting[]): Promise<void> {
  const results = await runEffect(
    ctx,
    group.map(({ arrival }) => arrival),
  );
  moveBy(ctx, store, group, (place) => results[place] ?? null);
}

/** Moves each execution by the result of its step. Null leaves it at the step for the next pass. */
function moveBy(
  ctx: Context,
  store: ShardStore,
  group: Acting[],
  resultAt: (place: number) => StepOutcome | BrokenOff | null,
): void {
  const now = ctx.clock().getTime();
  const moves = group.map(({ standing: { execution, workflow } }, place) => {
    const result = resultAt(place);
    if (result === null) return { execution, change: null };
    if ("kind" in result) return { execution, change: applyOutcomes(workflow, execution, result, now) };
    const { position, outcome } = afterFailedTry(execution, result.error, now);
    return { execution, change: applyOutcomes(workflow, execution, outcome, now, position) };
  });
  store.together(() => moveAll(store, moves, now));
}

/**
 * Records in the executions after which event a wait counts: before the effect of the step that leads to the wait, or,
 * if that step has none, on arrival at the wait. If an object died and this comes late, events since then still count.
 */
async function recordWaitStart(ctx: Context, store: ShardStore, group: Standing[]): Promise<void> {
  const asking = group.filter(({ execution }) => execution.since === null);
  if (asking.length === 0) return;
  const newest = await readNewest(
    ctx,
    asking.map(({ execution: { contactId, place, startedAt, enteredAt }, step }) => {
      // An execution that was started by hand and comes to a wait at once has waited since its start.
      const waitsSince = place === 1 ? startedAt : enteredAt;
      return { contactId, upTo: isWait(step) ? waitsSince : null };
    }),
  );
  const now = ctx.clock().getTime();
  store.together(() => {
    const moved = moveExecutions(
      store,
      asking.map(({ execution }, place) => ({
        read: execution,
        position: { ...execution, since: newest[place] ?? belowAllIds },
      })),
      now,
    );
    asking.forEach((one, place) => {
      one.execution = moved[place] ?? one.execution;
    });
  });
}

function enterWaits(store: ShardStore, group: Standing[], now: number): void {
  const changes = group.flatMap(({ execution, step, workflow: { graph, hearsPublic } }): ExecutionChange | [] => {
    const wait = beginWait(step, execution, execution.since ?? belowAllIds);
    if (wait === null) return [];
    const { position, record } = advance(graph, execution, wait, now);
    return { read: execution, position, records: record ? [record] : [], extra: { hearsPublic, needs: "log" } };
  });
  store.together(() => moveExecutions(store, changes, now));
}
