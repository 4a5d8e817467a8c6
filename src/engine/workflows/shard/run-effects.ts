import { afterFailedTry } from "../../../core/workflows/machine";
import type { StepOutcome } from "../../../core/workflows/outcome";
import type { Context } from "../../../platform/context";
import { effectOf } from "../step-effects";
import { type Arrival, effectIdOf } from "../steps/arrival";
import { type BrokenOff, runEffect } from "../steps/run-effect";
import type { Standing } from "./arrivals";
import { gaveUp } from "./deaths";
import { applyOutcomes, moveAll } from "./settle";
import type { ShardStore } from "./store";

interface Acting {
  standing: Standing;
  arrival: Arrival;
}

/**
 * Runs the effects. Steps that render are guarded against killing the object again and again (see deaths.ts); other
 * steps only run queries.
 */
export async function runEffects(ctx: Context, store: ShardStore, all: Acting[]): Promise<void> {
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
  const arrivals = group.map(({ arrival }) => arrival);
  const results = await runEffect(ctx, arrivals).catch((error) => {
    storeArrivals(ctx, store, group);
    throw error;
  });
  moveBy(ctx, store, group, (index) => results[index] ?? null);
}

/** Records that the executions are at the step. The step's effect may have happened even though its answer was lost. */
function storeArrivals(ctx: Context, store: ShardStore, group: Acting[]): void {
  const moves = group.map(({ standing: { read, execution, passed } }) => ({
    execution: read,
    change: execution === read ? null : { read, position: execution, records: passed },
  }));
  store.together(() => moveAll(store, moves, ctx.clock().getTime()));
}

/** Moves each execution by the result of its step. A null result leaves the execution at the step for the next pass. */
function moveBy(
  ctx: Context,
  store: ShardStore,
  group: Acting[],
  resultAt: (index: number) => StepOutcome | BrokenOff | null,
): void {
  const now = ctx.clock().getTime();
  const moves = group.map(({ standing: { read, execution, passed, workflow } }, index) => {
    const result = resultAt(index);
    if (result === null) return { execution: read, change: null };
    const { position, outcome } =
      "kind" in result ? { position: execution, outcome: result } : afterFailedTry(execution, result.error, now);
    return { execution: read, change: applyOutcomes(workflow, read, outcome, now, { from: position, passed }) };
  });
  store.together(() => moveAll(store, moves, now));
}
