import { sql } from "drizzle-orm";
import type { StepOutcome } from "../../../core/workflows/outcome";
import { asNumber, columns } from "../../../db/rows";
import { selectOne } from "../../../db/statement";
import { isTrouble, troubleOf } from "../../../db/trouble";
import type { Context } from "../../../platform/context";
import { reasonOf } from "../../../platform/log";
import type { Arrival } from "./arrival";
import { type Effect, type EffectType, stepTypes } from "./step-types";

/** An attempt that threw, and why. */
export interface BrokenOff {
  error: string;
}

/**
 * Runs one step for these arrivals, which are all at it. If that throws, runs it for each alone, so that one bad
 * contact does not stop the others. Null means that the pass's CPU time was spent before this arrival. Throws when the
 * database cannot be reached: no step is at fault, and the alarm tries again for as long as it takes.
 */
export async function runEffect(ctx: Context, arrivals: Arrival[]): Promise<(StepOutcome | BrokenOff | null)[]> {
  try {
    // The machine decides all other steps, so only steps with an effect get here.
    return await effectOf(arrivals)(ctx, arrivals as Arrival<EffectType>[]);
  } catch (error) {
    // A query that exhausts the database may be the step's own.
    if (isTrouble(error) && troubleOf(error) !== "exhausted") throw error;
    await requireDatabase(ctx);
    ctx.log("error", "A step of a workflow broke off", {
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

function effectOf([first]: Arrival[]): Effect<EffectType> {
  const type = first?.step.type;
  // All arrivals are at the same step, so its type's effect accepts them all.
  const effect = type === undefined ? undefined : (stepTypes[type as EffectType] as Effect<EffectType> | undefined);
  if (!effect) throw new Error(`This version cannot do a step of type ${type}`);
  return effect;
}

async function requireDatabase(ctx: Context): Promise<void> {
  await selectOne(ctx.db, sql`SELECT 1 AS n`, columns({ n: asNumber }));
}
