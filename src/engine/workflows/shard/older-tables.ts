/**
 * Migrates the tables of any commit before version 1 to that version, and retains their rows. If a statement fails,
 * nothing is changed.
 */
export function adoptOlderTables(sql: SqlStorage, version1: readonly string[]): void {
  const columnsOf = (table: string) =>
    new Set(
      sql
        .exec(`PRAGMA table_info(${table})`)
        .toArray()
        .map(({ name }) => name),
    );
  const executions = columnsOf("executions");
  if (executions.size === 0) return;
  for (const change of [...droppedIndexes(sql), ...columnsAdded(executions)]) sql.exec(change);
  if (columnsOf("entries").has("active")) rebuild(sql, version1, "entries", lastExecutions);
  const counts = columnsOf("step_counts");
  if (counts.size > 0 && !counts.has("workflow_id")) rebuild(sql, version1, "step_counts", countsOfWorkflows);
}

/**
 * Drops the indexes and triggers. Older indexes with the same names had other columns, and the triggers counted what
 * statements count today.
 */
function droppedIndexes(sql: SqlStorage): string[] {
  return sql
    .exec("SELECT type, name FROM sqlite_master WHERE type IN ('index', 'trigger') AND sql IS NOT NULL")
    .toArray()
    .map(({ type, name }) => `DROP ${type} ${name}`);
}

function columnsAdded(executions: Set<SqlStorageValue | undefined>): string[] {
  const added: Record<string, string[]> = {
    earlier: ["ALTER TABLE executions ADD COLUMN earlier TEXT"],
    request_until: ["ALTER TABLE executions ADD COLUMN request_until INTEGER"],
    // Retention uses the real clock. `completed_at` differs from it only in projects with a test clock.
    ended_at: [
      "ALTER TABLE executions ADD COLUMN ended_at INTEGER",
      "UPDATE executions SET ended_at = completed_at WHERE completed_at IS NOT NULL",
    ],
  };
  return Object.entries(added).flatMap(([column, changes]) => (executions.has(column) ? [] : changes));
}

/**
 * Creates a table again in the form of version 1, and fills it with the rows of the old one, which `rows` reads as
 * `old`.
 */
function rebuild(sql: SqlStorage, version1: readonly string[], table: string, rows: string): void {
  const create = version1.find((statement) => statement.startsWith(`CREATE TABLE IF NOT EXISTS ${table} (`));
  if (create === undefined) throw new Error(`Version 1 has no table ${table}`);
  sql.exec(`ALTER TABLE ${table} RENAME TO old`);
  sql.exec(create);
  sql.exec(`INSERT INTO ${table} ${rows}`);
  sql.exec("DROP TABLE old");
}

/** Entries used to name the active execution; now they name the last one. */
const lastExecutions = `(workflow_id, contact_id, execution_id, public_at, segment_at, tick)
  SELECT workflow_id, contact_id, coalesce(active, (SELECT id FROM executions e WHERE e.workflow_id = old.workflow_id
    AND e.contact_id = old.contact_id ORDER BY started_at DESC, id DESC LIMIT 1), ''), public_at, segment_at, tick FROM old`;

/** A step belongs to one workflow, which the executions that came to the step name. */
const countsOfWorkflows = `(workflow_id, step_id, entered, completed, skipped, failed)
  SELECT e.workflow_id, old.step_id, old.entered, old.completed, old.skipped, old.failed
  FROM old JOIN (SELECT s.step_id, min(x.workflow_id) AS workflow_id FROM steps s
    JOIN executions x ON x.id = s.execution_id GROUP BY s.step_id) e ON e.step_id = old.step_id`;
