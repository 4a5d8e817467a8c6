import { sql } from "drizzle-orm";
import { NotFound } from "../../core/errors";
import { newId, publicId } from "../../core/ids";
import { nudge } from "../../core/nudge";
import { secondMs } from "../../core/time";
import { openBatch } from "../../db/batch";
import { statement } from "../../db/statement";
import { recordChange } from "../../engine/audit/record-change";
import { upsertJobs } from "../../engine/jobs/queue-job";
import { cacheMs, forgetProjects } from "../../engine/projects/cache";
import type { Platform } from "../../platform/context";
import { auditedProject } from "./audited";

/**
 * Deletes a project: its keys stop working at once and it is no longer found; a job then deletes its data. Returns the
 * job's id. A second call finds no project.
 */
export async function deleteProject(platform: Platform, id: string): Promise<{ jobId: string }> {
  const jobId = newId();
  const now = platform.now.getTime();
  const batch = openBatch(platform, platform.control);
  const own = sql`SELECT id, project_id FROM jobs
    WHERE project_id = (SELECT number FROM projects WHERE id = ${id}) AND id = ${jobId}`;
  batch.recognise(sql`EXISTS (${own})`);
  recordChange(batch, platform, auditedProject(id));
  const job = upsertJobs("project.erase", platform.now, {
    projectId: sql`number`,
    id: sql`${jobId}`,
    from: sql`FROM projects WHERE id = ${id} AND deleted_at IS NULL`,
  });
  const queued = batch.add({ ...job, again: own });
  batch.add(statement(sql`DELETE FROM api_keys WHERE project_id = (SELECT number FROM projects WHERE id = ${id})`));
  batch.add(statement(sql`UPDATE projects SET deleted_at = ${now} WHERE id = ${id} AND deleted_at IS NULL`));
  await batch.commit();
  if (!queued.first) throw new NotFound("project", id);
  const { projectId } = queued.first;
  forgetProjects();
  // The job may only start after every isolate has forgotten the keys; otherwise a request could write after the last
  // row was deleted.
  const delaySeconds = (2 * cacheMs) / secondMs;
  await nudge(platform, [{ message: { type: "project.erase", projectId, jobId }, delaySeconds }]);
  return { jobId: publicId(jobId) };
}
