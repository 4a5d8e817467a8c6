import { type SQL, sql } from "drizzle-orm";
import { KeyReused } from "../../core/errors";
import type { Effect } from "../../core/idempotency";
import { asNumber, asText, columns, orNull } from "../../db/rows";
import { refusable, type Statement, selectFirst, statement } from "../../db/statement";
import type { Context } from "../../platform/context";

interface Insertion {
  request: string;
  response: SQL;
  warnings?: SQL[];
  onlyIf: SQL;
}

/**
 * Inserts the row that makes a batch happen once per key. It comes last, and fails the whole batch when the key has had
 * its effect: the call then gets the first call's answer in its error. No statement without a key. `response` is an SQL
 * expression: the answer's body as JSON, as the caller got it, but for its warnings. `warnings` are those that only the
 * database knows of: each `{ field, message }` as JSON, or NULL.
 */
export function insertEffect(ctx: Context, { request, response, warnings = [], onlyIf }: Insertion): Statement[] {
  const { idempotencyKey: key, requestHash: hash, keyKind } = ctx;
  if (key === null) return [];
  const now = ctx.realClock().getTime();
  const isSame = sql`project_id = ${ctx.project.number} AND kind = ${keyKind} AND key = ${key}`;
  return [
    statement(sql`DELETE FROM idempotency_effects WHERE ${isSame} AND expires_at <= ${now}`),
    refusable(
      sql`INSERT INTO idempotency_effects (project_id, kind, key, request, hash, response, created_at, expires_at)
        SELECT ${ctx.project.number}, ${keyKind}, ${key}, ${request}, ${hash}, ${withWarnings(ctx, response, warnings)},
          ${now}, ${now + ctx.config.idempotencyTtlMs}
        WHERE ${onlyIf}`,
      {
        on: {
          unique: "idempotency_effects.project_id, idempotency_effects.kind, idempotency_effects.key",
        },
        refuse: async () => {
          const effect = await findEffect(ctx, key);
          return effect
            ? new KeyReused({ key, request, hash }, effect)
            : new Error("The key's effect expired while it was repeated");
        },
      },
    ),
  ];
}

function withWarnings({ warnings: known }: Context, response: SQL, late: SQL[]): SQL {
  if (late.length === 0) {
    return known.length > 0 ? sql`json_insert(${response}, '$.warnings', json(${JSON.stringify(known)}))` : response;
  }
  const told = late.map((warning) => sql`UNION ALL SELECT ${warning}`);
  return sql`(SELECT iif(told.warnings = '[]', ${response}, json_insert(${response}, '$.warnings', json(told.warnings)))
    FROM (SELECT json_group_array(json(warning)) AS warnings
      FROM (SELECT value AS warning FROM json_each(${JSON.stringify(known)}) ${sql.join(told, sql` `)})
      WHERE warning IS NOT NULL) told)`;
}

const readEffect = columns({
  request: asText,
  hash: orNull(asText),
  response: asText,
  createdAt: asNumber,
  expiresAt: asNumber,
});

/** The effect of the key for API keys of this kind, read from the database; null when there is none. */
export async function findEffect(ctx: Context, key: string): Promise<Effect | null> {
  const row = await selectFirst(
    ctx.db,
    sql`SELECT request, hash, response, created_at, expires_at FROM idempotency_effects
      WHERE project_id = ${ctx.project.number} AND kind = ${ctx.keyKind} AND key = ${key}
        AND expires_at > ${ctx.realClock().getTime()}`,
    readEffect,
  );
  if (!row) return null;
  const { createdAt, expiresAt, ...kept } = row;
  return { ...kept, atMs: createdAt, status: 200, expiresAtMs: expiresAt };
}
