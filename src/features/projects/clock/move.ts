import { sql } from "drizzle-orm";
import { Conflict, Invalid } from "../../../core/errors";
import { type Id, newId, publicId, textOf } from "../../../core/ids";
import { dayMs, iso } from "../../../core/time";
import { openBatch } from "../../../db/batch";
import { isInserted } from "../../../db/own-rows";
import { asId, columns } from "../../../db/rows";
import { inProject } from "../../../db/scope";
import { statement } from "../../../db/statement";
import { recordChange } from "../../../engine/audit/record-change";
import { firstAdvanceState } from "../../../engine/clock/advance";
import { announceJob, insertJob } from "../../../engine/jobs/queue-job";
import { forProject, type Platform, timeOfProject } from "../../../platform/context";
import { auditedClock } from "../audited";
import { getProject, notRestored } from "../project";
import type { MoveClock } from "./schema";

/** The farthest that one call may move a clock: ten years. */
const maxMs = 3_653 * dayMs;

/**
 * Moves the clock of a project forward in a job: see engine/clock/advance.ts. Only one advance runs at a time. Throws
 * NotFound, Conflict for a project on the real clock and during another advance, and Invalid for a time in the past.
 */
export async function moveClock(platform: Platform, id: string, asked: MoveClock): Promise<{ jobId: Id }> {
  const project = await getProject(platform, id);
  if (!project.testClock) {
    throw new Conflict("This project uses the real clock, which cannot be moved.", {
      suggestion: "Create a project with testClock: true. The clock of a project cannot be changed later.",
    });
  }
  if (project.restoring) throw notRestored();
  const ctx = forProject(platform, project);
  const from = timeOfProject(project);
  const target = asked.now ?? from + (asked.advance ?? 0);
  const field = asked.now === undefined ? "advance" : "now";
  refuseTarget(field, from, target);
  const jobId = newId();
  const isOpen = sql`SELECT id FROM jobs INDEXED BY ix_jobs_open WHERE ${inProject(ctx)}
    AND status IN ('queued', 'processing') AND type = 'project.advance'`;
  const batch = openBatch(ctx);
  batch.recognise(isInserted("jobs", ctx, jobId));
  recordChange(batch, ctx, auditedClock(project, jobId, from));
  const open = batch.add(statement(isOpen, columns({ id: asId })));
  batch.add(
    insertJob(ctx, {
      id: jobId,
      type: "project.advance",
      input: { from, target },
      state: firstAdvanceState,
      onlyIf: sql`NOT EXISTS (${isOpen})`,
    }),
  );
  await batch.commit();
  // If the database's first answer was lost, the open advance may be the one that this call itself started.
  const other = open.all.find(({ id }) => textOf(id) !== textOf(jobId));
  if (other) throw underWay(other.id);
  await announceJob(ctx, "project.advance", jobId);
  return { jobId };
}

function refuseTarget(field: "advance" | "now", from: number, target: number): void {
  if (target < from) {
    const message = `Must not be before the project's present time, ${iso(from)}: a clock cannot be set back`;
    throw new Invalid([{ field, code: "too_small", message }]);
  }
  if (target > from + maxMs) {
    throw new Invalid([
      { field, code: "too_big", message: "Must be at most ten years after the project's present time" },
    ]);
  }
}

function underWay(jobId: Id): Conflict {
  return new Conflict(`Job ${publicId(jobId)} is already moving the clock of this project.`, {
    suggestion: "Poll GET /jobs/{id} until the job has ended, then send the request again.",
  });
}
