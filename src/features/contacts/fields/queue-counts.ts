import { sql } from "drizzle-orm";
import { asId as idOf } from "../../../core/ids";
import { isAtHome } from "../../../db/at-home";
import { openBatch } from "../../../db/batch";
import type { Db } from "../../../db/client";
import { upsertJobs } from "../../../engine/jobs/queue-job";
import type { Platform } from "../../../platform/context";
import { maxSweptRows, sweepDatabases } from "../../../platform/sweep";
import { maxLive } from "./live";

const type = "contacts.count-fields";

/**
 * The id of the job that counts fields. It is the same in every project, because a project has at most one such job and
 * clients never look it up.
 */
const jobId = idOf(type);

/**
 * Sweeps the fields of large projects: enqueues their counts, starting with those that were counted longest ago. All
 * counts of a project have the same job row, so that they neither overlap nor pile up. The sweep does not check for
 * changes: a count is cheap, and a large project changes all the time.
 */
export function queueFieldCounts(platform: Platform): Promise<void> {
  return sweepDatabases(platform, (db) => queueDue(platform, db));
}

async function queueDue(platform: Platform, db: Db): Promise<number> {
  const batch = openBatch(platform, db);
  const queued = batch.add(
    upsertJobs(type, platform.now, {
      projectId: sql`c.project_id`,
      id: sql`${jobId}`,
      from: sql`FROM project_counts c LEFT JOIN jobs j ON j.project_id = c.project_id AND j.id = ${jobId}
        WHERE c.contacts > ${maxLive} AND ${isAtHome(sql`c.project_id`)} AND (j.id IS NULL OR j.status NOT IN ('queued', 'processing'))
        ORDER BY j.created_at LIMIT ${maxSweptRows}`,
    }),
  );
  await batch.commit();
  await platform.enqueue(queued.all.map(({ projectId }) => ({ message: { type, projectId, jobId } })));
  return queued.count;
}
