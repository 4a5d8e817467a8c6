import { partOf } from "../../../core/cpu";
import { MAX_UNITS } from "../../../core/templating/budget";
import { isWait, leadsToWait } from "../../../core/workflows/machine";
import { wakeByTime } from "../../../core/workflows/wake";
import type { Context } from "../../../platform/context";
import { letOthersIn } from "../../../platform/let-others-in";
import { chunksByEvents, type Standing } from "./arrivals";
import { enterWaits, recordWaitStart } from "./begin-waits";
import { showCancelled } from "./cancel";
import { hasUnmirrored } from "./changes";
import { forgetFinished } from "./forget";
import { inPass } from "./in-pass";
import { readLive } from "./live";
import { type Mirrored, mirrorSome } from "./mirror";
import { unmovedOf } from "./rows";
import { runEffects } from "./run-effects";
import { settle } from "./settle";
import { forgetSeen } from "./starts";
import type { ShardStore, StoredExecution } from "./store";
import { askLog } from "./wait";
import { askingOf, countWork, executionsPerPass, hasWork, needLog, takeWork } from "./work";

/** The maximum number of passes of one invocation, which may make a thousand subrequests. A pass makes about five. */
const maxPasses = 100;
/** The number of passes between two updates of the mirror, as long as work is left. */
const passesPerMirroring = 20;

/**
 * Works in passes until nothing is left to do, and mirrors the results. When the CPU time is spent, the alarm continues
 * the work.
 */
export async function runPasses(given: Context, shard: Mirrored): Promise<void> {
  const { store } = shard;
  await showCancelled(given, store);
  for (let pass = 1; pass <= maxPasses && !given.cpu.isSpent(); pass++) {
    const isOver = await inPass(given, countWork(store, given.clock().getTime()), async (ctx) => {
      const hadWork = await runPass(ctx, shard);
      const mayMirror = !hadWork || pass % passesPerMirroring === 0 || ctx.cpu.isSpent();
      const isMirrored = mayMirror && !(await mirrorSome(ctx, shard));
      const isClean = isMirrored && !(await forgetFinished(ctx, store));
      return !hadWork && isClean && !hasWork(store) && !hasUnmirrored(store);
    });
    if (isOver) break;
    await letOthersIn();
  }
  forgetSeen(store, given.clock().getTime());
}

const workflowsPerPass = 10;

/**
 * The maximum number of units that one pass spends on rendering, which is as many as a single email may spend. Only one
 * shard of an isolate computes at a time, and the others wait for its pass.
 */
const unitsPerPass = MAX_UNITS;

/**
 * Makes one pass: wakes due executions, takes those that have something to do, and moves each as far as one effect
 * allows. Returns whether there was anything to do. Executions may change during every await here, so each is only
 * moved if it is unchanged since it was read.
 */
async function runPass(given: Context, shard: Mirrored): Promise<boolean> {
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
 * Limits a pass to a few workflows, because the graph of one may take half a megabyte. Later passes handle the others.
 */
function ofFewWorkflows(work: StoredExecution[]): StoredExecution[] {
  const few = [...new Set(work.map(({ workflowId }) => workflowId))].slice(0, workflowsPerPass);
  return work.filter(({ workflowId }) => few.includes(workflowId));
}

/**
 * Treats executions as woken if their time has come. The wake-up is only stored with the next move. Until then the wake
 * time stays, so if the object dies, it finds the executions again. An execution that waits for an event is not woken
 * yet: the event may have happened in time although its message has not arrived, so the log is checked first.
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

/** Runs a step for all executions that are waiting at it. */
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
