import { type SQL, sql } from "drizzle-orm";
import type { Id } from "../../core/ids";
import { minuteMs } from "../../core/time";
import type { RowReader } from "../../db/rows";
import { inProject } from "../../db/scope";
import { type Statement, statement } from "../../db/statement";
import type { Context } from "../../platform/context";

/**
 * The two tables of a kind of calls. `calls` has a row for each call, with `next_attempt_at`. `receivers` has a row for
 * each receiver, with `due_at`, `put_off_until` and `timeouts`. Every kind has tables of its own: see
 * docs/decisions/0037.
 */
export interface OutboundTables {
  calls: SQL;
  /** The index of a receiver's open calls, by `next_attempt_at`. */
  dueIndex: SQL;
  receivers: SQL;
  /**
   * The column of `receivers` that identifies a receiver within its project, and the column of `calls` that refers to
   * it.
   */
  name: SQL;
  receiver: SQL;
  /** A condition on the receiver's row. A receiver that does not meet it is never due. */
  isCallable: SQL;
}

/** The tables of a kind of calls, with the two columns that identify a call within its project. */
export interface CallRows<Key> extends OutboundTables {
  key: SQL;
  readKey: RowReader<Key>;
  valuesOf(key: Key): [Id | string, Id | string];
}

/** The lease on a claimed call. After it, the call counts as lost and is due again. */
export const leaseMs = 2 * minuteMs;

/**
 * Returns an SQL expression for the time at which a receiver is due: the time of its next call, but not before the time
 * to which the receiver was postponed. A search for work therefore reads only one row for a receiver that hangs, even
 * if ten thousand calls wait for it.
 */
export function nextDue({ calls, dueIndex, receivers, name, receiver, isCallable }: OutboundTables): SQL {
  return sql`CASE WHEN ${isCallable} THEN (
    SELECT max(min(k.next_attempt_at), coalesce(${receivers}.put_off_until, 0)) FROM ${calls} k INDEXED BY ${dueIndex}
    WHERE k.project_id = ${receivers}.project_id AND k.${receiver} = ${receivers}.${name}
      AND k.next_attempt_at IS NOT NULL) END`;
}

/** Updates when receivers are due. Must follow every change of calls, in the same batch. */
export function updateDue(ctx: Context, rows: OutboundTables, names: readonly (Id | string)[]): Statement {
  const { receivers, name } = rows;
  return statement(
    sql`UPDATE ${receivers} SET due_at = ${nextDue(rows)} WHERE ${inProject(ctx)}
      AND ${name} IN (SELECT value FROM json_each(${JSON.stringify(names)})) AND due_at IS NOT ${nextDue(rows)}`,
  );
}

/** Claims the next due calls of a receiver, those that have been due longest first. */
export function claimDue<Key>(ctx: Context, rows: CallRows<Key>, name: string, limit: number): Statement<Key> {
  const now = ctx.realClock().getTime();
  const { calls, dueIndex, receiver, key } = rows;
  return statement(
    sql`UPDATE ${calls} SET next_attempt_at = ${now + leaseMs}
      WHERE ${inProject(ctx)} AND (${key}) IN (
        SELECT ${key} FROM ${calls} INDEXED BY ${dueIndex}
        WHERE ${inProject(ctx)} AND ${receiver} = ${name} AND next_attempt_at <= ${now}
        ORDER BY next_attempt_at LIMIT ${limit})
      RETURNING ${key}`,
    rows.readKey,
  );
}

/** Makes claimed calls due again if they were not made. */
export function updateUnclaimed<Key>(ctx: Context, rows: CallRows<Key>, keys: readonly Key[]): Statement {
  return statement(
    sql`UPDATE ${rows.calls} SET next_attempt_at = ${ctx.realClock().getTime()}
      WHERE ${isOneOf(ctx, rows, keys)} AND next_attempt_at IS NOT NULL`,
  );
}

/**
 * Moves a receiver that has more due calls behind all other due receivers. Otherwise every consumer would always call
 * the receivers with the oldest calls first, which are the slow ones. Must come before `updateDue`, and after the
 * statement that records an answer, because recording clears the postponement.
 */
export function moveToBack(
  ctx: Context,
  { calls, dueIndex, receivers, name: column, receiver }: OutboundTables,
  name: Id | string,
  until = ctx.realClock().getTime(),
): Statement {
  return statement(
    sql`UPDATE ${receivers} SET put_off_until = CAST(max(coalesce(put_off_until, 0), ${until}) AS INTEGER)
      WHERE ${inProject(ctx)} AND ${column} = ${name} AND EXISTS (
        SELECT 1 FROM ${calls} k INDEXED BY ${dueIndex}
        WHERE k.project_id = ${receivers}.project_id AND k.${receiver} = ${receivers}.${column}
          AND k.next_attempt_at <= ${ctx.realClock().getTime()})`,
  );
}

export function isOneOf<Key>(ctx: Context, { key, valuesOf }: CallRows<Key>, keys: readonly Key[]): SQL {
  return sql`${inProject(ctx)}
    AND (${key}) IN (SELECT value->>0, value->>1 FROM json_each(${JSON.stringify(keys.map(valuesOf))}))`;
}
