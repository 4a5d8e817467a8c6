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
import { upsertComputation, type Wish } from "./computation";
import { computeStep, stepsPerRun } from "./compute-step";
import { State } from "./scan-job";
import { getSegment } from "./segment";

/** In a project with more contacts than this, a computation goes on in the background. */
const maxInline = 10_000;

/** Steps that a call takes, of up to seven statements each when few contacts move: D1 takes a thousand of one call. */
const maxSteps = 100;

/** How often the call checks whether another run, which does the same steps, has done the last of them. */
const maxChecks = 50;

/** What a computation did: how many entered, how many left, and how many are members now. */
const Computed = z.object({ added: z.number(), removed: z.number(), total: z.number() });
export type Computed = z.infer<typeof Computed>;

/**
 * `POST /segments/{id}/compute`: brings the members of a tracked segment up to date, with an event for each who enters or
 * leaves. Throws BadRequest.
 */
export async function computeSegment(ctx: Context, segment: SegmentRow): Promise<Computed | { jobId: Id }> {
  if (segment.type !== "DYNAMIC" || !segment.trackMembership) {
    throw notComputable();
  }
  const batch = openBatch(ctx);
  // A second run joins the computation that the first one started.
  batch.mayRepeat();
  const total = batch.add(statement(sql`SELECT ${totalContacts(ctx)} AS contacts`, columns({ contacts: asNumber })));
  const { writes, joined } = upsertComputation(ctx, segment.id, newId());
  batch.addAll(writes);
  const computation = batch.add(joined);
  await batch.commit();
  const { contacts } = total.one;
  const done = computation.first ? await finishComputation(ctx, computation.first, contacts) : null;
  // Null when the segment was deleted or is tracked no more since it was read: then this call says so.
  return done ?? computeSegment(ctx, await getSegment(ctx, segment.id));
}

/**
 * Works on a computation until what the call waits for is done, while that is little work; else the queue does. Calls that
 * come meanwhile keep it from nothing: the passes that they want are theirs to work on. Null when there was nothing to
 * compute any more, or when it was given up.
 */
export async function finishComputation(
  ctx: Context,
  { jobId, generation }: Wish,
  contacts: number,
): Promise<Computed | { jobId: Id } | null> {
  const job = { type: "segments.compute" as const, projectId: ctx.project.number, jobId };
  let steps = 0;
  let answer: Computed | null = null;
  const step = async (context: Context, row: JobRow) => {
    if ((State.parse(row.state).done ?? 0) >= generation) {
      answer = Computed.parse(row.result);
      return "waits";
    }
    steps += 1;
    return computeStep(context, row);
  };
  for (let checks = 0; contacts <= maxInline && steps < maxSteps && checks < maxChecks; checks++) {
    try {
      await workOn(ctx, job, step, { stepsPerRun });
      if (answer !== null) return answer;
      const { status, result } = await getJob(ctx, jobId);
      if (status === "completed") return result && Computed.parse(result);
      if (status === "failed") return null;
    } catch (error) {
      // The job's row is there, so the queue goes on once the database answers again.
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
    suggestion: "Set trackMembership to true first; for the number of members alone, use POST /segments/{id}/refresh.",
  });
}
