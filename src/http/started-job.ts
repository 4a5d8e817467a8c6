import { z } from "zod";

/** The answer of a call that starts a job. */
export const QueuedJob = z
  .object({ jobId: z.string() })
  .meta({ id: "QueuedJob", example: { jobId: "0199a0f2-9d02-7e6f-b1c4-2a3b4c5d6e7f" } });

/** Describes the answer of a call that starts a job, and the job's `result` once it is completed. */
export function starting<Answer extends z.ZodType>(schema: Answer, jobResult: z.ZodType) {
  return { schema, jobResult, description: `Queued. The \`result\` of the job is \`${jobResult.meta()?.id}\`.` };
}

export const StartedJob = z
  .object({ jobId: z.string(), status: z.literal("queued") })
  .meta({ id: "StartedJob", example: { jobId: "0199a0f2-9d02-7e6f-b1c4-2a3b4c5d6e7f", status: "queued" } });
