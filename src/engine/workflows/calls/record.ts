import { type SQL, sql } from "drizzle-orm";
import type { CallVerdict } from "../../../core/workflows/call";
import { inProject } from "../../../db/scope";
import { type Statement, statement } from "../../../db/statement";
import type { Context } from "../../../platform/context";
import { notPostponed, postponed } from "../../outbound/put-off";
import { isOneOf } from "../../outbound/rows";
import { type CallKey, workflowRows } from "./rows";

/** The result of an attempt. */
export interface MadeCall {
  at: number;
  verdict: CallVerdict;
}

/** Stores the result of an attempt. A repeated or late result has no effect on a call that is over. */
export function updateTried(
  ctx: Context,
  keys: CallKey[],
  { at, verdict }: MadeCall,
  onlyIf: SQL = sql`true`,
): Statement<CallKey> {
  const change =
    verdict.kind === "over"
      ? sql`attempts = attempts + 1, next_attempt_at = NULL, request = NULL, outcome = ${JSON.stringify(verdict.outcome)},
          ended_at = ${at}`
      : sql`attempts = attempts + ${verdict.isCounted ? 1 : 0}, next_attempt_at = ${at + verdict.waitMs}`;
  return statement(
    sql`UPDATE workflow_calls SET ${change} WHERE ${isOneOf(ctx, workflowRows, keys)} AND ended_at IS NULL AND ${onlyIf}
      RETURNING contact_id, effect_id`,
    workflowRows.readKey,
    { again: selectTried(ctx, keys, { at, verdict }) },
  );
}

/** Selects the calls whose rows show this result. */
export function selectTried(ctx: Context, keys: CallKey[], { at, verdict }: MadeCall): SQL {
  const isTried = verdict.kind === "over" ? sql`ended_at = ${at}` : sql`next_attempt_at = ${at + verdict.waitMs}`;
  return sql`SELECT contact_id, effect_id FROM workflow_calls
    WHERE ${isOneOf(ctx, workflowRows, keys)} AND ${isTried}`;
}

/** Updates the host after an attempt. An answer clears the host's postponement. */
export function updateHost(ctx: Context, host: string, { at, verdict }: MadeCall): Statement[] {
  const isHost = sql`${inProject(ctx)} AND host = ${host}`;
  if (verdict.putOff !== null) {
    return [statement(sql`UPDATE workflow_hosts SET ${postponed(at, verdict.putOff)} WHERE ${isHost}`)];
  }
  const isAnswered = verdict.kind === "over" && verdict.outcome.kind === "done";
  return isAnswered ? [statement(sql`UPDATE workflow_hosts SET ${notPostponed} WHERE ${isHost} AND timeouts > 0`)] : [];
}

/** Ends a call if the mirror shows that its execution is over. */
export function endUnwanted(ctx: Context, { contactId, effectId }: CallKey): Statement {
  const [executionId = ""] = effectId.split(":");
  const isOver = sql`EXISTS (SELECT 1 FROM workflow_executions e INDEXED BY ix_workflow_executions_contact
    WHERE ${inProject(ctx, "e")} AND e.contact_id = ${contactId} AND e.id = ${executionId}
      AND e.status NOT IN ('RUNNING', 'WAITING'))`;
  return statement(
    sql`UPDATE workflow_calls SET next_attempt_at = NULL, request = NULL, ended_at = ${ctx.clock().getTime()}
      WHERE ${inProject(ctx)} AND contact_id = ${contactId} AND effect_id = ${effectId}
        AND ended_at IS NULL AND ${isOver}`,
  );
}
