import type { Id } from "../../core/ids";
import { belowAllIds } from "../../core/ids";
import type { JsonObject } from "../../core/json";
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
import type { Arrival } from "./arrival";
import { type Live, type LiveWorkflow, readLive } from "./live";
import { runEffect } from "./run-effect";
import { goneReason } from "./shard-erase";
import type { Mirrored } from "./shard-mirror";
import { findEvent, findExecution, moveExecution, recordsOf, saveRecord, takeWork } from "./shard-rows";
import { readExecution, type ShardStore, type StoredExecution } from "./shard-store";
import { askLog, readNewest } from "./shard-wait";

const executionsPerRound = 100;
const wokenPerRound = 500;

/** Of the events of one round: a round's arrivals are in memory, and travel as parameters. */
const maxRoundCharacters = 8 * 1024 * 1024;

/**
 * One round of a shard: wakes what is due, takes up executions that have something to do, and moves each as far as it
 * goes without another effect. Returns whether there was anything to do. Whatever is awaited here, the executions may
 * change meanwhile: each is moved only as it was read.
 */
export async function runRound(ctx: Context, shard: Mirrored): Promise<boolean> {
  const { store } = shard;
  store.together(() => wakeDue(store, ctx.clock().getTime()));
  const work = takeWork(store, executionsPerRound);
  if (work.length === 0) return false;
  const live = await readLive(
    ctx,
    work.map(({ workflowId }) => workflowId),
    work.map(({ contactId }) => contactId),
  );
  const now = ctx.clock().getTime();
  const standing = store.together(() => work.flatMap((execution) => settle(store, live, execution, now)));
  const groups = Map.groupBy(
    standing.filter(({ execution }) => execution.needs === "step"),
    ({ step }) => step.id,
  );
  for (const group of groups.values()) await runGroup(ctx, shard, group);
  await askLog(
    ctx,
    shard,
    work.flatMap(({ id }) => findExecution(store, id) ?? []).filter(({ needs }) => needs === "log"),
  );
  return true;
}

function wakeDue(store: ShardStore, now: number): void {
  const due = store.all(
    readExecution,
    "SELECT * FROM executions WHERE wake_at <= ? ORDER BY wake_at LIMIT ?",
    ...[now, wokenPerRound],
  );
  for (const execution of due) moveExecution(store, execution, wakeByTime(execution, now), now);
}

/** An execution at a step that it cannot leave without an effect, or without asking the log. */
interface Standing {
  execution: StoredExecution;
  workflow: LiveWorkflow;
  step: Step;
}

/** Moves the execution as far as the graph and the clock decide alone. */
function settle(store: ShardStore, live: Live, execution: StoredExecution, now: number): Standing[] {
  if (execution.needs !== "step") return [];
  const workflow = live.workflows.get(execution.workflowId);
  if (!workflow) return end(store, execution, { kind: "exits", reason: "Workflow was removed" }, now);
  if (!live.contacts.has(execution.contactId)) {
    moveExecution(store, execution, cancelled(execution, goneReason, now), now);
    return [];
  }
  const after = goOn(store, workflow, execution, execution.outcome, now);
  const step = after && after.status === "RUNNING" ? stepOf(workflow.graph, after) : null;
  return after && step ? [{ execution: after, workflow, step }] : [];
}

/** There is no graph to ask any more. */
function end(store: ShardStore, execution: StoredExecution, outcome: Outcome & { kind: "exits" }, now: number): [] {
  const over = cancelled(execution, outcome.reason ?? "", now);
  moveExecution(store, execution, { ...over, status: "EXITED" }, now);
  return [];
}

/**
 * Acts on the outcome, if there is one, and on those of the next steps that need no effect. Stores where that leads, in
 * one write. Null when the execution is not what was read any more: then the outcome counts for nothing.
 */
