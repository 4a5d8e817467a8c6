import { sql } from "drizzle-orm";
import { searchText } from "../../core/search";
import { openBatch } from "../../db/batch";
import { asNumber, columns, wholeRow } from "../../db/rows";
import { inProject } from "../../db/scope";
import { statement } from "../../db/statement";
import { type WorkflowRow, workflows } from "../../db/tables";
import type { Context } from "../../platform/context";

interface WorkflowQuery {
  page: number;
  pageSize: number;
  search?: string;
  status?: "enabled" | "disabled";
}

/**
 * Returns one page of the project's workflows in the order of their ids, newest first. A project has at most a thousand
 * workflows.
 */
export async function listWorkflows(
  ctx: Context,
  { page, pageSize, search, status }: WorkflowQuery,
): Promise<{ rows: WorkflowRow[]; total: number }> {
  const conditions = [
    sql`${inProject(ctx)}`,
    ...(status ? [sql`enabled = ${status === "enabled"}`] : []),
    ...(search ? [sql`instr(search_text, ${searchText(search)}) > 0`] : []),
  ];
  const found = sql`FROM workflows WHERE ${sql.join(conditions, sql` AND `)}`;
  const batch = openBatch(ctx);
  const counted = batch.add(statement(sql`SELECT count(*) AS total ${found}`, columns({ total: asNumber })));
  const rows = batch.add(
    statement(
      sql`SELECT * ${found} ORDER BY id DESC LIMIT ${pageSize} OFFSET ${(page - 1) * pageSize}`,
      wholeRow(workflows),
    ),
  );
  await batch.commit();
  return { rows: rows.all, total: counted.one.total };
}
