import { z } from "zod";
import { asId, type Id } from "../../core/ids";
import type { JsonObject } from "../../core/json";
import type { Statement } from "../../db/statement";
import { StoredScan } from "./stored-scan";

const StoredId = z.string().transform(asId);

/** The input of a job that scans for a segment. */
export const ScanJobInput = z.object({
  segmentId: StoredId,
  /** Whether a client knows the id of the job and may poll it. */
  isFollowed: z.boolean(),
});

/**
 * The state of a job that scans. A **pass** is one scan from the first contact to the last; see `upsertComputation` for
 * when a job makes several. A step only writes if the stored state is still the one that it has read. The job's input
 * is not compared, so it may change during a step.
 */
export const ScanJobState = z.object({
  /** Whether the job changes members without events. */
  silent: z.boolean(),
  /**
   * The scan of the pass. Null before the first step. A scan that was stored by another version of the program starts
   * again.
   */
  scan: StoredScan.nullable().catch(null),
  /**
   * The number of batches that were written. Each batch increments it, so that two runs never both write from the same
   * state.
   */
  batches: z.number().optional(),
  /** The generation of the job before this pass began. The pass serves the calls up to that generation. */
  generation: z.number().optional(),
  /** The generation of the last complete pass. */
  done: z.number().optional(),
});
export type ScanJobState = z.infer<typeof ScanJobState>;

/** Converts the state to the JSON that a job stores. Every value came out of JSON or is plain JSON. */
export function stateJson(state: ScanJobState): JsonObject {
  return state as unknown as JsonObject;
}

/**
 * Returns the state at the beginning of a pass. It must be stored exactly as JSON.stringify writes it, because the
 * guard of each step compares it as text.
 */
export function firstState(first: Pick<ScanJobState, "silent" | "generation" | "done">): JsonObject {
  return stateJson({ ...first, scan: null });
}

/** A job to start for a segment of any project. */
export interface ScanJobStart {
  jobId: Id;
  projectId: number;
  segmentId: Id;
}

/** Statements that insert jobs. They run in this order. */
export interface ScanJobInserts {
  /** Returns the jobs that were inserted. */
  jobs: Statement<{ id: Id; projectId: number }>;
  rest: Statement[];
}
