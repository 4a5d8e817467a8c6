import type { RawRow } from "../../../db/rows";
import type { ShardCursor, ShardRow } from "../../../platform/workflow-shards";
import type { ShardStore, Value } from "./store";

/**
 * The tables of a backup, with their keys, in the order of the export. Outputs and events are exported with their
 * executions. An execution that changes after `changes` was exported is newer than the backup, so a restore mirrors it
 * again.
 */
const tables: Record<string, readonly string[]> = {
  changes: ["n"],
  entries: ["contact_id", "workflow_id", "execution_id"],
  executions: ["id"],
  seen: ["event_id"],
  step_counts: ["workflow_id", "step_id"],
  branch_counts: ["workflow_id", "step_id", "branch"],
  unshown: ["last"],
};

const rowsPerCall = 500;
/** The maximum number of executions in one call. The records of one execution's steps may take 200 KB. */
const executionsPerCall = 50;
/** The size of a call in characters. A call ends after the row that exceeds it. */
const maxCharacters = 1_000_000;

/**
 * Returns the next rows of a shard. Executions are independent, so it is enough that each execution is consistent with
 * its own outputs and events.
 */
export function exportSome(
  store: ShardStore,
  from: ShardCursor | null,
): { rows: ShardRow[]; next: ShardCursor | null } {
  const names = Object.keys(tables);
  const { table, after } = from ?? { table: names[0] ?? "", after: [] };
  const key = tables[table] ?? [];
  const beyond = after.length === 0 ? "" : `WHERE (${key.join(", ")}) > (${key.map(() => "?").join(", ")})`;
  const limit = table === "executions" ? executionsPerCall : rowsPerCall;
  const query = `SELECT * FROM ${table} ${beyond} ORDER BY ${key.join(", ")} LIMIT ${limit}`;
  const found = store.all(asRow, query, ...after);
  const rows: ShardRow[] = [];
  let characters = 0;
  for (const [index, row] of found.entries()) {
    const together = [{ table, row }, ...(table === "executions" ? belongings(store, row) : [])];
    rows.push(...together);
    characters += JSON.stringify(together).length;
    const isLast = index + 1 === found.length && found.length < limit;
    if (!isLast && (characters >= maxCharacters || index + 1 === limit)) {
      return { rows, next: { table, after: key.map((column) => String(row[column])) } };
    }
  }
  const following = names[names.indexOf(table) + 1];
  return { rows, next: following === undefined ? null : { table: following, after: [] } };
}

function belongings(store: ShardStore, { id = null, event_id = null, earlier = null }: ShardRow["row"]): ShardRow[] {
  const outputs = store.all(asRow, "SELECT * FROM outputs WHERE execution_id = ? ORDER BY step_id", id);
  const named = "SELECT * FROM events WHERE id = ? OR id IN (SELECT value FROM json_each(coalesce(?, '[]')))";
  const events = store.all(asRow, named, event_id, earlier);
  return [...outputs.map((row) => ({ table: "outputs", row })), ...events.map((row) => ({ table: "events", row }))];
}

/** The cast is safe, because the columns of these tables contain only strings and numbers. */
function asRow(raw: RawRow): Record<string, Value> {
  return raw as Record<string, Value>;
}
