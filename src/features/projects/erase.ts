import { type SQL, sql } from "drizzle-orm";
import { openBatch } from "../../db/batch";
import type { Db } from "../../db/client";
import { statement } from "../../db/statement";
import { startJob } from "../../engine/jobs/job";
import { findWhereabouts } from "../../engine/projects/whereabouts";
import { blobKey, blobKinds } from "../../platform/blobs";
import type { Platform } from "../../platform/context";

/** Rows one statement removes, and statements one run may make: a job is short, and goes on in the next message. */
const rowsPerStatement = 1_000;
const statementsPerRun = 100;

/** Every table with a project's rows, in its own database and in control. A test fails when one is missing here. */
export const projectTables = [
  "emails",
  "email_contents",
  "templates",
  "template_versions",
  "events",
  "event_names",
  "event_days",
  "event_listeners",
  "contacts",
  "contact_counts",
  "contact_fields",
  "erased_addresses",
  "audience_references",
  "segments",
  "segment_members",
  "suppressions",
  "domains",
  "idempotency_effects",
  "monthly_usage",
  "jobs",
] as const;
export const controlTables = ["outbox_messages", "verified_domains", "api_keys", "jobs"] as const;

/** One run of a project's removal, in bounded steps; it enqueues the next run itself. Safe to repeat at any point. */
export async function eraseProject(platform: Platform, projectId: string, jobId: string): Promise<void> {
  const { control } = platform;
  await startJob(platform, control, jobId);
  const isEmpty = (await eraseRows(platform, projectId, jobId)) && (await eraseFiles(platform, projectId));
  if (!isEmpty) return platform.enqueue([{ job: { type: "project.erase", projectId, jobId } }]);
  await platform.gate.erase(projectId);
  const now = platform.clock().getTime();
  const batch = openBatch({ ...platform, db: control });
  batch.add(
    statement(
      sql`UPDATE jobs SET status = 'completed', progress = 100, completed_at = ${now} WHERE id = ${jobId}
        AND status <> 'completed'`,
    ),
  );
  batch.add(statement(sql`DELETE FROM projects WHERE id = ${projectId} AND deleted_at IS NOT NULL`));
  await batch.commit();
}

/**
 * True when nothing is left. Work that had begun before the project went may still write rows behind the tables that
 * are already empty: so it is done only when a whole pass has found none. The names of domains go after their rows, as
 * `features/domains/name.ts` asks.
 */
async function eraseRows(platform: Platform, projectId: string, jobId: string): Promise<boolean> {
  const tables: [Db, string][] = controlTables.map((table) => [platform.control, table]);
  const where = (await findWhereabouts(platform, [projectId])).get(projectId);
  if (where) tables.unshift(...projectTables.map((table): [Db, string] => [platform.databaseOf(where.shard), table]));
  let statements = 0;
  let found: number;
  do {
    found = 0;
    for (const [db, table] of tables) {
      // The job at work outlives the project: the operator wants to see its end.
      const others = table === "jobs" ? sql` AND id <> ${jobId}` : sql``;
      let removed = rowsPerStatement;
      while (removed === rowsPerStatement) {
        if (statements++ >= statementsPerRun) return false;
        removed = await eraseSome(platform, db, table, sql`project_id = ${projectId}${others}`);
        found += removed;
      }
    }
  } while (found > 0);
  return true;
}

/** Returns how many rows it removed. */
async function eraseSome(platform: Platform, db: Db, table: string, condition: SQL): Promise<number> {
  const batch = openBatch({ ...platform, db });
  const erased = batch.add(
    statement(
      sql`DELETE FROM ${sql.identifier(table)} WHERE rowid IN (SELECT rowid FROM ${sql.identifier(table)}
        WHERE ${condition} LIMIT ${rowsPerStatement}) RETURNING 1`,
    ),
  );
  await batch.commit();
  return erased.count;
}

/** True when nothing is left. */
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
