import { sql } from "drizzle-orm";
import { NotFound } from "../../../core/errors";
import { publicId } from "../../../core/ids";
import { isCopy } from "../../../db/open-copies";
import { wholeRow } from "../../../db/rows";
import { inProject } from "../../../db/scope";
import { select } from "../../../db/statement";
import { backups, type JobRow, jobs } from "../../../db/tables";
import { type Context, forProject, type Platform } from "../../../platform/context";
import { getProject } from "../project";
import { type Backup, backupOfJob, backupOfRow } from "./backup";

/** The maximum number of backups that are listed: enough for a nightly backup over more than a year. */
const maxBackups = 400;

/**
 * Lists the backups of a project, newest first. Complete backups have a row in the control database; the others only
 * have a job. The jobs are read first, so that a backup that ends meanwhile appears as complete. The backups of a
 * deleted project are listed too. Throws NotFound when there is neither such a project nor a backup of it.
 */
export async function listBackups(platform: Platform, id: string): Promise<Backup[]> {
  const project = await getProject(platform, id).catch(nullIfGone);
  const made = project === null ? [] : await findJobs(forProject(platform, project));
  const stored = await select(
    platform.control,
    sql`SELECT * FROM backups INDEXED BY ix_backups_project WHERE project = ${id}
      AND completed_at IS NOT NULL ORDER BY created_at DESC LIMIT ${maxBackups}`,
    wholeRow(backups),
  );
  // An uploaded backup belongs to no project: its own id is stored in place of a project's.
  const complete = stored.filter((row) => publicId(row.id) !== id);
  if (project === null && complete.length === 0) throw new NotFound("project", id);
  const ids = new Set(complete.map((row) => row.id));
  const others = made.filter((row) => row.status !== "completed" && !ids.has(row.id)).map(backupOfJob);
  return [...others, ...complete.map(backupOfRow)].toSorted((a, b) => b.createdAt - a.createdAt);
}

function nullIfGone(error: unknown): null {
  if (error instanceof NotFound) return null;
  throw error;
}

/** Returns the project's backup jobs, which are kept for 30 days after they end. */
function findJobs(ctx: Context): Promise<JobRow[]> {
  return select(
    ctx.db,
    sql`SELECT * FROM jobs INDEXED BY ix_jobs_copies WHERE ${inProject(ctx)} AND ${isCopy} AND type = 'project.backup'
      ORDER BY id DESC LIMIT ${maxBackups}`,
    wholeRow(jobs),
  );
}
