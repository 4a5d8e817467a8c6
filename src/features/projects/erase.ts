import { sql } from "drizzle-orm";
import type { StoredJob } from "../../core/messages";
import { openBatch } from "../../db/batch";
import { dropCaptures } from "../../db/capture";
import type { Db } from "../../db/client";
import { dropMoveTriggers } from "../../db/move-fence";
import { controlTables, projectTables } from "../../db/project-tables";
import { statement } from "../../db/statement";
import { startJob } from "../../engine/jobs/job";
import { updateEnded } from "../../engine/jobs/step";
import { whereaboutsByNumber } from "../../engine/projects/whereabouts";
import { allShards } from "../../engine/workflows/shards";
import { blobKey, blobKinds } from "../../platform/blobs";
import type { Platform } from "../../platform/context";

/**
 * The maximum number of rows that one statement deletes, and the maximum number of statements of one run. The two
 * limits keep a run short; the next message continues the work.
 */
const rowsPerStatement = 1_000;
const statementsPerRun = 150;

/**
 * Runs `project.erase` in bounded steps, and enqueues the next run. A run can be repeated at any point. The job is
 * never given up, because the remaining rows are personal data and the operator could not retry it: a deleted project
 * cannot be found. A failed run is logged, and the sweep starts it again.
 */
export async function eraseProject(platform: Platform, job: StoredJob): Promise<void> {
  const { control } = platform;
  const project = (await whereaboutsByNumber(platform, [job.projectId])).get(job.projectId);
  // Another run has finished the deletion.
  if (!project?.isEnding) return;
  await startJob(platform, control, job);
  const { move } = project;
  const shards = [...new Set([project.shard, ...(move ? [move.from, move.to] : [])])];
  for (const shard of shards) await endMoves(platform, project.number, shard);
  const isEmpty = (await eraseRows(platform, shards, job)) && (await eraseFiles(platform, project.id));
  if (!isEmpty) return platform.enqueue([{ message: job }]);
  for (const shard of shards) await endCaptures(platform, project.number, shard);
  await Promise.all(allShards(platform, job.projectId).map(({ shard }) => shard.erase()));
  // Rows are erased again after the shards, because executions may have written more rows meanwhile.
  if (!(await eraseRows(platform, shards, job))) return platform.enqueue([{ message: job }]);
  await platform.gate.erase(project.id);
  const batch = openBatch(platform, control);
  batch.add(updateEnded(platform, { projectId: job.projectId, id: job.jobId }, { status: "completed" }));
  batch.add(statement(sql`DELETE FROM projects WHERE number = ${job.projectId} AND deleted_at IS NOT NULL`));
  await batch.commit();
}

/** Drops the triggers of a backup that may have been in progress. */
async function endCaptures(platform: Platform, number: number, shard: string): Promise<void> {
  const db = platform.databaseOf(shard);
  const batch = openBatch(platform, db);
  batch.addAll(await dropCaptures(db, number));
  await batch.commit();
}

/**
 * Drops the triggers of a move, whose fence would prevent the deletion of rows. A move of a deleted project goes no
 * further.
 */
async function endMoves(platform: Platform, number: number, shard: string): Promise<void> {
  const db = platform.databaseOf(shard);
  const batch = openBatch(platform, db);
  batch.addAll(await dropMoveTriggers(db, number));
  await batch.commit();
}

/**
 * Deletes a bounded number of rows. Returns true when nothing is left. Work that began before the deletion may still
 * add rows to tables that are already empty, so the deletion ends only after a whole pass that found none. The names of
 * domains are freed after their rows, as `features/domains/name.ts` requires.
 */
async function eraseRows(platform: Platform, shards: readonly string[], job: StoredJob): Promise<boolean> {
  const tables = [
    ...shards.flatMap((shard) =>
      projectTables.map(({ name, key }) => ({ db: platform.databaseOf(shard), table: name, key })),
    ),
    ...controlTables.map(({ name, key }) => ({ db: platform.control, table: name, key })),
  ];
  let statements = 0;
  let found: number;
  do {
    found = 0;
    for (const each of tables) {
      let removed = rowsPerStatement;
      while (removed === rowsPerStatement) {
        if (statements++ >= statementsPerRun) return false;
        removed = await eraseSome(platform, each, job);
        found += removed;
      }
    }
  } while (found > 0);
  return true;
}

/** Deletes some rows and returns how many. */
async function eraseSome(
  platform: Platform,
  { db, table, key }: { db: Db; table: string; key: readonly string[] },
  { projectId, jobId }: StoredJob,
): Promise<number> {
  const columnsOfKey = sql.join(
    ["project_id", ...key].map((column) => sql.identifier(column)),
    sql`, `,
  );
  // The job itself outlives the project, because the operator polls it.
  const others = table === "jobs" ? sql` AND id <> ${jobId}` : sql``;
  const batch = openBatch(platform, db);
  const erased = batch.add(
    statement(
      sql`DELETE FROM ${sql.identifier(table)} WHERE (${columnsOfKey}) IN (SELECT ${columnsOfKey} FROM ${sql.identifier(table)}
        WHERE project_id = ${projectId}${others} LIMIT ${rowsPerStatement}) RETURNING 1`,
    ),
  );
  await batch.commit();
  return erased.count;
}

/** Deletes some files. Returns true when none is left. */
async function eraseFiles(platform: Platform, projectId: string): Promise<boolean> {
  for (const kind of blobKinds) {
    const prefix = blobKey(kind, projectId, "");
    for (
      let calls = 0, keys = await platform.blobs.list(prefix);
      keys.length > 0;
      keys = await platform.blobs.list(prefix)
    ) {
      if (calls++ >= statementsPerRun) return false;
      await platform.blobs.delete(keys);
    }
  }
  return true;
}
