import { type SQL, sql } from "drizzle-orm";
import { firstIdAt } from "../../core/ids";
import { dayMs } from "../../core/time";
import { isAtHome } from "../../db/at-home";
import { openBatch } from "../../db/batch";
import type { Db } from "../../db/client";
import { statement } from "../../db/statement";
import type { Platform } from "../../platform/context";
import { exists, type IsDue } from "../../platform/due";
import { maxSweptRows, sweepDatabases } from "../../platform/sweep";

/** Rows of all projects that a sweep deletes once `keptMs` have passed since the time in their `column`. */
interface Retention {
  table: string;
  key: string;
  /** A column with times or with ids, which sort by time. */
  column: string;
  isId?: boolean;
  /** The index that finds the oldest rows. Not needed when the key begins with the column. */
  index?: string;
  keptMs: number;
  rowsAtOnce?: number;
  isControl?: boolean;
}

/**
 * The sweeps that only delete old rows, grouped by how often they run. Rows with files or counters have sweeps of their
 * own.
 */
export const retention = {
  // Each call, event or step leaves a row in one of these tables. An hourly sweep could not delete that many rows.
  "five minutes": {
    // A late sweep does no harm, because every read checks the time too.
    forgetExpiredEffects: {
      table: "idempotency_effects",
      key: "project_id, kind, key",
      column: "expires_at",
      index: "ix_idempotency_effects_expiry",
      keptMs: 0,
      rowsAtOnce: 1_000,
    },
    // The 30 days begin with the event, and also apply to deliveries of deleted webhooks.
    forgetOldDeliveries: {
      table: "webhook_deliveries",
      key: "project_id, webhook_id, event_id",
      column: "event_id",
      isId: true,
      index: "ix_webhook_deliveries_expiry",
      keptMs: 30 * dayMs,
    },
    // The three days begin with the import, whose time is in the job's id. They are long enough: uploading the parts
    // may take a day, and the import can be undone for a day after it has ended.
    forgetImportChanges: {
      table: "import_changes",
      key: "project_id, job_id, contact_id",
      column: "job_id",
      isId: true,
      index: "ix_import_changes_expiry",
      keptMs: 3 * dayMs,
      rowsAtOnce: 1_000,
    },
    // Calls are kept for much longer than it takes to report their outcomes to the executions.
    forgetOldCalls: {
      table: "workflow_calls",
      key: "project_id, contact_id, effect_id",
      column: "ended_at",
      index: "ix_workflow_calls_ended",
      keptMs: 2 * dayMs,
    },
  },
  hour: {
    // An import's file is not deleted here. It becomes an orphan when the import ends, and `forgetOrphans` deletes it.
    forgetEndedJobs: {
      table: "jobs",
      key: "project_id, id",
      column: "completed_at",
      index: "ix_jobs_ended",
      keptMs: 30 * dayMs,
    },
  },
  night: {
    forgetAuditEntries: {
      table: "audit_entries",
      key: "project_id, id",
      column: "id",
      isId: true,
      index: "ix_audit_entries_expiry",
      keptMs: 400 * dayMs,
    },
    forgetEndedSessions: {
      table: "sessions",
      key: "id",
      column: "expires_at",
      index: "ix_sessions_expiry",
      keptMs: 0,
      isControl: true,
    },
    // Links are kept for longer than the hour within which requests to sign in are counted.
    forgetSignInLinks: {
      table: "sign_in_links",
      key: "id",
      column: "expires_at",
      index: "ix_sign_in_links_expiry",
      keptMs: dayMs,
      isControl: true,
    },
    forgetUsedChallenges: {
      table: "used_challenges",
      key: "hash",
      column: "expires_at",
      index: "ix_used_challenges_expiry",
      keptMs: 0,
      isControl: true,
    },
    // An operator can look up a message for this long after a queue has given up on it.
    forgetDeadLetters: {
      table: "dead_letters",
      key: "id",
      column: "id",
      isId: true,
      keptMs: 30 * dayMs,
      isControl: true,
    },
    // Sizes are kept for longer than the health report looks back.
    forgetDatabaseSizes: {
      table: "database_sizes",
      key: "shard, noted_at",
      column: "noted_at",
      index: "ix_database_sizes_noted",
      keptMs: 90 * dayMs,
      isControl: true,
    },
    // No provider recognises a call for longer than a day. After that, either a report has settled its outcome or the
    // outcome stays unknown.
    forgetRounds: {
      table: "rounds",
      key: "project_id, id",
      column: "handed_at",
      index: "ix_rounds_handed",
      keptMs: 2 * dayMs,
    },
  },
} satisfies Record<string, Record<string, Retention>>;

/** Returns the sweeps that run this often. */
export function forgetEvery(often: keyof typeof retention): Record<string, (platform: Platform) => Promise<void>> {
  return eachOf(often, (rows) => (platform) => {
    const databases = rows.isControl ? [platform.control] : platform.databases;
    return sweepDatabases({ ...platform, databases }, (db) => deleteOldest(platform, db, rows));
  });
}

/** Returns, for each sweep that runs this often, a check whether a database has rows for it. */
export function hasOldRows(often: keyof typeof retention): Record<string, IsDue> {
  return eachOf(often, (rows) => (platform) => exists(oldRows(platform, rows)));
}

function eachOf<T>(often: keyof typeof retention, make: (rows: Retention) => T): Record<string, T> {
  return Object.fromEntries(Object.entries<Retention>(retention[often]).map(([name, rows]) => [name, make(rows)]));
}

function oldRows({ now }: Platform, { table, column, isId = false, index, keptMs, isControl = false }: Retention): SQL {
  const before = now.getTime() - keptMs;
  const inOrder = sql.raw(index === undefined ? table : `${table} INDEXED BY ${index}`);
  return sql`FROM ${inOrder} WHERE ${sql.raw(column)} <= ${isId ? firstIdAt(before) : before}
    ${isControl ? sql`` : sql`AND ${isAtHome()}`}`;
}

async function deleteOldest(platform: Platform, db: Db, rows: Retention): Promise<number> {
  const { rowsAtOnce = maxSweptRows } = rows;
  const [table, key, due] = [sql.raw(rows.table), sql.raw(rows.key), sql.raw(rows.column)];
  const batch = openBatch(platform, db);
  const deleted = batch.add(
    statement(
      sql`DELETE FROM ${table} WHERE (${key}) IN (SELECT ${key} ${oldRows(platform, rows)}
        ORDER BY ${due} LIMIT ${rowsAtOnce}) RETURNING 1`,
    ),
  );
  await batch.commit();
  return deleted.count;
}
