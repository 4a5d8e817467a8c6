import { sql } from "drizzle-orm";
import type { FieldType } from "../../../core/contacts/field-type";
import { iso } from "../../../core/time";
import { commit, statement } from "../../../db/commit";
import { totalContacts } from "../../../engine/contacts/total";
import type { Context } from "../../../platform/context";
import { readCounted, standardTypes } from "./field";
import { coverageOf, mostLive, newestContacts } from "./live";

export interface FieldList {
  fields: { field: string; type: FieldType; isCustom: boolean; coverage: number }[];
  approximate?: true;
  countedAt?: string;
  truncated?: true;
}

/** Custom fields that are listed and counted, the first by name: whoever has more uses keys as values. */
export const mostFields = 1_000;

/** `GET /contacts/fields`: one round trip, and a look at the contacts only where counts are not kept. */
export async function listFields(ctx: Context): Promise<FieldList> {
  const listed = sql`SELECT * FROM contact_fields WHERE project_id = ${ctx.project.id} ORDER BY key LIMIT ${mostFields}`;
  const isLookNeeded = sql`${totalContacts(ctx)} <= ${mostLive}
    OR EXISTS (SELECT 1 FROM (${listed}) WHERE counted_at IS NULL)`;
  const [rows = [], [sum] = [], found = []] = await commit(ctx.db, [
    statement(
      ctx.db,
      sql`SELECT key, type, contacts, counted_at FROM contact_fields WHERE project_id = ${ctx.project.id}
        ORDER BY key LIMIT ${mostFields + 1}`,
    ),
    statement(ctx.db, sql`SELECT ${totalContacts(ctx)} AS total`),
    statement(
      ctx.db,
      sql`SELECT f.key, count(*) AS contacts
        FROM ${newestContacts(ctx, sql`data`, isLookNeeded)} c CROSS JOIN json_each(c.data) f
        WHERE f.type <> 'null' AND f.key IN (SELECT key FROM (${listed}))
        GROUP BY f.key`,
    ),
  ]);
  const total = Number(sum?.total);
  const seen = new Map(found.map((row) => [row.key, Number(row.contacts)]));
  const custom = rows.slice(0, mostFields).map((row) => ({
    field: `data.${row.key}`,
    // Only core's own types are ever written into the registry.
    type: row.type as FieldType,
    ...coverageOf({ total, counted: readCounted(row) }, seen.get(row.key) ?? 0, ctx.now),
  }));
  const standard = Object.entries(standardTypes);
  const fields = [
    ...standard.map(([field, type]) => ({ field, type, isCustom: false, coverage: 1 })),
    ...custom.map(({ field, type, contacts }) => ({
      field,
      type,
      isCustom: true,
      coverage: total === 0 ? 0 : contacts / total,
    })),
  ];
  const counted = custom.flatMap(({ countedAt }) => (countedAt === null ? [] : [countedAt]));
  return {
    fields: fields.sort((one, other) => (one.field < other.field ? -1 : 1)),
    ...(counted.length > 0 ? { approximate: true as const, countedAt: iso(Math.min(...counted)) } : {}),
    ...(rows.length > mostFields ? { truncated: true as const } : {}),
  };
}