function goOn(
  store: ShardStore,
  { graph }: LiveWorkflow,
  execution: StoredExecution,
  first: Outcome | null,
  now: number,
  from: Position = execution,
): StoredExecution | null {
  let move: Move = { position: from, record: null };
  const records: StepRecord[] = [];
  let outcome = first ?? decided(graph, from);
  while (outcome !== null && move.position.status === "RUNNING") {
    move = advance(graph, move.position, outcome, now);
    if (move.record) records.push(move.record);
    outcome = move.position.status === "RUNNING" ? decided(graph, move.position) : null;
  }
  if (move.position === execution) return execution;
  const moved = moveExecution(store, execution, move.position, now);
  if (moved) for (const record of records) saveRecord(store, execution.id, record);
  return moved;
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
  const now = ctx.clock().getTime();
  if (isWait) {
    store.together(() => {
      for (const { execution } of group) enterWait(store, workflow, execution, step, now);
    });
    return;
  }
  const ready = group.filter(({ execution }) => findExecution(store, execution.id)?.version === execution.version);
  for (const some of chunksByEvents(store, ready)) await haveEffect(ctx, store, some);
}

async function haveEffect(
  ctx: Context,
  store: ShardStore,
  group: { standing: Standing; arrival: Arrival }[],
): Promise<void> {
  const [first] = group;
  if (!first) return;
  const results = await runEffect(
    ctx,
    group.map(({ arrival }) => arrival),
  );
  const now = ctx.clock().getTime();
  store.together(() => {
    group.forEach(({ standing: { execution, workflow } }, place) => {
      const result = results[place] ?? { error: "The step came to no outcome" };
      if ("kind" in result) goOn(store, workflow, execution, result, now);
      else {
        const { position, outcome } = afterFailedTry(execution, result.error, now);
        goOn(store, workflow, execution, outcome, now, position);
      }
    });
  });
}

/** Notes in the executions after which event a wait that comes next begins, before the step has its effect. */
async function noteSince(ctx: Context, store: ShardStore, group: Standing[]): Promise<void> {
  const asking = group.filter(({ execution }) => execution.since === null);
  if (asking.length === 0) return;
  const newest = await readNewest(
    ctx,
    asking.map(({ execution }) => execution.contactId),
  );
  const now = ctx.clock().getTime();
  store.together(() => {
    for (const one of asking) {
      const since = newest.get(one.execution.contactId) ?? belowAllIds;
      one.execution = moveExecution(store, one.execution, { ...one.execution, since }, now) ?? one.execution;
    }
  });
}

function enterWait(
  store: ShardStore,
  { graph, hearsPublic }: LiveWorkflow,
  execution: StoredExecution,
  step: Extract<Step, { type: "WAIT_FOR_EVENT" }>,
  now: number,
): void {
  const { position, record } = advance(
    graph,
    execution,
    beginWait(step, execution, execution.since ?? belowAllIds),
    now,
  );
  const moved = moveExecution(store, execution, position, now, { hearsPublic, needs: "log" });
  if (moved && record) saveRecord(store, execution.id, record);
}

/** The arrivals with all that templates and conditions can name, in pieces that fit into memory. */
function* chunksByEvents(store: ShardStore, group: Standing[]): Generator<{ standing: Standing; arrival: Arrival }[]> {
  let piece: { standing: Standing; arrival: Arrival }[] = [];
  let characters = 0;
  for (const standing of group) {
    const arrival = arrivalOf(store, standing);
    const size = JSON.stringify(arrival.scope).length;
    if (piece.length > 0 && characters + size > maxRoundCharacters) {
      yield piece;
      piece = [];
      characters = 0;
    }
    piece.push({ standing, arrival });
    characters += size;
  }
  if (piece.length > 0) yield piece;
}

function arrivalOf(store: ShardStore, { execution, workflow, step }: Standing): Arrival {
  const outputs: JsonObject = {};
  for (const { name, output } of recordsOf(store, execution.id)) if (output) outputs[name] = output;
  return {
    executionId: execution.id,
    workflow: { id: workflow.id, name: workflow.name, linkBase: workflow.linkBase },
    contactId: execution.contactId,
    step,
    scope: { event: eventOf(store, execution.eventId), context: execution.context ?? {}, steps: outputs },
    causes: execution.causes,
  };
}

function eventOf(store: ShardStore, id: Id | null): Arrival["scope"]["event"] {
  return id === null ? null : findEvent(store, id);
}
