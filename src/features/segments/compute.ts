import { sql } from "drizzle-orm";
import { z } from "zod";
import { BadRequest } from "../../core/errors";
import { type Id, newId } from "../../core/ids";
import { openBatch } from "../../db/batch";
import { asNumber, columns } from "../../db/rows";
import { statement } from "../../db/statement";
import type { JobRow, SegmentRow } from "../../db/tables";
import { isTrouble } from "../../db/trouble";
import { totalContacts } from "../../engine/contacts/total";
import { getJob } from "../../engine/jobs/job";
import { announceJob } from "../../engine/jobs/queue-job";
import { workOn } from "../../engine/jobs/work";
import type { Context } from "../../platform/context";
import { type AwaitedPass, upsertComputation } from "./computation";
import { computeRuns, computeStep } from "./compute-step";
import { ScanJobState } from "./scan-job";
import { getSegment } from "./segment";

/** A computation in a project with more contacts than this continues in the background. */
const maxInline = 10_000;

/**
 * The maximum number of steps that one call runs. A step in which few contacts move has up to seven statements, and D1
 * allows a thousand per call.
 */
const maxSteps = 100;

/** The maximum number of times that the call checks whether another run of the same job has done the last step. */
const maxChecks = 50;

/** The result of a computation: how many contacts entered, how many left, and how many are members now. */
const ComputeResult = z.object({ added: z.number(), removed: z.number(), total: z.number() });
export type ComputeResult = z.infer<typeof ComputeResult>;

/**
 * `POST /segments/{id}/compute`: brings the members of a tracked segment up to date, with an event for each contact
 * that enters or leaves. Throws BadRequest.
 */
export async function computeSegment(ctx: Context, segment: SegmentRow): Promise<ComputeResult | { jobId: Id }> {
  if (segment.type !== "DYNAMIC" || !segment.trackMembership) {
    throw notComputable();
  }
  const batch = openBatch(ctx);
  // A repeat joins the computation that the first attempt started.
  batch.mayRepeat();
  const total = batch.add(statement(sql`SELECT ${totalContacts(ctx)} AS contacts`, columns({ contacts: asNumber })));
  const { writes, joined } = upsertComputation(ctx, segment.id, newId());
  batch.addAll(writes);
  const computation = batch.add(joined);
  await batch.commit();
  const { contacts } = total.one;
  const done = computation.first ? await finishComputation(ctx, computation.first, contacts) : null;
  // `done` is null when the job ended without a result, for example because the segment was deleted. The second attempt
  // then finds the reason.
  return done ?? computeSegment(ctx, await getSegment(ctx, segment.id));
}

/**
 * Runs the steps of a small project's computation until the pass for which the call waits is done. In a large project,
 * or if that takes too many steps, leaves the job to the queue and returns its id. Calls that arrive meanwhile do not
 * delay this call, because each of them runs the steps of its own pass. Returns null when there was nothing left to
 * compute, or when the job was given up.
 */
export async function finishComputation(
  ctx: Context,
  { jobId, generation }: AwaitedPass,
  contacts: number,
): Promise<ComputeResult | { jobId: Id } | null> {
  const job = { type: "segments.compute" as const, projectId: ctx.project.number, jobId };
  let steps = 0;
  let answer: ComputeResult | null = null;
  const step = async (context: Context, row: JobRow) => {
    if ((ScanJobState.parse(row.state).done ?? 0) >= generation) {
      answer = ComputeResult.parse(row.result);
      return "waits";
    }
    steps += 1;
    return computeStep(context, row);
  };
  for (let checks = 0; contacts <= maxInline && steps < maxSteps && checks < maxChecks; checks++) {
    try {
      await workOn(ctx, job, step, computeRuns);
      if (answer !== null) return answer;
      const { status, result } = await getJob(ctx, jobId);
      if (status === "completed") return result && ComputeResult.parse(result);
      if (status === "failed") return null;
    } catch (error) {
      // The row of the job exists, so the queue continues once the database answers again.
      if (!isTrouble(error)) throw error;
      break;
    }
    await new Promise((resolve) => setTimeout(resolve, 10 + 40 * ctx.random()));
  }
  await announceJob(ctx, "segments.compute", jobId);
  return { jobId };
}

export function notComputable(): BadRequest {
  return new BadRequest("Only a tracked DYNAMIC segment has members to compute.", {
    suggestion:
      "Set trackMembership to true first. If you only need the number of members, use POST " +
      "/segments/{id}/refresh.",
  });
}
