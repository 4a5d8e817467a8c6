import { type SQL, sql } from "drizzle-orm";
import { type KeyEffect, redactedFor } from "../../core/idempotency";
import { KeyReused } from "../../core/idempotency-errors";
import { asNumber, asText, columns } from "../../db/rows";
import { inProject } from "../../db/scope";
import { refusable, type Statement, selectFirst, statement } from "../../db/statement";
import type { Context } from "../../platform/context";

interface Insertion {
  request: string;
  response: SQL;
  lateWarnings?: SQL[];
  onlyIf: SQL;
}

/**
 * Inserts the row that lets a batch happen only once per idempotency key. The row is inserted last, and the insert
 * fails the whole batch if the key was used before. The error then contains the first call's answer. Returns no
 * statements when the call has no key. `response` is an SQL expression for the body of the answer as JSON, without
 * warnings. `lateWarnings` are warnings that only the database can find: each is `{ field, message }` as JSON, or NULL.
 */
export function insertEffect(ctx: Context, { request, response, lateWarnings = [], onlyIf }: Insertion): Statement[] {
  const { idempotencyKey: key, requestHash: hash, callerKind } = ctx;
  if (key === null) return [];
  const now = ctx.realClock().getTime();
  const isSame = sql`${inProject(ctx)} AND kind = ${callerKind} AND key = ${key}`;
  return [
    statement(sql`DELETE FROM idempotency_effects WHERE ${isSame} AND expires_at <= ${now}`),
    refusable(
      sql`INSERT INTO idempotency_effects (project_id, kind, key, request, hash, response, created_at, expires_at)
        SELECT ${ctx.project.number}, ${callerKind}, ${key}, ${request}, ${hash}, ${withWarnings(ctx, response, lateWarnings)},
          ${now}, ${now + ctx.config.idempotencyTtlMs}
        WHERE ${onlyIf}`,
      {
        on: {
          unique: "idempotency_effects.project_id, idempotency_effects.kind, idempotency_effects.key",
        },
        refuse: async () => {
          const effect = await findEffect(ctx, key);
          return effect
            ? new KeyReused({ key, request, hash }, redactedFor(ctx, effect))
            : new Error("The key's effect expired while it was repeated");
        },
      },
    ),
  ];
}

function withWarnings({ warnings }: Context, response: SQL, late: SQL[]): SQL {
  const known = sql`json(${JSON.stringify(warnings)})`;
  if (late.length === 0) return warnings.length > 0 ? sql`json_insert(${response}, '$.warnings', ${known})` : response;
  const all = sql.join(
    [sql`SELECT value FROM json_each(${known})`, ...late.map((warning) => sql`SELECT ${warning}`)],
    sql` UNION ALL `,
  );
  return sql`(SELECT iif(count(value) = 0, ${response}, json_insert(${response}, '$.warnings', json_group_array(json(value))))
    FROM (${all}) WHERE value IS NOT NULL)`;
}

/** The requests with a stored effect that are answered with 201. All others are answered with 200. */
const creating: ReadonlySet<string> = new Set(["POST /contacts/imports"]);

const readEffect = columns({
  request: asText,
  hash: asText,
  response: asText,
  createdAt: asNumber,
  expiresAt: asNumber,
});

/** Returns the answer that is stored for the key and this kind of caller, or null when there is none. */
export async function findEffect(ctx: Context, key: string): Promise<KeyEffect | null> {
  const row = await selectFirst(
    ctx.db,
    sql`SELECT request, hash, response, created_at, expires_at FROM idempotency_effects
      WHERE ${inProject(ctx)} AND kind = ${ctx.callerKind} AND key = ${key}
        AND expires_at > ${ctx.realClock().getTime()}`,
    readEffect,
  );
  if (!row) return null;
  const { createdAt, expiresAt, ...kept } = row;
  return { ...kept, atMs: createdAt, status: creating.has(row.request) ? 201 : 200, expiresAtMs: expiresAt };
}
