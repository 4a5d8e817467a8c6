import { and, eq } from "drizzle-orm";
import { NotFound } from "../../core/errors";
import { iso, isoOrNull } from "../../core/time";
import { type JobRow, jobs } from "../../db/tables";
import type { Platform } from "../../platform/context";

export function jobJson(row: JobRow) {
  return {
    jobId: row.id,
    type: row.type,
    status: row.status,
    progress: row.progress,
    result: row.result,
    errors: row.errors,
    createdAt: iso(row.createdAt),
    completedAt: isoOrNull(row.completedAt),
  };
}

/** For the operator, whose jobs outlive the project they are about. */
export async function getOperatorJob(platform: Platform, id: string): Promise<JobRow> {
  const row = await platform.control
    .select()
    .from(jobs)
    .where(and(eq(jobs.id, id), eq(jobs.type, "project.erase")))
    .get();
  if (!row) throw new NotFound("job", id);
  return row;
}
