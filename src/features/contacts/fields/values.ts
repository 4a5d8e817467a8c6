import { type SQL, sql } from "drizzle-orm";
import { dataKeyOf } from "../../../core/audience/fields";
import { kindOf } from "../../../core/contacts/column-kinds";
import { isStandard, type StandardField } from "../../../core/contacts/standard-fields";
import { NotFound } from "../../../core/errors";
import { iso } from "../../../core/time";
import { openBatch } from "../../../db/batch";
import { contactColumn } from "../../../db/contact-columns";
import { asFlag, asNumber, asOneOf, asText, columns } from "../../../db/rows";
import { statement } from "../../../db/statement";
import type { Context } from "../../../platform/context";
import { selectField } from "./field";
import { maxLive, newestContacts } from "./live";

export interface FieldValues {
  field: string;
  values: (string | number | boolean)[];
  count: number;
  limit: number;
  approximate?: true;
  countedAt?: string;
}

/**
 * The longest value that is listed. Longer values are unsuitable as choices in a list, and 200 of them would make the
 * answer too large.
 */
const maxValueLength = 1_000;

/**
 * Reads a value by its kind. SQL returns the kind of each value, because one field may have values of several kinds.
 */
const readAs = { boolean: asFlag, date: (value: unknown) => iso(asNumber(value)), number: asNumber, string: asText };

const readValue = columns({
  kind: asOneOf<keyof typeof readAs>(),
  value: (value) => value,
  count: asNumber,
});

/** Implements `GET /contacts/fields/{field}/values`: lists booleans, then numbers, then strings, each group sorted. */
export async function fieldValues(ctx: Context, field: string, limit: number): Promise<FieldValues> {
  const batch = openBatch(ctx);
  const found = batch.add(selectField(ctx, field));
  const seen = batch.add(
    statement(
      sql`WITH seen AS MATERIALIZED (${isStandard(field) ? standardValues(ctx, field) : customValues(ctx, dataKeyOf(field))})
        SELECT kind, value, (SELECT count(*) FROM seen) AS count FROM seen ORDER BY kind, value LIMIT ${limit}`,
      readValue,
    ),
  );
  await batch.commit();
  if (!found.one) throw new NotFound("field", field);
  return {
    field,
    values: seen.all.map(({ kind, value }) => readAs[kind](value)),
    count: seen.first?.count ?? 0,
    limit,
    ...(found.one.total > maxLive ? { approximate: true as const, countedAt: ctx.now.toISOString() } : {}),
  };
}

function standardValues(ctx: Context, field: StandardField): SQL {
  const column = sql`${sql.raw(`'${kindOf(field).type}'`)} AS kind, ${contactColumn(field)} AS value`;
  return sql`SELECT DISTINCT kind, value FROM ${newestContacts(ctx, column)}`;
}

/** Selects the values of a custom field. Leaves out arrays and objects, because no filter compares with a whole one. */
function customValues(ctx: Context, key: string | null): SQL {
  return sql`SELECT DISTINCT CASE f.type WHEN 'text' THEN 'string' WHEN 'integer' THEN 'number' WHEN 'real' THEN 'number'
      ELSE 'boolean' END AS kind, f.value
    FROM ${newestContacts(ctx, sql`data`)} c CROSS JOIN json_each(c.data) f
    WHERE f.key = ${key} AND f.type IN ('text', 'integer', 'real', 'true', 'false') AND f.value <> ''
      AND length(f.value) <= ${maxValueLength}`;
}
