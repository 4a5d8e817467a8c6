import { type SQL, sql } from "drizzle-orm";
import { aboveAllIds, belowAllIds } from "../../../core/ids";
import { isAtHome } from "../../../db/at-home";
import { openBatch } from "../../../db/batch";
import type { Db } from "../../../db/client";
import { asId, asNumber, columns } from "../../../db/rows";
import { type Statement, select, statement } from "../../../db/statement";
import { countedAgainMs, statusColumns } from "../../../engine/workflows/execution-counts";
import type { Platform } from "../../../platform/context";
import { exists, type IsDue } from "../../../platform/due";
import { maxSweptRows, sweepDatabases } from "../../../platform/sweep";
import { rowsPerPart } from "./parts";

/**
 * The maximum number of windows that one batch counts. A batch of full windows takes about 20 ms, during which the
 * database does nothing else.
 */
const windowsPerBatch = 7;

const readDue = columns({ projectId: asNumber, workflowId: asId, countedTo: asId });
type Due = ReturnType<typeof readDue>;

const dueCounts = (now: Date) =>
  sql`FROM execution_counts INDEXED BY ix_execution_counts_due WHERE due_at <= ${now.getTime()}
    AND ${isAtHome()}`;

export const hasDueCounts: IsDue = ({ now }) => exists(dueCounts(now));

/**
 * Counts, in a sweep, the executions of workflows whose count is due, window by window. Shards continue to write
 * meanwhile: a batch that changes an execution which was already counted (its id is at most `counted_to`) also corrects
 * the count.
 */
export function countExecutions(platform: Platform): Promise<void> {
  return sweepDatabases(platform, (db) => countSome(platform, db));
}

async function countSome(platform: Platform, db: Db): Promise<number> {
  const now = platform.now.getTime();
  const due = await select(
    db,
    sql`SELECT project_id, workflow_id, counted_to ${dueCounts(platform.now)} ORDER BY due_at LIMIT ${windowsPerBatch}`,
    readDue,
  );
  if (due.length === 0) return 0;
  const batch = openBatch(platform, db);
  // If the batch runs twice, the second run either finds that `counted_to` has moved, or counts a workflow's only
  // window again.
  batch.mayRepeat();
  batch.addAll(due.map((row) => updateCounted(row, now)));
  await batch.commit();
  // Asks for another turn, because the workflows stay due until all of their executions are counted.
  return maxSweptRows;
}

/**
 * Adds the next window to a count, or begins the count again with the first window. Does nothing if another tick was
 * faster.
 */
function updateCounted({ projectId, workflowId, countedTo }: Due, now: number): Statement {
  const isAgain = countedTo === aboveAllIds;
  const after = isAgain ? belowAllIds : countedTo;
  const ofAll = Object.entries(statusColumns);
  const names = ofAll.map(([, column]) => sql.identifier(column));
  const sums = ofAll.map(([status, column]) => sql`coalesce(sum(status = ${status}), 0) AS ${sql.identifier(column)}`);
  const added = names.map((name) => (isAgain ? sql`w.${name}` : sql`c.${name} + w.${name}`));
  const isOfIt = sql`project_id = ${projectId} AND workflow_id = ${workflowId}`;
  return statement(
    sql`UPDATE execution_counts AS c SET (${listOf(names)}, counted_to, due_at) = (
        SELECT ${listOf(added)}, iif(w.rows = ${rowsPerPart}, w.last, ${aboveAllIds}),
          iif(w.rows = ${rowsPerPart}, c.due_at, ${now + countedAgainMs})
        FROM (SELECT count(*) AS rows, max(id) AS last, ${listOf(sums)} FROM (
          SELECT id, status FROM workflow_executions WHERE ${isOfIt} AND id > ${after} ORDER BY id LIMIT ${rowsPerPart})) w)
      WHERE ${isOfIt} AND counted_to = ${countedTo}`,
  );
}

function listOf(items: (SQL | ReturnType<typeof sql.identifier>)[]): SQL {
  return sql.join(items, sql`, `);
}
