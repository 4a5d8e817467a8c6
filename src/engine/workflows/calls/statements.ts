import { type SQL, sql } from "drizzle-orm";
import type { Id } from "../../../core/ids";
import type { PutOff } from "../../../core/outbound/verdict";
import { minuteMs } from "../../../core/time";
import type { CallVerdict } from "../../../core/workflows/call";
import { asId, asNumber, asText, columns } from "../../../db/rows";
import { inProject } from "../../../db/scope";
import { type Statement, statement } from "../../../db/statement";
import type { Context } from "../../../platform/context";
import { putOffUntil } from "../../outbound/put-off";

/** The key of a call within its project. */
export interface CallKey {
  contactId: Id;
  effectId: string;
}

/** When a host's next call is due, but not before the time to which the host is postponed. */
export const nextDue = sql`(SELECT max(min(k.next_attempt_at), coalesce(workflow_hosts.put_off_until, 0))
  FROM workflow_calls k INDEXED BY ix_workflow_calls_due
  WHERE k.project_id = workflow_hosts.project_id AND k.host = workflow_hosts.host AND k.next_attempt_at IS NOT NULL)`;

/** Must follow every change of calls, in the same batch. */
export function updateHostsDue(ctx: Context, hosts: string[]): Statement[] {
  const named = JSON.stringify(hosts);
  return [
    statement(
      sql`INSERT INTO workflow_hosts (project_id, host) SELECT ${ctx.project.number}, value FROM json_each(${named})
        WHERE true ON CONFLICT DO NOTHING`,
    ),
    statement(
      sql`UPDATE workflow_hosts SET due_at = ${nextDue} WHERE ${inProject(ctx)}
        AND host IN (SELECT value FROM json_each(${named})) AND due_at IS NOT ${nextDue}`,
    ),
  ];
}

/** Lease: after it, a taken call counts as lost and is due again. */
export const leaseMs = 2 * minuteMs;

/** Takes the next due calls of a host, the longest due first. */
export function takeCalls(ctx: Context, host: string, limit: number): Statement<CallKey & { createdAt: number }> {
  const now = ctx.clock().getTime();
  return statement(
    sql`UPDATE workflow_calls SET next_attempt_at = ${now + leaseMs}
      WHERE ${inProject(ctx)} AND (contact_id, effect_id) IN (
        SELECT contact_id, effect_id FROM workflow_calls INDEXED BY ix_workflow_calls_due
        WHERE ${inProject(ctx)} AND host = ${host} AND next_attempt_at <= ${now}
        ORDER BY next_attempt_at LIMIT ${limit})
      RETURNING contact_id, effect_id, created_at`,
    columns({ contactId: asId, effectId: asText, createdAt: asNumber }),
  );
}

/** Makes taken calls due again, because they were not made. */
export function giveBackCalls(ctx: Context, keys: CallKey[]): Statement {
  return statement(
    sql`UPDATE workflow_calls SET next_attempt_at = ${ctx.clock().getTime()} WHERE ${isOneOf(ctx, keys)} AND ended_at IS NULL`,
  );
}

/** Ends a call whose execution is over, according to the mirror. */
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

/** Stores the result of an attempt. A repeated or late result has no effect on a call that is over. */
export function updateTried(ctx: Context, keys: CallKey[], at: number, verdict: CallVerdict): Statement<CallKey> {
  const change =
    verdict.kind === "over"
      ? sql`attempts = attempts + 1, next_attempt_at = NULL, request = NULL, outcome = ${JSON.stringify(verdict.outcome)},
          ended_at = ${at}`
      : sql`attempts = attempts + ${verdict.isCounted ? 1 : 0}, next_attempt_at = ${at + verdict.waitMs}`;
  return statement(
    sql`UPDATE workflow_calls SET ${change} WHERE ${isOneOf(ctx, keys)} AND ended_at IS NULL
      RETURNING contact_id, effect_id`,
    columns({ contactId: asId, effectId: asText }),
    { again: selectTried(ctx, keys, at, verdict) },
  );
}

/** Selects the calls whose rows show this result. */
export function selectTried(ctx: Context, keys: CallKey[], at: number, verdict: CallVerdict): SQL {
  const isTried = verdict.kind === "over" ? sql`ended_at = ${at}` : sql`next_attempt_at = ${at + verdict.waitMs}`;
  return sql`SELECT contact_id, effect_id FROM workflow_calls WHERE ${isOneOf(ctx, keys)} AND ${isTried}`;
}

/** Deletes the stored outcome once the execution has it, because it may contain parts of the answer. */
export function updateHeard(ctx: Context, keys: CallKey[]): Statement {
  return statement(
    sql`UPDATE workflow_calls SET outcome = NULL WHERE ${isOneOf(ctx, keys)} AND ended_at IS NOT NULL AND outcome IS NOT NULL`,
  );
}

/** Updates the host after an attempt. An answer clears its postponement. */
export function updateHost(ctx: Context, host: string, at: number, putOff: PutOff, isAnswered: boolean): Statement {
  const isHost = sql`${inProject(ctx)} AND host = ${host}`;
  if (putOff !== null) {
    const timeouts = putOff === "silent" ? sql`timeouts + 1` : sql`timeouts`;
    return statement(
      sql`UPDATE workflow_hosts SET put_off_until = ${putOffUntil(at, putOff)}, timeouts = ${timeouts} WHERE ${isHost}`,
    );
  }
  return statement(
    sql`UPDATE workflow_hosts SET put_off_until = NULL, timeouts = 0
      WHERE ${isHost} AND timeouts > 0 AND ${isAnswered}`,
  );
}

/** Moves a host to the back of the project's due hosts. Must come before `updateHostsDue`. */
export function moveToBack(ctx: Context, host: string, until = ctx.clock().getTime()): Statement {
  return statement(
    sql`UPDATE workflow_hosts SET put_off_until = CAST(max(coalesce(put_off_until, 0), ${until}) AS INTEGER)
      WHERE ${inProject(ctx)} AND host = ${host} AND due_at IS NOT NULL`,
  );
}

/** Records the project's turn, so that projects that have waited longer go first. */
export function upsertCalledAt(ctx: Context): Statement {
  return statement(
    sql`INSERT INTO project_counts (project_id, called_at) VALUES (${ctx.project.number}, ${ctx.clock().getTime()})
      ON CONFLICT DO UPDATE SET called_at = excluded.called_at`,
  );
}

function isOneOf(ctx: Context, keys: CallKey[]): SQL {
  const items = JSON.stringify(keys.map(({ contactId, effectId }) => [contactId, effectId]));
  return sql`${inProject(ctx)}
    AND (contact_id, effect_id) IN (SELECT value->>0, value->>1 FROM json_each(${items}))`;
}
