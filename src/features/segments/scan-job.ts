import { z } from "zod";
import { asId, type Id, textOf } from "../../core/ids";
import type { JsonObject } from "../../core/json";
import type { Statement } from "../../db/statement";
import { StoredScan } from "./stored-scan";

const StoredId = z.string().transform(asId);

/** What a job that scans for a segment is told. */
export const Input = z.object({
  segmentId: StoredId,
  /** Somebody has the job's id, and may ask for it. */
  isFollowed: z.boolean(),
  /** The job that waits for this one to end, and whose row is there already; see `upsertComputation`. */
  waitingJobId: StoredId.optional(),
});
export type Input = z.infer<typeof Input>;

export function inputJson({ segmentId, isFollowed }: Input): JsonObject {
  return { segmentId: textOf(segmentId), isFollowed };
}

/** Where it stands. What must not change between what a step reads and what it writes is here, and not in the input. */
export const State = z.object({
  /** Members come and go without events. */
  silent: z.boolean(),
  /** Null before the first step. One that another version of this program wrote begins again. */
  scan: StoredScan.nullable().catch(null),
  /** How many batches were written. It moves with each, so that two runs never write from what only one has seen. */
  batches: z.number().optional(),
});
export type State = z.infer<typeof State>;

/** As it is stored in a job: whatever is in it came out of JSON, or goes into it as it is. */
export function stateJson(state: State): JsonObject {
  return state as unknown as JsonObject;
}

/** As a job begins. Each step compares the stored text with what it writes itself, so the database must not write it. */
export function firstState({ silent }: { silent: boolean }): JsonObject {
  return stateJson({ silent, scan: null });
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
