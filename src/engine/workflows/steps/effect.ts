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
   * Runs a step for up to a hundred executions that are at it, and returns the outcome of each, in order; null if the
   * CPU time was spent first, so that a later pass runs it. May be repeated, and an earlier attempt may have died
   * half-way: see `effectIdOf`.
   */
  run(ctx: Context, arrivals: Arrival<T>[]): Promise<(StepOutcome | null)[]>;
  /** Records what the step would do, without doing it. */
  simulate(ctx: Context, arrival: Arrival<T>, world: SimulatedWorld): Promise<StepOutcome>;
  /** It renders Liquid, which may take the object down: see `shard/deaths.ts`. */
  renders?: true;
  /**
   * Checks what a config names before it is saved, and adds warnings about it to those of the answer. Returns the
   * guards that it stays so until then. Throws Invalid.
   */
  check?(ctx: Context, config: StepConfigs[T], sent: JsonObject): Promise<Statement[]>;
}
