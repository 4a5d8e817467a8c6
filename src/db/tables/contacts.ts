import { sql } from "drizzle-orm";
import { check, index, integer, primaryKey, sqliteTable, text, uniqueIndex } from "drizzle-orm/sqlite-core";
import { maxDataBytes } from "../../core/contacts/data";
import type { FieldType } from "../../core/contacts/field-type";
import { createdAt, flag, id, jsonObject, projectId, time, updatedAt } from "../columns";

export const contacts = sqliteTable(
  "contacts",
  {
    id: id(),
    projectId: projectId(),
    email: text().notNull(),
    subscribed: flag().notNull(),
    /** When this person last left, by any way, and did not come back. Null for one who was merely never subscribed. */
    optedOutAt: time(),
    snoozedUntil: time(),
    data: jsonObject().notNull(),
    /** Moves with every change, so that a write that depends on what was read can tell. */
    version: integer().notNull().default(1),
    createdAt: createdAt(),
    updatedAt: updatedAt(),
  },
  (table) => [
    uniqueIndex("ux_contacts_email").on(table.projectId, table.email),
    index("ix_contacts_project_id").on(table.projectId, table.id),
    // The size of the whole is only known after merging, inside the database.
    check("contacts_data_size", sql.raw(`octet_length(data) <= ${maxDataBytes}`)),
  ],
);

/** The type of each key of `data`, fixed by the first value the project saw (data rule 9). */
export const contactFields = sqliteTable(
  "contact_fields",
  {
    projectId: projectId(),
    key: text().notNull(),
    type: text().$type<FieldType>().notNull(),
    createdAt: createdAt(),
  },
  (table) => [primaryKey({ columns: [table.projectId, table.key] })],
);

/** Addresses that get no mail of any type: they bounced, complained, or were put here by hand. */
export const suppressions = sqliteTable(
  "suppressions",
  {
    projectId: projectId(),
    email: text().notNull(),
    reason: text({ enum: ["bounce", "complaint", "manual"] }).notNull(),
    createdAt: createdAt(),
  },
  (table) => [primaryKey({ columns: [table.projectId, table.email] })],
);
