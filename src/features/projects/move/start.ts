import { sql } from "drizzle-orm";
import { Conflict, Invalid } from "../../../core/errors";
import { type Id, newId, publicId } from "../../../core/ids";
import { isAlmostFull } from "../../../core/operating/fullness";
import { isMoving, type ProjectMove } from "../../../core/operating/project-move";
import { openBatch } from "../../../db/batch";
import { isCopy } from "../../../db/open-copies";
import { isInserted } from "../../../db/own-rows";
import { columns } from "../../../db/rows";
import { inProject } from "../../../db/scope";
import { selectFirst, statement } from "../../../db/statement";
import { recordChange } from "../../../engine/audit/record-change";
import { deleteJobs } from "../../../engine/jobs/job";
import { announceJob, insertJob } from "../../../engine/jobs/queue-job";
import { firstMoveState, notesOfMove } from "../../../engine/move/state";
import { databaseSize } from "../../../engine/operating/database-size";
import { forgetProjects } from "../../../engine/projects/cache";
import { type Context, forProject, type Platform, type Project } from "../../../platform/context";
import { auditedMove } from "../audited";
import { getProject, notRestored } from "../project";
import type { MoveProject } from "./schema";

/**
 * Starts the move of a project to another database. The job is first stored in the new database; then the project's row
 * names the job. After a crash in between, the job ends without moving anything. Throws NotFound, Invalid for a
 * database that does not exist or has the project already, and Conflict.
 */
export async function startMove(platform: Platform, id: string, { database }: MoveProject): Promise<{ jobId: Id }> {
  const project = await getProject(platform, id);
  await requireMovable(platform, project, database);
  const ctx: Context = { ...forProject(platform, project), db: platform.databaseOf(database) };
  const { shard: from } = project;
  const jobId = newId();
  const batch = openBatch(ctx);
  batch.recognise(isInserted("jobs", ctx, jobId));
  const state = notesOfMove(firstMoveState);
  batch.add(insertJob(ctx, { id: jobId, type: "project.move", input: { from, to: database }, state }));
  await batch.commit();
  const move: ProjectMove = { jobId, from, to: database, startedAt: ctx.realClock().getTime(), stage: "copying" };
  if (!(await nameInProject(platform, project, move))) {
    const deleting = openBatch(ctx);
    deleting.mayRepeat();
    deleting.add(deleteJobs(sql`${inProject(ctx)} AND id = ${jobId}`));
    await deleting.commit();
    throw alreadyMoving((await getProject(platform, id)).move?.jobId ?? null);
  }
  forgetProjects();
  await announceJob(ctx, "project.move", jobId);
  return { jobId };
}

/** Writes the move into the project's row, unless the row has changed. */
async function nameInProject(platform: Platform, project: Project, move: ProjectMove): Promise<boolean> {
  const isOurs = sql`number = ${project.number} AND move->>'jobId' = ${move.jobId}`;
  const batch = openBatch(platform, platform.control);
  batch.recognise(sql`EXISTS (SELECT 1 FROM projects WHERE ${isOurs})`);
  recordChange(batch, platform, auditedMove(project));
  const started = batch.add(
    statement(
      sql`UPDATE projects SET move = ${JSON.stringify(move)} WHERE number = ${project.number} AND deleted_at IS NULL
        AND shard = ${move.from} AND (move IS NULL OR (move->>'stage' = 'leaving' AND move->>'from' = ${move.to})) RETURNING 1`,
      columns({}),
      { again: sql`SELECT 1 FROM projects WHERE ${isOurs}` },
    ),
  );
  await batch.commit();
  return started.count > 0;
}

async function requireMovable(platform: Platform, project: Project, database: string): Promise<void> {
  if (!platform.shards.includes(database)) {
    const known = platform.shards.slice(0, 10).join(", ");
    throw new Invalid([
      { field: "database", code: "invalid_enum_value", message: `There is no such database. Databases: ${known}` },
    ]);
  }
  if (project.shard === database) {
    throw new Invalid([
      { field: "database", code: "invalid_enum_value", message: "The project is already in this database" },
    ]);
  }
  if (project.restoring) throw notRestored();
  const { move } = project;
  if (isMoving(project)) throw alreadyMoving(move?.jobId ?? null);
  if (move !== null && move.from !== database) {
    throw new Conflict(`Rows from the last move are still being deleted in ${move.from}. Nothing was changed.`, {
      suggestion: `Send the request again in about an hour. Until then, the project can only move back to ${move.from}.`,
    });
  }
  const ctx = forProject(platform, project);
  const backup = await selectFirst(
    ctx.db,
    sql`SELECT 1 FROM jobs INDEXED BY ix_jobs_copies WHERE ${inProject(ctx)} AND ${isCopy}
      AND type = 'project.backup' AND status IN ('queued', 'processing') LIMIT 1`,
    columns({}),
  );
  if (backup !== null) {
    throw new Conflict("A backup of this project is in progress. Nothing was changed.", {
      suggestion: "Send the request again when GET /admin/projects/{id}/backups says that the backup has ended.",
    });
  }
  if (isAlmostFull(await databaseSize(platform.databaseOf(database)))) {
    throw new Conflict(`${database} is more than 95 % full. Nothing was changed.`, {
      suggestion: "Choose another database, or bind a new one in petrel.toml and deploy.",
    });
  }
}

function alreadyMoving(jobId: Id | null): Conflict {
  const which = jobId === null ? "" : `, as job ${publicId(jobId)}`;
  return new Conflict(`A move of this project is in progress${which}.`, {
    suggestion: "Poll GET /admin/jobs/{id} until the job has ended, or take the move back with DELETE.",
  });
}
