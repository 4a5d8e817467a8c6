import { type SQL, sql } from "drizzle-orm";
import { KeyReused } from "../../core/errors";
import type { Effect } from "../../core/idempotency";
import { query, statement } from "../../db/commit";
import { isUniqueViolation } from "../../db/conflicts";
import type { Context } from "../../platform/context";

/**
 * The statements that make a batch happen once per key: they come last in it, and fail the whole batch when the key
 * has had its effect. None without a key. `response` is an SQL expression: the answer's body as JSON.
 */
export function effectStatements(
  ctx: Context,
  { request, response, onlyIf }: { request: string; response: SQL; onlyIf: SQL },
): D1PreparedStatement[] {
  if (ctx.idempotencyKey === null) return [];
  const now = ctx.now.getTime();
  const isSame = sql`project_id = ${ctx.project.id} AND key = ${ctx.idempotencyKey}`;
  return [
    statement(ctx.db, sql`DELETE FROM idempotency_effects WHERE ${isSame} AND expires_at <= ${now}`),
    statement(
      ctx.db,
      sql`INSERT INTO idempotency_effects (project_id, key, request, response, created_at, expires_at)
        SELECT ${ctx.project.id}, ${ctx.idempotencyKey}, ${request}, ${response}, ${now},
          ${now + ctx.config.idempotencyTtlMs}
        WHERE ${onlyIf}`,
    ),
  ];
}

/** What the key has done, straight from the database; null when nothing. */
export async function findEffect(ctx: Context, key: string): Promise<Effect | null> {
  const [row] = await query(
    ctx.db,
    sql`SELECT request, response, created_at, expires_at FROM idempotency_effects
      WHERE project_id = ${ctx.project.id} AND key = ${key} AND expires_at > ${ctx.now.getTime()}`,
  );
  if (!row) return null;
  return {
    request: String(row.request),
    atMs: Number(row.created_at),
    status: 200,
    response: String(row.response),
    expiresAtMs: Number(row.expires_at),
  };
}

/** Turns the failure of a batch whose key had its effect before into the answer that says so. */
export async function effectAsKeyReused<T>(ctx: Context, committed: Promise<T>): Promise<T> {
  try {
    return await committed;
  } catch (error) {
    const isTaken = isUniqueViolation(error, "idempotency_effects.project_id, idempotency_effects.key");
    const effect = isTaken && ctx.idempotencyKey !== null ? await findEffect(ctx, ctx.idempotencyKey) : null;
    throw effect && ctx.idempotencyKey !== null ? new KeyReused(ctx.idempotencyKey, effect) : error;
  }
}
