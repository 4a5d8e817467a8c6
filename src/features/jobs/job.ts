import { sql } from "drizzle-orm";
import { NotFound } from "../../core/errors";
import { type Id, publicId } from "../../core/ids";
import { iso, isoOrNull } from "../../core/time";
import { wholeRow } from "../../db/rows";
import { selectFirst } from "../../db/statement";
import { type JobRow, jobs } from "../../db/tables";
import type { Platform } from "../../platform/context";

/** Why a job failed stands among its errors: what the job is does not say where else. */
export function jobJson(row: JobRow) {
  return {
    jobId: publicId(row.id),
    type: row.type,
    status: row.status,
    progress: row.progress,
    result: row.result,
    errors: [...row.errors, ...(row.reason === null ? [] : [{ reason: row.reason }])],
    createdAt: iso(row.createdAt),
    completedAt: isoOrNull(row.completedAt),
  };
}

/** For the operator, whose jobs outlive the project they are about: nothing is left that says its number. */
export async function getOperatorJob(platform: Platform, id: Id): Promise<JobRow> {
  const row = await selectFirst(
    platform.control,
    sql`SELECT * FROM jobs INDEXED BY ix_jobs_erasures WHERE id = ${id} AND type = 'project.erase'`,
    wholeRow(jobs),
  );
  if (!row) throw new NotFound("job", id);
  return row;
}
