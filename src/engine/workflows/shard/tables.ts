import type { TableMigrations } from "../../../platform/object-tables";

export const firstTables: readonly string[] = [
  `CREATE TABLE IF NOT EXISTS executions (
    id TEXT PRIMARY KEY, workflow_id TEXT NOT NULL, contact_id TEXT NOT NULL, status TEXT NOT NULL, step_id TEXT,
    entered_at INTEGER NOT NULL, place INTEGER NOT NULL, pause TEXT, wake_at INTEGER, awaits TEXT, since TEXT,
    outcome TEXT, attempts INTEGER NOT NULL, exit_reason TEXT, error TEXT, completed_at INTEGER, event_id TEXT, earlier TEXT,
    hears_public INTEGER NOT NULL, context TEXT, causes TEXT NOT NULL, needs TEXT, request TEXT, request_until INTEGER,
    version INTEGER NOT NULL, mirrored INTEGER NOT NULL DEFAULT 0, started_at INTEGER NOT NULL,
    updated_at INTEGER NOT NULL, ended_at INTEGER) WITHOUT ROWID`,
  // Each move of an execution writes to every index with a column that the move sets. So there is one index where one
  // is enough, and none that combines a changing column with a constant one.
  `CREATE INDEX IF NOT EXISTS ix_executions_todo ON executions (needs IS NOT NULL, id)
    WHERE needs IS NOT NULL OR version > mirrored`,
  "CREATE INDEX IF NOT EXISTS ix_executions_wake ON executions (wake_at) WHERE wake_at IS NOT NULL",
  "CREATE INDEX IF NOT EXISTS ix_executions_contact ON executions (contact_id)",
  "CREATE INDEX IF NOT EXISTS ix_executions_awaits ON executions (contact_id, awaits) WHERE awaits IS NOT NULL",
  "CREATE INDEX IF NOT EXISTS ix_executions_active ON executions (workflow_id) WHERE completed_at IS NULL",
  "CREATE INDEX IF NOT EXISTS ix_executions_event ON executions (event_id) WHERE event_id IS NOT NULL",
  "CREATE INDEX IF NOT EXISTS ix_executions_earlier ON executions (contact_id) WHERE earlier IS NOT NULL",
  // `completed_at` by the real clock: a project's test clock may stand still for months, or jump by a year.
  "CREATE INDEX IF NOT EXISTS ix_executions_ended ON executions (ended_at) WHERE ended_at IS NOT NULL",
  "CREATE UNIQUE INDEX IF NOT EXISTS ux_executions_request ON executions (request) WHERE request IS NOT NULL",
  `CREATE TABLE IF NOT EXISTS steps (
    execution_id TEXT NOT NULL, step_id TEXT NOT NULL, place INTEGER NOT NULL, type TEXT NOT NULL, name TEXT NOT NULL,
    status TEXT NOT NULL, output TEXT, branch TEXT, reason TEXT, error TEXT, started_at INTEGER NOT NULL,
    completed_at INTEGER, scheduled_for INTEGER, PRIMARY KEY (execution_id, step_id)) WITHOUT ROWID`,
  `CREATE TABLE IF NOT EXISTS events (id TEXT PRIMARY KEY, name TEXT NOT NULL, source TEXT NOT NULL, data TEXT NOT NULL)`,
  // How many executions entered, completed, skipped and failed a step. The row outlives the executions.
  `CREATE TABLE IF NOT EXISTS step_counts (workflow_id TEXT NOT NULL, step_id TEXT NOT NULL, entered INTEGER NOT NULL,
    completed INTEGER NOT NULL, skipped INTEGER NOT NULL, failed INTEGER NOT NULL,
    PRIMARY KEY (workflow_id, step_id)) WITHOUT ROWID`,
  // Controls re-entry: one row per workflow and contact, which names the contact's last execution and outlives it.
  `CREATE TABLE IF NOT EXISTS entries (workflow_id TEXT NOT NULL, contact_id TEXT NOT NULL, execution_id TEXT NOT NULL,
    public_at INTEGER, segment_at INTEGER, tick INTEGER, PRIMARY KEY (contact_id, workflow_id)) WITHOUT ROWID`,
  // Executions of a workflow that were cancelled together, up to the id `last`, and that the mirror may not show yet.
  `CREATE TABLE IF NOT EXISTS unshown (last TEXT PRIMARY KEY, workflow_id TEXT NOT NULL, ids TEXT NOT NULL,
    reason TEXT NOT NULL, at INTEGER NOT NULL) WITHOUT ROWID`,
  // Events whose starts were decided, including those that started nothing. The id contains the event's time.
  "CREATE TABLE IF NOT EXISTS seen (event_id TEXT PRIMARY KEY) WITHOUT ROWID",
];

/** How many executions took each branch of a step. The counts begin with the executions that are still stored. */
const branchCounts: readonly string[] = [
  `CREATE TABLE IF NOT EXISTS branch_counts (workflow_id TEXT NOT NULL, step_id TEXT NOT NULL, branch TEXT NOT NULL,
    taken INTEGER NOT NULL, PRIMARY KEY (workflow_id, step_id, branch)) WITHOUT ROWID`,
  `INSERT OR IGNORE INTO branch_counts SELECT e.workflow_id, s.step_id, s.branch, count(*)
    FROM steps s JOIN executions e ON e.id = s.execution_id WHERE s.branch IS NOT NULL GROUP BY 1, 2, 3`,
];

/** Records in each execution whether an event of a public key has started or woken it. */
const knowPublic: readonly string[] = [
  "ALTER TABLE executions ADD COLUMN is_public INTEGER NOT NULL DEFAULT 0",
  `UPDATE executions SET is_public = 1 WHERE completed_at IS NULL AND EXISTS (SELECT 1 FROM events v
    WHERE v.source = 'PUBLIC' AND (v.id = executions.event_id
      OR v.id IN (SELECT value FROM json_each(coalesce(executions.earlier, '[]')))))`,
];

/**
 * The tables of a shard: see platform/object-tables.ts. `npm start` runs this file directly, so it may import only
 * types.
 */
export const shardMigrations: TableMigrations = [firstTables, branchCounts, knowPublic];

/** The first version that was released. See `readableFrom` of platform/object-tables.ts. */
export const shardReadableFrom = 3;
