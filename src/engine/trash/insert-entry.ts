import { getTableName, type SQL, sql } from "drizzle-orm";
import type { SQLiteTable } from "drizzle-orm/sqlite-core";
import { chunksOf } from "../../core/chunks";
import type { Id } from "../../core/ids";
import { keptInTrashMs, type TrashType } from "../../core/trash";
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
 * Inserts the entry of a resource, in the batch that deletes the resource and before its rows are deleted. Inserts
 * nothing when the resource does not exist, or when `onlyIf` does not hold for its row. `note` is a value that the restore
 * needs in addition to the rows.
 */
export function insertEntry(
  ctx: Context,
  { type, id, onlyIf = sql`true`, note = sql`NULL` }: { type: TrashType; id: Id; onlyIf?: SQL; note?: SQL },
): Statement {
  const { table, parts } = storedAs[type];
  const lists = [{ table, owner: "id" }, ...parts].map(
    (each) => sql`${getTableName(each.table)}, ${rowsOf(ctx, each.table, sql`${sql.raw(each.owner)} = ${id}`)}`,
  );
  const bodyKey = type === "campaign" ? sql`body_key` : sql`NULL`;
  return statement(
    sql`INSERT INTO trash (project_id, type, id, name, content, body_key, deleted_at, purge_at)
      SELECT project_id, ${type}, id, name, json_object(${sql.join(lists, sql`, `)}, 'note', ${note}), ${bodyKey}, ${ctx.now.getTime()},
        ${ctx.realClock().getTime() + keptInTrashMs}
      FROM ${sql.raw(getTableName(table))} WHERE ${inProject(ctx)} AND id = ${id} AND ${onlyIf}`,
  );
}

/** Selects rows of a table as a JSON array, in the order of their ids. */
function rowsOf(ctx: Context, table: SQLiteTable, condition: SQL): SQL {
  return sql`json((SELECT json_group_array(json(${rowJson(table)}))
    FROM (SELECT * FROM ${sql.raw(getTableName(table))} WHERE ${inProject(ctx)} AND ${condition} ORDER BY id)))`;
}

/**
 * The most columns in one call of `json_set`. D1 documents 32 arguments for a function: here an object, and the name
 * and the value of each column.
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
