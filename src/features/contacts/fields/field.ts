import { sql } from "drizzle-orm";
import { dataKeyOf } from "../../../core/audience/fields";
import { isStandard } from "../../../core/contacts/standard-fields";
import { asNumber, asText, columns, orNull, type RowReader } from "../../../db/rows";
import { inProject } from "../../../db/scope";
import { type Statement, statement } from "../../../db/statement";
import { totalContacts } from "../../../engine/contacts/total";
import type { Context } from "../../../platform/context";

/** The stored facts about a field, which can be read without reading contacts. */
export interface Field {
  /** The number of all contacts in the project. */
  total: number;
  /**
   * The number of contacts that had the field at its last count, and the time of that count; null when it was never
   * counted.
   */
  counted: { contacts: number; at: number } | null;
}

const readKey = columns({ total: asNumber, key: orNull(asText) });

/**
 * Selects the stored facts about a field. The row is null for a custom field that the project does not know, because
 * the field was never seen or was deleted.
 */
export function selectField(ctx: Context, field: string): Statement<Field | null> {
  return statement(
    sql`SELECT ${totalContacts(ctx)} AS total, f.key, f.contacts, f.counted_at
      FROM (SELECT 1) LEFT JOIN contact_fields f ON ${inProject(ctx, "f")} AND f.key = ${dataKeyOf(field)}`,
    (raw) => {
      const { total, key } = readKey(raw);
      return key === null && !isStandard(field) ? null : { total, counted: readCounted(raw) };
    },
  );
}

const readCount = columns({ contacts: orNull(asNumber), countedAt: orNull(asNumber) });

/** The stored count in a row of `contact_fields`. */
export const readCounted: RowReader<Field["counted"]> = (raw) => {
  const { contacts, countedAt } = readCount(raw);
  return contacts === null || countedAt === null ? null : { contacts, at: countedAt };
};
