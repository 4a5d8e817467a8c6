import { sql } from "drizzle-orm";
import { UnheededRows, warningsOf } from "../../core/contacts/unheeded-rows";
import { NotFound } from "../../core/errors";
import { type Id, publicId } from "../../core/ids";
import { iso, isoOrNull } from "../../core/time";
import { isCopy } from "../../db/open-copies";
import { asNumber, asText, columns, wholeRow } from "../../db/rows";
import { select, selectFirst } from "../../db/statement";
import { type JobRow, jobs } from "../../db/tables";
import type { Platform } from "../../platform/context";
import { searchDatabases } from "../../platform/search-databases";

/**
 * Returns a job as callers see it. The reason for a failure is the last of its errors, because a job has no other field
 * for the reason.
 */
export function jobJson(row: JobRow) {
  const warnings = row.type === "contacts.import" ? warningsOf(UnheededRows.parse(row.result ?? {})) : [];
  return {
    jobId: publicId(row.id),
    type: row.type,
    status: row.status,
    progress: row.progress,
    result: row.result,
    errors: [...row.errors, ...(row.reason === null ? [] : [{ reason: row.reason }])],
    ...(warnings.length > 0 ? { warnings } : {}),
    createdAt: iso(row.createdAt),
    completedAt: isoOrNull(row.completedAt),
  };
}

/**
 * Finds a job for the operator, by its id alone: the job that deletes a project outlives the project. Throws NotFound.
 */
export async function getOperatorJob(platform: Platform, id: Id): Promise<JobRow> {
  return (await findErasure(platform, id)) ?? (await findCopy(platform, id)) ?? (await getAdvance(platform, id));
}

async function findErasure(platform: Platform, id: Id): Promise<JobRow | null> {
  return selectFirst(
    platform.control,
    sql`SELECT * FROM jobs INDEXED BY ix_jobs_erasures WHERE id = ${id} AND type = 'project.erase'`,
    wholeRow(jobs),
  );
}

/** Finds the job of a backup, a restore or a move. Such a job is in the database of its project. */
function findCopy(platform: Platform, id: Id): Promise<JobRow | null> {
  return searchDatabases(platform, (db) =>
    selectFirst(
      db,
      sql`SELECT * FROM jobs INDEXED BY ix_jobs_operator
        WHERE id = ${id} AND ${isCopy}`,
      wholeRow(jobs),
    ),
  );
}

const readProject = columns({ number: asNumber, shard: asText });

/**
 * Finds the job that advances a project's clock. Searches all projects with a test clock, which are few. Throws
 * NotFound.
 */
async function getAdvance(platform: Platform, id: Id): Promise<JobRow> {
  const projects = await select(
    platform.control,
    sql`SELECT number, shard FROM projects WHERE test_clock AND deleted_at IS NULL`,
    readProject,
  );
  for (const [shard, together] of Map.groupBy(projects, (project) => project.shard)) {
    const numbers = JSON.stringify(together.map(({ number }) => [number]));
    const row = await selectFirst(
      platform.databaseOf(shard),
      sql`SELECT j.* FROM json_each(${numbers}) p CROSS JOIN jobs j ON j.project_id = p.value->>0 AND j.id = ${id}
        WHERE j.type = 'project.advance'`,
      wholeRow(jobs),
    );
    if (row) return row;
  }
  throw new NotFound("job", id);
}
