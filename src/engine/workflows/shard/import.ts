import { asId } from "../../../core/ids";
import { asText, columns } from "../../../db/rows";
import type { ShardRow } from "../../../platform/workflow-shards";
import { lookThroughAll, noteChange, numbered } from "./changes";
import { noteEnded, wholeHour } from "./ended";
import type { ShardStore } from "./store";

/**
 * Stands for the change number of an execution that is newer than its row in the backup's mirror. The import replaces
 * it with a new number.
 */
export const unknownChange = 0;

/** The tables of a backup. */
const tables = [
  "changes",
  "executions",
  "outputs",
  "events",
  "entries",
  "seen",
  "step_counts",
  "branch_counts",
  "unshown",
];

/**
 * Inserts rows of a backup. An existing row stays unchanged, so a repeat has no effect. If a row is faulty, returns
 * what is wrong and inserts none of the rows; otherwise returns null.
 */
export function importRows(store: ShardStore, rows: readonly ShardRow[]): string | null {
  const fault = faultOf(store, rows);
  if (fault !== null) return fault;
  // Executions that have something to do, or are not mirrored, are found by their change, so each of them gets a new
  // change here.
  const fresh = rows.filter(
    ({ table, row }) => table === "executions" && (row.change === unknownChange || typeof row.needs === "string"),
  );
  for (const { n, items } of numbered(store, fresh)) {
    for (const { row } of items) row.change = n;
    noteChange(
      store,
      n,
      items.map(({ row }) => asId(String(row.id))),
    );
  }
  for (const { table, row } of rows) {
    const names = Object.keys(row);
    const [into, values] = [names.map((name) => `"${name}"`).join(", "), names.map(() => "?").join(", ")];
    const isThere = table === "entries" ? withMarks : "DO NOTHING";
    store.run(`INSERT INTO ${table} (${into}) VALUES (${values}) ON CONFLICT ${isThere}`, ...Object.values(row));
  }
  const executions = rows.filter(({ table }) => table === "executions").map(({ row }) => row);
  // Every execution needs an entry. The backup may lack the entry of an execution that began during the backup.
  for (const { workflow_id = null, contact_id = null, id = null } of executions) {
    store.run(
      "INSERT OR IGNORE INTO entries (workflow_id, contact_id, execution_id) VALUES (?, ?, ?)",
      ...[workflow_id, contact_id, id],
    );
  }
  const ended = executions.filter(({ ended_at }) => typeof ended_at === "number");
  for (const [at, some] of Map.groupBy(ended, ({ ended_at }) => wholeHour(Number(ended_at)))) {
    noteEnded(
      store,
      some.map(({ id }) => asId(String(id))),
      at,
    );
  }
  lookThroughAll(store);
  return null;
}

/** An entry that was inserted together with its execution has no marks. The backup's own row of the entry adds them. */
const withMarks = `DO UPDATE SET public_at = coalesce(public_at, excluded.public_at),
  segment_at = coalesce(segment_at, excluded.segment_at), tick = coalesce(tick, excluded.tick)`;

/**
 * Returns what is wrong with the rows; null if nothing is. The names of tables and columns become part of statements,
 * so unknown names are faults.
 */
function faultOf(store: ShardStore, rows: readonly ShardRow[]): string | null {
  const known = new Map(tables.map((table) => [table, columnsOf(store, table)]));
  for (const { table, row } of rows) {
    const ofTable = known.get(table);
    if (ofTable === undefined) return `Executions have no table ${JSON.stringify(String(table).slice(0, 50))}.`;
    const other = Object.keys(row).find((name) => !ofTable.has(name));
    if (other !== undefined) {
      return `A row of ${table} has the column ${JSON.stringify(other.slice(0, 50))}, which this version of Petrel does not know.`;
    }
  }
  return null;
}

const readName = columns({ name: asText });

function columnsOf(store: ShardStore, table: string): Set<string> {
  return new Set(store.all(readName, `SELECT name FROM pragma_table_info('${table}')`).map(({ name }) => name));
}
