import { getTableName, type SQL, sql } from "drizzle-orm";
import type { SQLiteTable } from "drizzle-orm/sqlite-core";
import { chunksOf } from "../../core/chunks";
import { Conflict } from "../../core/errors";
import type { Id } from "../../core/ids";
import { keptInTrashMs, maxInTrash, maxWithEnded, type TrashType } from "../../core/trash";
import type { Batch } from "../../db/batch";
import { columnsOf } from "../../db/rows";
import { inProject } from "../../db/scope";
import { type Statement, statement } from "../../db/statement";
import { campaigns, segments, templates, workflowSteps, workflows, workflowTransitions } from "../../db/tables";
import type { Context } from "../../platform/context";

interface StoredAs {
  table: SQLiteTable;
  /** Tables with rows of the resource that an entry also takes, each with the column that names the resource. */
  parts: readonly { table: SQLiteTable; owner: string }[];
}

/** The tables whose rows an entry takes, by type. All other rows of a resource stay in their tables. */
export const storedAs: Record<TrashType, StoredAs> = {
  template: { table: templates, parts: [] },
  campaign: { table: campaigns, parts: [] },
  segment: { table: segments, parts: [] },
  workflow: {
    table: workflows,
    parts: [
      { table: workflowSteps, owner: "workflow_id" },
      { table: workflowTransitions, owner: "workflow_id" },
    ],
  },
};

/**
 * Puts a resource into the trash, in the batch that deletes the resource and before its rows are deleted. Inserts
 * nothing when the resource does not exist, or when `onlyIf` does not hold for its row. `note` is a value that the restore
 * needs in addition to the rows.
 */
export function putAway(
  batch: Batch,
  ctx: Context,
  { type, id, onlyIf = sql`true`, note = sql`NULL` }: { type: TrashType; id: Id; onlyIf?: SQL; note?: SQL },
): void {
  const { table, parts } = storedAs[type];
  const lists = [{ table, owner: "id" }, ...parts].map(
    (each) => sql`${getTableName(each.table)}, ${rowsOf(ctx, each.table, sql`${sql.raw(each.owner)} = ${id}`)}`,
  );
  const bodyKey = type === "campaign" ? sql`body_key` : sql`NULL`;
  batch.guard(
    sql`(SELECT count(*) FROM (SELECT 1 ${inOrder(inProject(ctx))} LIMIT ${maxWithEnded})) < ${maxWithEnded}`,
    () => trashIsFull(),
  );
  batch.add(
    statement(
      sql`INSERT INTO trash (project_id, type, id, name, content, body_key, deleted_at, purge_at)
      SELECT project_id, ${type}, id, name, json_object(${sql.join(lists, sql`, `)}, 'note', ${note}), ${bodyKey}, ${ctx.now.getTime()},
        ${ctx.realClock().getTime() + keptInTrashMs}
      FROM ${sql.raw(getTableName(table))} WHERE ${inProject(ctx)} AND id = ${id} AND ${onlyIf}`,
    ),
  );
  batch.add(endOldest(ctx));
}

/** Selects entries of a project in an index that has no contents, newest deletion first. */
function inOrder(condition: SQL): SQL {
  return sql`FROM trash INDEXED BY ix_trash_list WHERE ${condition} ORDER BY deleted_at DESC, id DESC`;
}

/**
 * Ends the entries that the newest ones push out of the trash. Entries that have ended and wait for the sweep do not
 * count. Each deletion pushes out at most one.
 */
function endOldest(ctx: Context): Statement {
  const now = ctx.realClock().getTime();
  const live = sql`purge_at > ${now}`;
  return statement(
    sql`UPDATE trash SET purge_at = ${now}
      WHERE rowid IN (SELECT rowid ${inOrder(sql`${inProject(ctx)} AND ${live}`)} LIMIT 10 OFFSET ${maxInTrash}) AND ${live}`,
  );
}

export function trashIsFull(): Conflict {
  return new Conflict("The trash of this project is full, and is being emptied. Nothing was deleted.", {
    suggestion: `Try again in an hour. Beyond ${maxInTrash} entries, the oldest are deleted for good, some 2,000 an hour.`,
    details: { limit: maxInTrash },
  });
}

/** Selects rows of a table as a JSON array, in the order of their ids. */
function rowsOf(ctx: Context, table: SQLiteTable, condition: SQL): SQL {
  return sql`json((SELECT json_group_array(json(${rowJson(table)}))
    FROM (SELECT * FROM ${sql.raw(getTableName(table))} WHERE ${inProject(ctx)} AND ${condition} ORDER BY id)))`;
}

/**
 * The maximum number of columns in one call of `json_set`. D1 documents 32 arguments for a function: here an object,
 * and the name and the value of each column.
 */
const columnsPerCall = 15;

/** Returns a row as a JSON object in SQL, without the project's number, which is different in a restored backup. */
function rowJson(table: SQLiteTable): SQL {
  const columns = columnsOf(table).filter(({ name }) => name !== "project_id");
  return chunksOf(columns, columnsPerCall).reduce((before, some) => {
    const set = some.map(({ name }) => sql.raw(`'$.${name}', ${name}`));
    return sql`json_set(${before}, ${sql.join(set, sql`, `)})`;
  }, sql`'{}'`);
}
