import { sql } from "drizzle-orm";
import { kindOf } from "../../../core/contacts/column-kinds";
import type { FieldType } from "../../../core/contacts/field-type";
import { standardFields } from "../../../core/contacts/standard-fields";
import { iso } from "../../../core/time";
import { openBatch } from "../../../db/batch";
import { asNumber, asOneOf, asText, columns } from "../../../db/rows";
import { inProject } from "../../../db/scope";
import { statement } from "../../../db/statement";
import { totalContacts } from "../../../engine/contacts/total";
import type { Context } from "../../../platform/context";
import { readCounted } from "./field";
import { coverageOf, maxLive, newestContacts } from "./live";

export interface FieldList {
  fields: { field: string; type: FieldType; isCustom: boolean; coverage: number }[];
  approximate?: true;
  countedAt?: string;
  truncated?: true;
}

const readName = columns({ key: asText, type: asOneOf<FieldType>() });

/**
 * The maximum number of custom fields that are listed and counted, in the order of their names. A project with more of
 * them has most likely used values as names.
 */
export const maxFieldsShown = 1_000;

/**
 * Implements `GET /contacts/fields`: lists the fields in one round trip. Reads contacts only if the project is small,
 * or if a field was never counted.
 */
export async function listFields(ctx: Context): Promise<FieldList> {
  const listed = sql`SELECT * FROM contact_fields WHERE ${inProject(ctx)} ORDER BY key LIMIT ${maxFieldsShown}`;
  const isLookNeeded = sql`${totalContacts(ctx)} <= ${maxLive}
    OR EXISTS (SELECT 1 FROM (${listed}) WHERE counted_at IS NULL)`;
  const batch = openBatch(ctx);
  const registered = batch.add(
    statement(
      sql`SELECT key, type, contacts, counted_at FROM contact_fields WHERE ${inProject(ctx)}
        ORDER BY key LIMIT ${maxFieldsShown + 1}`,
      (raw) => ({ ...readName(raw), counted: readCounted(raw) }),
    ),
  );
  const size = batch.add(statement(sql`SELECT ${totalContacts(ctx)} AS total`, columns({ total: asNumber })));
  const found = batch.add(
    statement(
      sql`SELECT f.key, count(*) AS contacts
        FROM ${newestContacts(ctx, sql`data`, isLookNeeded)} c CROSS JOIN json_each(c.data) f
        WHERE f.type <> 'null' AND f.key IN (SELECT key FROM (${listed}))
        GROUP BY f.key`,
      columns({ key: asText, contacts: asNumber }),
    ),
  );
  await batch.commit();
  const { total } = size.one;
  const seen = new Map(found.all.map(({ key, contacts }) => [key, contacts]));
  const custom = registered.all.slice(0, maxFieldsShown).map(({ key, type, counted }) => ({
    field: `data.${key}`,
    type,
    ...coverageOf({ total, counted }, seen.get(key) ?? 0, ctx.now),
  }));
  const fields = [
    ...standardFields.map((field) => ({ field, type: kindOf(field).type, isCustom: false, coverage: 1 })),
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
    ...(registered.count > maxFieldsShown ? { truncated: true as const } : {}),
  };
}
