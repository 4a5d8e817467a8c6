import { openBatch } from "../../db/batch";
import type { Progress } from "../../engine/recipients/frozen";
import { guardStep, type Run, updateRun } from "../../engine/recipients/run-row";
import type { Context } from "../../platform/context";

/** Stores the progress of a run, if its step is still current. */
export async function saveProgress(ctx: Context, run: Run, progress: Progress, dueAt?: number): Promise<void> {
  const batch = openBatch(ctx);
  batch.addAll([guardStep(ctx, run), updateRun(ctx, run, progress, dueAt)]);
  await batch.commit();
}
