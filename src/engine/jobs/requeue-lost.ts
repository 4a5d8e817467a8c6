import { type SQL, sql } from "drizzle-orm";
import { type JobType, jobTypes } from "../../core/messages";
import { isAtHome } from "../../db/at-home";
import { openBatch } from "../../db/batch";
import type { Db } from "../../db/client";
import { asId, asNumber, asOneOf, columns } from "../../db/rows";
import { statement } from "../../db/statement";
import type { Platform } from "../../platform/context";
import { exists, type IsDue } from "../../platform/due";
import { sweepDatabases } from "../../platform/sweep";
import { sweepAtHome } from "../../platform/sweep-at-home";
import { nextAnnouncement } from "./job";

/**
 * Matches jobs that can run in the current database. The job of a move runs in the database to which it copies,
 * although the project does not live there yet.
 */
const isRunnable = sql`(type = 'project.move' OR ${isAtHome()})`;

/**
 * Selects lost jobs. During a deployment, a job whose type only the other version knows is left to the sweeps of that
 * version.
 */
const lostJobs = (now: Date) => sql`FROM jobs INDEXED BY ix_jobs_open
  WHERE status IN ('queued', 'processing') AND next_announce_at <= ${now.getTime()}
    AND type IN (SELECT value FROM json_each(${JSON.stringify(jobTypes)}))`;

export const hasLostJobs: IsDue = ({ now }) => exists(lostJobs(now));

/** Sweeps all projects for jobs whose message was lost, and announces them again. */
export function requeueLostJobs(platform: Platform): Promise<void> {
  const due = {
    ...{ rows: lostJobs(platform.now), order: ["next_announce_at", "rowid"], key: ["project_id", "id"] },
    home: { condition: isRunnable, column: "type" },
  };
  return sweepAtHome(platform, due, (db, rows) => requeueSome(platform, db, rows));
}

/**
 * Makes every unfinished job due at once. Called at the start of a process, when no run of the previous process is
 * alive.
 */
export function endGraceOfJobs(platform: Platform): Promise<void> {
  return sweepDatabases(platform, async (db) => {
    const now = platform.now.getTime();
    const batch = openBatch(platform, db);
    batch.add(
      statement(
        sql`UPDATE jobs SET next_announce_at = ${now}
          WHERE status IN ('queued', 'processing') AND next_announce_at > ${now} AND ${isRunnable}`,
      ),
    );
    await batch.commit();
    return 0;
  });
}

async function requeueSome(platform: Platform, db: Db, rows: SQL): Promise<number> {
  const now = platform.now.getTime();
  const batch = openBatch(platform, db);
  const lost = batch.add(
    statement(
      sql`UPDATE jobs SET next_announce_at = ${nextAnnouncement(now)}
        WHERE (project_id, id) IN (${rows})
        RETURNING id, project_id, type`,
      columns({ id: asId, projectId: asNumber, type: asOneOf<JobType>() }),
    ),
  );
  await batch.commit();
  await platform.enqueue(lost.all.map(({ id, projectId, type }) => ({ message: { type, projectId, jobId: id } })));
  return lost.count;
}
