import { type SQL, sql } from "drizzle-orm";
import { NotFound } from "../../../core/errors";
import { aboveAllIds, type Id, asId as idOf, textOf } from "../../../core/ids";
import { ById, type Page, readCursor, writeCursor } from "../../../core/page";
import { openBatch } from "../../../db/batch";
import { maxRowsPerStatement } from "../../../db/limits";
import { asNumber, asText, columns, orNull, type RowReader, wholeRow } from "../../../db/rows";
import { inProject } from "../../../db/scope";
import { statement } from "../../../db/statement";
import { type WorkflowExecutionRow, workflowExecutions } from "../../../db/tables";
import { executionJson } from "../../../engine/workflows/execution-json";
import { shardOfContact } from "../../../engine/workflows/shards";
import type { Context } from "../../../platform/context";

type ContactExecution = ReturnType<typeof executionJson> & {
  workflowName: string;
  currentStepName: string | null;
};

interface NamedExecution extends WorkflowExecutionRow {
  workflowName: string;
  /** Null when the step was deleted. */
  stepName: string | null;
}

const readExecution = wholeRow(workflowExecutions);
const readNames = columns({ workflowName: asText, stepName: orNull(asText) });
const readNamed: RowReader<NamedExecution> = (raw) => ({ ...readExecution(raw), ...readNames(raw) });

/**
 * Implements `GET /contacts/{id}/executions`: lists the contact's executions of all workflows, newest first. Leaves out
 * those of deleted workflows, which stay while the workflow can be restored. Throws NotFound and BadRequest.
 */
export async function listContactExecutions(
  ctx: Context,
  contactId: Id,
  { cursor, limit }: { cursor?: string; limit: number },
): Promise<Page<ContactExecution>> {
  const filters = { contact: textOf(contactId) };
  const [after = null] = readCursor(cursor, ById, filters) ?? [];
  const batch = openBatch(ctx);
  const hasContact = sql`EXISTS (SELECT 1 FROM contacts WHERE ${inProject(ctx)} AND id = ${contactId})`;
  batch.guard(hasContact, () => new NotFound("contact", contactId));
  const found = batch.add(
    statement(selectPage(ctx, contactId, after === null ? aboveAllIds : idOf(after), limit + 1), readNamed),
  );
  const total = batch.add(
    statement(
      sql`SELECT count(*) AS total FROM (SELECT 1 FROM workflow_executions e INDEXED BY ix_workflow_executions_contact
        WHERE ${inProject(ctx, "e")} AND e.contact_id = ${contactId} AND EXISTS (SELECT 1 FROM workflows w
          WHERE ${inProject(ctx, "w")} AND w.id = e.workflow_id) LIMIT ${maxRowsPerStatement})`,
      columns({ total: asNumber }),
    ),
  );
  await batch.commit();
  const rows = found.all.slice(0, limit);
  const last = found.count > limit ? rows.at(-1) : undefined;
  const isCut = total.one.total === maxRowsPerStatement;
  return {
    data: await withContexts(ctx, contactId, rows),
    cursor: last ? writeCursor([textOf(last.id)], filters) : "",
    hasMore: last !== undefined,
    total: total.one.total,
    ...(isCut ? { approximate: true as const, countedAt: ctx.now.toISOString() } : {}),
  };
}

/**
 * Selects the contact's newest executions below an id. The index sorts a contact's executions by workflow, so the query
 * reads at most a page of each workflow, however many executions the contact has.
 */
function selectPage(ctx: Context, contactId: Id, below: Id, limit: number): SQL {
  const ofContact = (columns: SQL) => sql`SELECT ${columns} FROM workflow_executions e
    INDEXED BY ix_workflow_executions_contact WHERE ${inProject(ctx, "e")} AND e.contact_id = ${contactId}`;
  return sql`WITH RECURSIVE entered (workflow_id) AS (
      SELECT (${ofContact(sql`min(e.workflow_id)`)})
      UNION ALL SELECT (${ofContact(sql`min(e.workflow_id)`)} AND e.workflow_id > entered.workflow_id)
        FROM entered WHERE workflow_id IS NOT NULL)
    SELECT x.*, w.name AS workflow_name, s.name AS step_name FROM entered
      CROSS JOIN workflows w ON ${inProject(ctx, "w")} AND w.id = entered.workflow_id
      CROSS JOIN workflow_executions x ON ${inProject(ctx, "x")} AND x.workflow_id = entered.workflow_id
        AND x.id IN (${ofContact(sql`e.id`)} AND e.workflow_id = entered.workflow_id AND e.id < ${below}
          ORDER BY e.id DESC LIMIT ${limit})
      LEFT JOIN workflow_steps s ON s.project_id = x.project_id AND s.workflow_id = x.workflow_id AND s.id = x.current_step_id
    ORDER BY x.id DESC LIMIT ${limit}`;
}

/** Adds the contexts of executions. All executions of a contact are in one object, which stores their contexts. */
async function withContexts(ctx: Context, contactId: Id, rows: NamedExecution[]): Promise<ContactExecution[]> {
  if (rows.length === 0) return [];
  const { address, shard } = shardOfContact(ctx, contactId);
  const ids = rows.map(({ id }) => id);
  const contexts = new Map((await shard.contexts(address, ids)).map(({ id, context }) => [id, context]));
  return rows.map((row) => ({
    ...executionJson({ ...row, context: contexts.get(row.id) ?? {} }),
    workflowName: row.workflowName,
    currentStepName: row.stepName,
  }));
}
