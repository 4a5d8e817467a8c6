import type { JsonObject } from "../../../core/json";
import type { StepOutcome } from "../../../core/workflows/outcome";
import type { StepConfigs, StepType } from "../../../core/workflows/step";
import type { Statement } from "../../../db/statement";
import type { Context } from "../../../platform/context";
import type { SimulatedWorld } from "../simulation/world";
import type { Arrival } from "./arrival";

/** The part of a type of step that needs a database. */
export interface StepEffect<T extends StepType> {
  /**
   * Runs a step for up to a hundred executions. Returns the outcome of each, in order; null if the CPU time ran out
   * first, so that a later pass runs the step. The call may be repeated after an attempt that died halfway: see
   * `effectIdOf`.
   */
  run(ctx: Context, arrivals: Arrival<T>[]): Promise<(StepOutcome | null)[]>;
  /** Records what the step would do, without doing it. */
  simulate(ctx: Context, arrival: Arrival<T>, world: SimulatedWorld): Promise<StepOutcome>;
  /** Whether the step renders Liquid, which may kill the object: see `shard/deaths.ts`. */
  renders?: true;
  /** Whether the step may wait for a report from elsewhere, which names the execution and the step. */
  awaitsReport?: true;
  /**
   * Checks the references of a config before it is saved, and adds warnings to the answer. Returns guards which require
   * that the references are still valid at the commit. Throws Invalid.
   */
  check?(ctx: Context, config: StepConfigs[T], sent: JsonObject): Promise<Statement[]>;
}
