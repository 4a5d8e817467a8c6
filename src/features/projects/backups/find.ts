import { sql } from "drizzle-orm";
import { Conflict, NotFound } from "../../../core/errors";
import { type Id, publicId } from "../../../core/ids";
import { isCopy } from "../../../db/open-copies";
import { wholeRow } from "../../../db/rows";
import { selectFirst } from "../../../db/statement";
import { type BackupRow, backups, type JobRow, jobs } from "../../../db/tables";
import type { Platform } from "../../../platform/context";
import { searchDatabases } from "../../../platform/search-databases";

/** Finds a complete backup. Throws NotFound, and Conflict for a backup that is not complete. */
export async function findBackup(platform: Platform, id: Id): Promise<BackupRow> {
  const row = await findRow(platform, id);
  if (row && row.completedAt !== null) return row;
  if (row && isUpload(row)) {
    throw new Conflict("The upload of this backup is not complete.", {
      suggestion: "Upload its files with PUT /admin/backups/{id}/file, and manifest.json last.",
    });
  }
  const job = await findJob(platform, id);
  if (job === null && row === null) throw new NotFound("backup", id);
  if (job !== null && job.status !== "failed") throw inProgress();
  throw new Conflict("This backup failed, so it cannot be used.", {
    suggestion: "Choose another backup from GET /admin/projects/{id}/backups.",
  });
}

export function inProgress(): Conflict {
  return new Conflict("This backup is still in progress.", {
    suggestion: "Poll GET /admin/jobs/{id} until the backup has completed, then send the request again.",
  });
}

/** Finds a backup that is uploaded, complete or not. Throws NotFound. */
export async function findUpload(platform: Platform, id: Id): Promise<BackupRow> {
  const row = await findRow(platform, id);
  if (row === null || !isUpload(row)) throw new NotFound("backup", id);
  return row;
}

/** Whether a backup was uploaded: it then has its own id in place of a project's. */
function isUpload({ id, project }: BackupRow): boolean {
  return project === publicId(id);
}

async function findRow({ control }: Platform, id: Id): Promise<BackupRow | null> {
  return (await selectFirst(control, sql`SELECT * FROM backups WHERE id = ${id}`, wholeRow(backups))) ?? null;
}

function findJob(platform: Platform, id: Id): Promise<JobRow | null> {
  return searchDatabases(platform, (db) =>
    selectFirst(
      db,
      sql`SELECT * FROM jobs INDEXED BY ix_jobs_operator WHERE id = ${id} AND ${isCopy} AND type = 'project.backup'`,
      wholeRow(jobs),
    ),
  );
}
