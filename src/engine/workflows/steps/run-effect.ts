import { sql } from "drizzle-orm";
import type { StepOutcome } from "../../../core/workflows/outcome";
import type { StepType } from "../../../core/workflows/step";
import { asNumber, columns } from "../../../db/rows";
import { selectOne } from "../../../db/statement";
import { isTrouble, troubleOf } from "../../../db/trouble";
import type { Context } from "../../../platform/context";
import { reasonOf } from "../../../platform/log";
import { effectOf } from "../step-effects";
import type { Arrival } from "./arrival";
import type { StepEffect } from "./effect";

/** An attempt that threw, with the message of its error. */
export interface BrokenOff {
  error: string;
}

/**
 * Runs a step for arrivals that are all at that step. If that throws, runs the step for each arrival alone, so that one
 * bad contact does not stop the others. A null result means that the pass's CPU time ran out before that arrival.
 * Throws when the database cannot be reached: no step is at fault, and the alarm tries again until it can be.
 */
export async function runEffect(ctx: Context, arrivals: Arrival[]): Promise<(StepOutcome | BrokenOff | null)[]> {
  try {
    return await effectAt(arrivals).run(ctx, arrivals);
  } catch (error) {
    // When a query exhausts the database, the step itself may be the cause, so the error counts as the step's own.
    if (isTrouble(error) && troubleOf(error) !== "exhausted") throw error;
    await requireDatabase(ctx);
    ctx.log("error", "A step of a workflow failed with an error", {
      projectId: ctx.project.id,
      step: arrivals[0]?.step.type,
      executions: arrivals.length,
      reason: reasonOf(error),
    });
    if (arrivals.length === 1) return [{ error: reasonOf(error) }];
  }
  const results: (StepOutcome | BrokenOff | null)[] = [];
  for (const arrival of arrivals) results.push(...(await runEffect(ctx, [arrival])));
  return results;
}

/**
 * Returns the effect of the step that all of the arrivals have reached. The machine decides steps that have no effect.
 */
function effectAt([first]: Arrival[]): StepEffect<StepType> {
  const effect = first && effectOf(first.step.type);
  if (!effect) throw new Error(`This version cannot do a step of type ${first?.step.type}`);
  return effect;
}

async function requireDatabase(ctx: Context): Promise<void> {
  await selectOne(ctx.db, sql`SELECT 1 AS n`, columns({ n: asNumber }));
}
