import { z } from "zod";
import { asId, type Id } from "../../core/ids";
import type { JsonObject } from "../../core/json";
import type { Statement } from "../../db/statement";
import { StoredScan } from "./stored-scan";

const StoredId = z.string().transform(asId);

/** What a job that scans for a segment is told. */
export const Input = z.object({
  segmentId: StoredId,
  /** Somebody has the job's id, and may ask for it. */
  isFollowed: z.boolean(),
});

/**
 * Where it stands. What must not change between what a step reads and what it writes is here, and not in the input. A
 * **pass** is one scan from the first contact to the last; see `upsertComputation` for when a job makes several.
 */
export const State = z.object({
  /** Members come and go without events. */
  silent: z.boolean(),
  /** Null before the first step. One that another version of this program wrote begins again. */
  scan: StoredScan.nullable().catch(null),
  /** How many batches were written. It moves with each, so that two runs never write from what only one has seen. */
  batches: z.number().optional(),
  /** The job's generation as it was before this pass began: so whom the pass serves. */
  generation: z.number().optional(),
  /** The generation of the last pass that came to its end. */
  done: z.number().optional(),
});
export type State = z.infer<typeof State>;

/** As it is stored in a job: whatever is in it came out of JSON, or goes into it as it is. */
export function stateJson(state: State): JsonObject {
  return state as unknown as JsonObject;
}

/** As a pass begins. Each step compares the stored text with what it writes itself. */
export function firstState(first: Pick<State, "silent" | "generation" | "done">): JsonObject {
  return stateJson({ ...first, scan: null });
}

/** A job to start, of a segment in any project. */
export interface Start {
  jobId: Id;
  projectId: number;
  segmentId: Id;
}

/** Statements that start jobs, in this order. */
export interface Starting {
  /** Returns the jobs that were started. */
  jobs: Statement<{ id: Id; projectId: number }>;
  rest: Statement[];
}
