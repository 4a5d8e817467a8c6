import { sql } from "drizzle-orm";
import { dataKeyOf, type standardFields } from "../../../core/audience/fields";
import type { FieldType } from "../../../core/contacts/field-type";
import { statement } from "../../../db/commit";
import { totalContacts } from "../../../engine/contacts/total";
import type { Context } from "../../../platform/context";

/** The types of the fields that every contact has, outside of its `data`. */
export const standardTypes: Record<StandardField, FieldType> = {
  createdAt: "date",
  email: "string",
  subscribed: "boolean",
  updatedAt: "date",
};

export type StandardField = (typeof standardFields)[number];

export function isStandard(field: string): field is StandardField {
  return Object.hasOwn(standardTypes, field);
}

/** What is known of a field without a look at the contacts. */
export interface Field {
  /** All contacts of the project. */
  total: number;
  /** How many of them had the field when it was last counted, and when that was; null when it never was. */
  counted: { contacts: number; at: number } | null;
}

/** The statement that looks for a field, for `readField`. */
export function selectField(ctx: Context, field: string): D1PreparedStatement {
  return statement(
    ctx.db,
    sql`SELECT ${totalContacts(ctx)} AS total, f.key, f.contacts, f.counted_at
      FROM (SELECT 1) LEFT JOIN contact_fields f ON f.project_id = ${ctx.project.id} AND f.key = ${dataKeyOf(field)}`,
  );
}

/** Null for a custom field that the project does not know: never seen, or deleted. */
export function readField(field: string, row: Record<string, unknown> | undefined): Field | null {
  if (!isStandard(field) && typeof row?.key !== "string") return null;
  return { total: Number(row?.total), counted: readCounted(row) };
}

export function readCounted(row: Record<string, unknown> | undefined): Field["counted"] {
  if (typeof row?.counted_at !== "number") return null;
  return { contacts: Number(row.contacts), at: row.counted_at };
}
