import { partOf } from "../../core/cpu";
import { belowAllIds } from "../../core/ids";
import { MAX_UNITS } from "../../core/templating/budget";
import type { Position, StepRecord } from "../../core/workflows/execution";
import {
  advance,
  afterFailedTry,
  beginWait,
  cancelled,
  decide,
  leadsToWait,
  type Move,
  stepOf,
  wakeByTime,
} from "../../core/workflows/machine";
import type { Outcome } from "../../core/workflows/outcome";
import type { Step } from "../../core/workflows/step";
import type { Context } from "../../platform/context";
import { type Arrival, effectIdOf } from "./arrival";
import { chunksByEvents, type Standing } from "./arrivals";
import { type Live, type LiveWorkflow, readLive } from "./live";
import { type BrokenOff, runEffect } from "./run-effect";
import { gaveUp } from "./shard-deaths";
import { goneReason, workflowRemoved } from "./shard-erase";
import type { Mirrored } from "./shard-mirror";
import { type Change, moveExecution, moveExecutions } from "./shard-moves";
import { askingOf, dropEntry, executionsPerRound, needLog, takeWork, unmovedOf } from "./shard-rows";
import { readExecution, type ShardStore, type StoredExecution } from "./shard-store";
import { askLog, readNewest } from "./shard-wait";

const workflowsPerRound = 10;

/** All that a round renders: as much as one mail may. Of all shards of an isolate one computes, and others wait for its round. */
const unitsPerRound = MAX_UNITS;

/**
 * One round of a shard: wakes what is due, takes up executions that have something to do, and moves each as far as it
 * goes without another effect. Returns whether there was anything to do. Whatever is awaited here, the executions may
 * change meanwhile: each is moved only as it was read.
 */
