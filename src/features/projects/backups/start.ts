import { sql } from "drizzle-orm";
import { Conflict } from "../../../core/errors";
import { type Id, newId, publicId, textOf } from "../../../core/ids";
import { isMoving } from "../../../core/operating/project-move";
import { openBatch } from "../../../db/batch";
import { isCopy } from "../../../db/open-copies";
import { isInserted } from "../../../db/own-rows";
import { asId, columns } from "../../../db/rows";
import { inProject } from "../../../db/scope";
import { statement } from "../../../db/statement";
import { recordChange } from "../../../engine/audit/record-change";
import { firstBackupState, notesOf } from "../../../engine/backups/state";
import { announceJob, insertJob } from "../../../engine/jobs/queue-job";
import { forProject, type Platform } from "../../../platform/context";
import { auditedBackup } from "../audited";
import { getProject, notRestored } from "../project";

/**
 * Starts a backup of a project. The backup has the id of its job. Throws NotFound, and Conflict while another backup is
 * in progress.
 */
export async function startBackup(platform: Platform, id: string): Promise<{ jobId: Id }> {
  const project = await getProject(platform, id);
  if (project.restoring) throw notRestored();
  if (isMoving(project)) throw beingMoved();
  const ctx = forProject(platform, project);
  const jobId = newId();
  const createdAt = ctx.realClock().getTime();
  const isOpen = sql`SELECT id FROM jobs INDEXED BY ix_jobs_copies WHERE ${inProject(ctx)} AND ${isCopy}
    AND type = 'project.backup' AND status IN ('queued', 'processing')`;
  const batch = openBatch(ctx);
  batch.recognise(isInserted("jobs", ctx, jobId));
  recordChange(batch, ctx, auditedBackup(project, jobId));
  const open = batch.add(statement(isOpen, columns({ id: asId })));
  batch.add(
    insertJob(ctx, {
      id: jobId,
      type: "project.backup",
      input: { createdAt },
      state: notesOf(firstBackupState),
      onlyIf: sql`NOT EXISTS (${isOpen})`,
    }),
  );
  await batch.commit();
  // If the database's first answer was lost, the open backup may be the one that this call itself started.
  const other = open.all.find((each) => textOf(each.id) !== textOf(jobId));
  if (other) {
    throw new Conflict(`A backup of this project is already in progress, as job ${publicId(other.id)}.`, {
      suggestion: "Poll GET /admin/jobs/{id} until the job has ended, then send the request again.",
    });
  }
  await announceJob(ctx, "project.backup", jobId);
  return { jobId };
}

function beingMoved(): Conflict {
  return new Conflict("This project is being moved to another database. Nothing was changed.", {
    suggestion: "Send the request again once `moving` is null in GET /admin/projects/{id}.",
  });
}
