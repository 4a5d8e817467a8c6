import { sql } from "drizzle-orm";
import { BadRequest } from "../../core/errors";
import { newId } from "../../core/ids";
import { commit, query, statement } from "../../db/commit";
import type { JobRow, SegmentRow } from "../../db/tables";
import { totalContacts } from "../../engine/contacts/total";
import { getJob } from "../../engine/jobs/job";
import { announceJob } from "../../engine/jobs/queue-job";
import { workOn } from "../../engine/jobs/work";
import type { Context } from "../../platform/context";
import { computeStep, stepsPerRun } from "./compute-step";
import { joinComputation } from "./join-computation";
import { getSegment } from "./segment";
import { activeComputation } from "./start-computation";

/** In a project with more contacts than this, a computation goes on in the background. */
const mostInline = 10_000;

/** Steps that a call takes, of up to seven statements each when few contacts move: D1 takes a thousand of one call. */
const mostSteps = 100;

/** How often the call looks whether the one beside it, which does the same steps, has done the last of them. */
const mostLooks = 50;

/** What a computation did: who came in, who left, and how many are members now. */
export type Computed = { added: number; removed: number; total: number };

/**
 * `POST /segments/{id}/compute`: brings the members of a tracked segment up to date, with an event for each who enters or
 * leaves. Throws BadRequest.
 */
export async function computeSegment(ctx: Context, segment: SegmentRow): Promise<Computed | { jobId: string }> {
  if (segment.type !== "DYNAMIC" || !segment.trackMembership) {
    throw new BadRequest("Only a tracked DYNAMIC segment has a membership to compute.", {
      suggestion:
        "Set trackMembership to true first; for the number of members alone, use POST /segments/{id}/refresh.",
    });
  }
  const rows = await commit(ctx.db, [
    statement(ctx.db, sql`SELECT ${totalContacts(ctx)} AS contacts`),
    ...joinComputation(ctx, segment.id, newId()),
  ]);
  const [contacts, joined] = [rows[0]?.[0]?.contacts, rows.at(-1)?.[0]?.job_id];
  // Deleted, or tracked no more, since it was read.
  if (typeof joined !== "string") return computeSegment(ctx, await getSegment(ctx, segment.id));
  const done = await finishComputation(ctx, segment.id, { jobId: joined, contacts: Number(contacts) });
  return done ?? computeSegment(ctx, await getSegment(ctx, segment.id));
}

/**
 * Works on a computation, and one before it, to the end while that is little work; else the queue does. Null when there
 * was nothing to compute any more.
 */
export async function finishComputation(
  ctx: Context,
  segmentId: string,
  { jobId, contacts }: { jobId: string; contacts: number },
): Promise<Computed | { jobId: string } | null> {
  let steps = 0;
  const step = (job: Context, row: JobRow) => {
    steps += 1;
    return computeStep(job, row);
  };
  for (let looks = 0; contacts <= mostInline && steps < mostSteps && looks < mostLooks; looks++) {
    const active = await findActive(ctx, segmentId);
    const job = { type: "segments.compute" as const, projectId: ctx.project.id, jobId: active ?? jobId };
    await workOn(ctx, job, step, { stepsPerRun });
    const { status, result } = await getJob(ctx, jobId);
    if (status === "completed") return result && readComputed(result);
    await new Promise((resolve) => setTimeout(resolve, 10 + 40 * ctx.random()));
  }
  await announceJob(ctx, "segments.compute", (await findActive(ctx, segmentId)) ?? jobId);
  return { jobId };
}

/** The job that goes on. */
async function findActive(ctx: Context, segmentId: string): Promise<string | null> {
  const [row] = await query(
    ctx.db,
    sql`SELECT (${activeComputation}) AS job_id FROM segments s
      WHERE s.project_id = ${ctx.project.id} AND s.id = ${segmentId}`,
  );
  return row?.job_id ? String(row.job_id) : null;
}

function readComputed(result: Record<string, unknown>): Computed {
  const of = (name: string) => Number(result[name] ?? 0);
  return { added: of("added"), removed: of("removed"), total: of("total") };
}