export async function runRound(given: Context, shard: Mirrored): Promise<boolean> {
  const { store } = shard;
  const ctx = { ...given, cpu: partOf(given.cpu, unitsPerRound) };
  const begunAt = ctx.clock().getTime();
  const work = awake(store, ofFewWorkflows(takeWork(store, executionsPerRound, begunAt)), begunAt);
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
    // The others stay where they stand, and are next.
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

/** The graph of a workflow may have half a megabyte, so a round reads few of them. The others are next. */
function ofFewWorkflows(work: StoredExecution[]): StoredExecution[] {
  const few = [...new Set(work.map(({ workflowId }) => workflowId))].slice(0, workflowsPerRound);
  return work.filter(({ workflowId }) => few.includes(workflowId));
}

/**
 * Those whose time has come go on as if they had been woken. That is written with where they go next, and not before:
 * until then their time stays, and who dies finds them again. What somebody waits for may have happened in time, and be on
 * its way: the log knows, and is asked first.
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

/** Executions that wait for a call do their step again, which finds the call, or what came of it. */
export function askForCalls(store: ShardStore, now: number): void {
  const calling = store.all(readExecution, "SELECT * FROM executions WHERE pause = 'call'");
  for (const execution of calling) {
    moveExecution(store, execution, wakeByTime(execution, execution.wakeAt ?? now), now);
  }
}

/** Moves executions as far as the graph and the clock decide alone. Returns those that stand at a step then. */
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

function settled(live: Live, execution: StoredExecution, now: number): Change | null {
  const workflow = live.workflows.get(execution.workflowId);
  if (!workflow) {
    // There is no graph to ask any more: the execution came in as the workflow was deleted.
    const over = cancelled(execution, workflowRemoved, now);
    return { read: execution, position: { ...over, status: "EXITED" } };
  }
  if (!live.contacts.has(execution.contactId)) {
    return { read: execution, position: cancelled(execution, goneReason, now) };
  }
  return goOn(workflow, execution, execution.outcome, now);
}

/** Stores what changes, all at once. Who does not change is as it was; who was moved by others meanwhile is null. */
function moveAll(
  store: ShardStore,
  moves: { execution: StoredExecution; change: Change | null }[],
  now: number,
): (StoredExecution | null)[] {
  const changes = moves.flatMap(({ change }) => change ?? []);
  const moved = moveExecutions(store, changes, now);
  const after = new Map(changes.map((change, place) => [change, moved[place] ?? null]));
  return moves.map(({ execution, change }) => (change === null ? execution : (after.get(change) ?? null)));
}

/**
 * Acts on the outcome, if there is one, and on those of the next steps that need no effect. Returns where that leads, as
 * one change; null when it leads nowhere.
 */
function goOn(
  { graph }: LiveWorkflow,
  execution: StoredExecution,
  first: Outcome | null,
  now: number,
  from: Position = execution,
): Change | null {
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

/** A step that is gone is left by any outcome. */
function decided(graph: LiveWorkflow["graph"], position: Position): Outcome | null {
  const step = stepOf(graph, position);
  return step === null ? { kind: "done" } : decide(step, position);
}

/** Does a step for all of the executions that stand at it. */
async function runGroup(ctx: Context, shard: Mirrored, group: Standing[]): Promise<void> {
  const [first] = group;
  if (!first) return;
  const { step, workflow } = first;
  const { store } = shard;
  const isWait = step.type === "WAIT_FOR_EVENT";
  if (isWait || leadsToWait(workflow.graph, step.id)) await noteSince(ctx, store, group);
  if (isWait) {
    enterWaits(store, group, step, ctx.clock().getTime());
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
    await haveEffects(ctx, store, some);
  }
}

interface Acting {
  standing: Standing;
  arrival: Arrival;
}

/** Does a step that renders so that the object cannot die of it for ever: see shard-deaths.ts. The others only ask. */
async function haveEffects(ctx: Context, store: ShardStore, all: Acting[]): Promise<void> {
  const isRendering = all.some(({ arrival: { step } }) => step.type === "UPDATE_CONTACT" || step.type === "WEBHOOK");
  if (!isRendering) return haveEffect(ctx, store, all);
  const { deaths } = store;
  for (const group of deaths.inGroups(all, ({ arrival }) => effectIdOf(arrival))) {
    if (ctx.cpu.isSpent()) return;
    const ids = group.map(({ arrival }) => effectIdOf(arrival));
    if (ids.some(deaths.isHopeless)) moveBy(ctx, store, group, () => ({ kind: "failed", reason: gaveUp }));
    else {
      deaths.begin(ids);
      await haveEffect(ctx, store, group);
    }
    deaths.survived(ids);
  }
}

async function haveEffect(ctx: Context, store: ShardStore, group: Acting[]): Promise<void> {
  const results = await runEffect(
    ctx,
    group.map(({ arrival }) => arrival),
  );
  moveBy(ctx, store, group, (place) => results[place] ?? null);
}

/** Moves each by what came of its step. Null leaves it where it stands: it is next. */
function moveBy(
  ctx: Context,
  store: ShardStore,
  group: Acting[],
  resultAt: (place: number) => Outcome | BrokenOff | null,
): void {
  const now = ctx.clock().getTime();
  const moves = group.map(({ standing: { execution, workflow } }, place) => {
    const result = resultAt(place);
    if (result === null) return { execution, change: null };
    if ("kind" in result) return { execution, change: goOn(workflow, execution, result, now) };
    const { position, outcome } = afterFailedTry(execution, result.error, now);
    return { execution, change: goOn(workflow, execution, outcome, now, position) };
  });
  store.together(() => moveAll(store, moves, now));
}

/**
 * Notes in the executions after which event a wait begins: before the step that leads to it has its effect, or, where that
 * asks nobody, when the wait has come. If it is asked late, because an object died, what happened meanwhile counts all the
 * same.
 */
async function noteSince(ctx: Context, store: ShardStore, group: Standing[]): Promise<void> {
  const asking = group.filter(({ execution }) => execution.since === null);
  if (asking.length === 0) return;
  const newest = await readNewest(
    ctx,
    asking.map(({ execution: { contactId, place, startedAt, enteredAt }, step }) => {
      // Whoever is started by hand and comes to a wait at once waits since then.
      const waitsSince = place === 1 ? startedAt : enteredAt;
      return { contactId, upTo: step.type === "WAIT_FOR_EVENT" ? waitsSince : null };
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

function enterWaits(
  store: ShardStore,
  group: Standing[],
  step: Extract<Step, { type: "WAIT_FOR_EVENT" }>,
  now: number,
): void {
  const changes = group.map(({ execution, workflow: { graph, hearsPublic } }): Change => {
    const wait = beginWait(step, execution, execution.since ?? belowAllIds);
    const { position, record } = advance(graph, execution, wait, now);
    return { read: execution, position, records: record ? [record] : [], beside: { hearsPublic, needs: "log" } };
  });
  store.together(() => moveExecutions(store, changes, now));
}
