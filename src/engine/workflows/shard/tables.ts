import type { TableMigrations } from "../../../platform/object-tables";

/**
 * The tables of a shard: see platform/object-tables.ts. `npm start` runs this file directly, so it may import only
 * types.
 */
export const shardMigrations: TableMigrations = [
  [
    // `records` has the records of the steps, as JSON. An output that is too large for the row is in `outputs`.
    // `change` is the number of the last move's row in `changes`.
    `CREATE TABLE executions (
      id TEXT PRIMARY KEY, workflow_id TEXT NOT NULL, contact_id TEXT NOT NULL, status TEXT NOT NULL, step_id TEXT,
      entered_at INTEGER NOT NULL, ordinal INTEGER NOT NULL, pause TEXT, wake_at INTEGER, awaits TEXT, since TEXT,
      outcome TEXT, attempts INTEGER NOT NULL, exit_reason TEXT, error TEXT, completed_at INTEGER, records TEXT NOT NULL,
      event_id TEXT, earlier TEXT, takes_public INTEGER NOT NULL, is_public INTEGER NOT NULL, context TEXT,
      causes TEXT NOT NULL, needs TEXT, request TEXT, request_until INTEGER, version INTEGER NOT NULL,
      change INTEGER NOT NULL, started_at INTEGER NOT NULL, updated_at INTEGER NOT NULL, ended_at INTEGER) WITHOUT ROWID`,
    // Each move of an execution writes to every index with a column that the move sets. So there are few indexes, and
    // each leaves out executions to which it does not apply. `changes` finds what is to be done, `ended` what has
    // ended, and `entries` the executions of a contact.
    "CREATE INDEX ix_executions_wake ON executions (wake_at) WHERE wake_at IS NOT NULL",
    "CREATE INDEX ix_executions_awaits ON executions (contact_id, awaits) WHERE awaits IS NOT NULL",
    "CREATE INDEX ix_executions_event ON executions (event_id) WHERE event_id IS NOT NULL",
    "CREATE INDEX ix_executions_earlier ON executions (contact_id) WHERE earlier IS NOT NULL",
    "CREATE UNIQUE INDEX ux_executions_request ON executions (request) WHERE request IS NOT NULL",
    `CREATE TABLE outputs (execution_id TEXT NOT NULL, step_id TEXT NOT NULL, output TEXT NOT NULL,
      PRIMARY KEY (execution_id, step_id)) WITHOUT ROWID`,
    // Each row names executions that changed together, as a JSON array of ids, until the mirror shows them. A change
    // that the mirror shows stays while one of its executions has something to do.
    "CREATE TABLE changes (n INTEGER PRIMARY KEY, ids TEXT NOT NULL, is_shown INTEGER NOT NULL DEFAULT 0)",
    "CREATE INDEX ix_changes_shown ON changes (n) WHERE is_shown = 1",
    // Each row names executions that ended together: `ids` is a JSON array, and `first` is the first of them. `at` is
    // the real time, because a project's test clock may stand still for months, or jump by a year.
    `CREATE TABLE ended (at INTEGER NOT NULL, first TEXT NOT NULL, ids TEXT NOT NULL,
      PRIMARY KEY (at, first)) WITHOUT ROWID`,
    `CREATE TABLE events (id TEXT PRIMARY KEY, name TEXT NOT NULL, source TEXT NOT NULL,
      data TEXT NOT NULL) WITHOUT ROWID`,
    // How many executions entered, completed, skipped and failed a step. The row outlives the executions.
    `CREATE TABLE step_counts (workflow_id TEXT NOT NULL, step_id TEXT NOT NULL, entered INTEGER NOT NULL,
      completed INTEGER NOT NULL, skipped INTEGER NOT NULL, failed INTEGER NOT NULL,
      PRIMARY KEY (workflow_id, step_id)) WITHOUT ROWID`,
    // How many executions took each branch of a step.
    `CREATE TABLE branch_counts (workflow_id TEXT NOT NULL, step_id TEXT NOT NULL, branch TEXT NOT NULL,
      taken INTEGER NOT NULL, PRIMARY KEY (workflow_id, step_id, branch)) WITHOUT ROWID`,
    // This table controls re-entry, and finds the executions of a contact. Each execution has a row. A contact's last
    // row in a workflow outlives its execution.
    `CREATE TABLE entries (workflow_id TEXT NOT NULL, contact_id TEXT NOT NULL, execution_id TEXT NOT NULL,
      public_at INTEGER, segment_at INTEGER, tick INTEGER,
      PRIMARY KEY (contact_id, workflow_id, execution_id)) WITHOUT ROWID`,
    // Each row names executions of a workflow that were cancelled together, up to the id `last`, and that the mirror
    // may not show yet.
    `CREATE TABLE unshown (last TEXT PRIMARY KEY, workflow_id TEXT NOT NULL, ids TEXT NOT NULL,
      reason TEXT NOT NULL, at INTEGER NOT NULL) WITHOUT ROWID`,
    // Events that were to start workflows, so that a repeated delivery starts none again. Old rows are found by the id,
    // which contains the event's time.
    "CREATE TABLE seen (event_id TEXT PRIMARY KEY) WITHOUT ROWID",
  ],
];

/** The first version that was released. See `readableFrom` of platform/object-tables.ts. */
export const shardReadableFrom = 1;
