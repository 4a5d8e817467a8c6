import { sql } from "drizzle-orm";
import type { Id } from "../../core/ids";
import type { Job } from "../../core/jobs";
import { openBatch } from "../../db/batch";
import type { Db } from "../../db/client";
import { asText, columns } from "../../db/rows";
import { selectFirst, statement } from "../../db/statement";
import { startJob } from "../../engine/jobs/job";
import { blobKey, blobKinds } from "../../platform/blobs";
import type { Platform } from "../../platform/context";

/** Rows one statement removes, and statements one run may make: a job is short, and goes on in the next message. */
const rowsPerStatement = 1_000;
const statementsPerRun = 100;

/** Every table with a project's rows, and what its key has besides the project. A test fails when one is missing here. */
const keysOfTables: Record<string, string[]> = {
  emails: ["id"],
  email_contents: ["id"],
  rounds: ["id"],
  templates: ["id"],
  template_versions: ["id"],
  outbox_messages: ["id"],
  campaigns: ["id"],
  campaign_pages: ["campaign_id", "first_id"],
  workflows: ["id"],
  workflow_steps: ["workflow_id", "id"],
  workflow_transitions: ["workflow_id", "id"],
  workflow_ticks: ["workflow_id", "tick"],
  workflow_executions: ["workflow_id", "id"],
  webhooks: ["id"],
  webhook_deliveries: ["webhook_id", "event_id"],
  events: ["id"],
  event_names: ["name"],
  event_days: ["name", "day"],
  event_listeners: ["name", "listener_id"],
  contacts: ["id"],
  project_counts: [],
  contact_fields: ["key"],
  topics: ["id"],
  contact_topics: ["contact_id", "topic_id"],
  confirmations: ["contact_id", "id"],
  erased_addresses: ["hash"],
  audience_references: ["kind", "name", "referrer", "referrer_id"],
  segments: ["id"],
  segment_members: ["segment_id", "contact_id"],
  suppressions: ["email"],
  domains: ["id"],
  verified_domains: ["domain"],
  idempotency_effects: ["kind", "key"],
  monthly_usage: ["month", "template_id"],
  api_keys: ["id"],
  jobs: ["id"],
};
export const projectTables: readonly string[] = Object.keys(keysOfTables);

/** One run of a project's removal, in bounded steps; it enqueues the next run itself. Safe to repeat at any point. */
export async function eraseProject(platform: Platform, job: Extract<Job, { type: "project.erase" }>): Promise<void> {
  const { control } = platform;
  const project = await selectFirst(
    control,
    sql`SELECT id FROM projects WHERE number = ${job.projectId} AND deleted_at IS NOT NULL`,
    columns({ id: asText }),
  );
  // Another run has ended it.
  if (!project) return;
  await startJob(platform, control, job);
  const isEmpty = (await eraseRows(platform, job)) && (await eraseFiles(platform, project.id));
  if (!isEmpty) return platform.enqueue([{ job }]);
  await platform.gate.erase(project.id);
  const now = platform.clock().getTime();
  const batch = openBatch({ ...platform, db: control });
  batch.add(
    statement(
      sql`UPDATE jobs SET status = 'completed', progress = 100, completed_at = ${now}
        WHERE project_id = ${job.projectId} AND id = ${job.jobId} AND status <> 'completed'`,
    ),
  );
  batch.add(statement(sql`DELETE FROM projects WHERE number = ${job.projectId} AND deleted_at IS NOT NULL`));
  await batch.commit();
}

/**
 * True when nothing is left. Work that had begun before the project went may still write rows behind the tables that
 * are already empty: so it is done only when a whole pass has found none.
 */
async function eraseRows(platform: Platform, job: { projectId: number; jobId: Id }): Promise<boolean> {
  let statements = 0;
  let found: number;
  do {
    found = 0;
    for (const db of platform.databases) {
      for (const table of projectTables) {
        let removed = rowsPerStatement;
        while (removed === rowsPerStatement) {
          if (statements++ >= statementsPerRun) return false;
          removed = await eraseSome(platform, db, table, job);
          found += removed;
        }
      }
    }
  } while (found > 0);
  return true;
}

/** Returns how many rows it removed. */
async function eraseSome(
  platform: Platform,
  db: Db,
  table: string,
  { projectId, jobId }: { projectId: number; jobId: Id },
): Promise<number> {
  const key = sql.join(
    ["project_id", ...(keysOfTables[table] ?? [])].map((column) => sql.identifier(column)),
    sql`, `,
  );
  // The job at work outlives the project: the operator wants to see its end.
  const others = table === "jobs" ? sql` AND id <> ${jobId}` : sql``;
  const batch = openBatch({ ...platform, db });
  const erased = batch.add(
    statement(
      sql`DELETE FROM ${sql.identifier(table)} WHERE (${key}) IN (SELECT ${key} FROM ${sql.identifier(table)}
        WHERE project_id = ${projectId}${others} LIMIT ${rowsPerStatement}) RETURNING 1`,
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
