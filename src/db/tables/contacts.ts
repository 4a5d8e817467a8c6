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
    // Lists and searches are answered by this index alone: a list of everyone merges its two halves.
    index("ix_contacts_list").on(table.projectId, table.subscribed, table.createdAt, table.id, table.email),
    index("ix_contacts_snoozed").on(table.snoozedUntil).where(sql`snoozed_until IS NOT NULL`),
    // The size of the whole is only known after merging, inside the database.
    check("contacts_data_size", sql.raw(`octet_length(data) <= ${maxDataBytes}`)),
  ],
);
export type ContactRow = typeof contacts.$inferSelect;

/** How many contacts a project has. Kept by triggers on `contacts`, so that no way of changing them can forget it. */
export const contactCounts = sqliteTable("contact_counts", {
  projectId: projectId().primaryKey(),
  total: integer().notNull(),
  subscribed: integer().notNull(),
  /** Moves with every change of any contact: what was computed from them is fresh as long as it stands still. */
  version: integer().notNull(),
});

/** The type of each key of `data`, fixed by the first value the project saw (data rule 9). */
export const contactFields = sqliteTable(
  "contact_fields",
  {
    projectId: projectId(),
    key: text().notNull(),
    type: text().$type<FieldType>().notNull(),
    createdAt: createdAt(),
    /** How many contacts had the field when a large project was last counted, and when that was. */
    contacts: integer(),
    countedAt: time(),
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

/**
 * What must outlive a contact that was erased: whether its address opted out or is suppressed. The address itself is
 * gone; a keyed hash of it is recognised when somebody creates the contact again.
 */
export const erasedAddresses = sqliteTable(
  "erased_addresses",
  {
    projectId: projectId(),
    hash: text().notNull(),
    optedOutAt: time(),
    suppressedReason: text({ enum: ["bounce", "complaint", "manual"] }),
    createdAt: createdAt(),
  },
  (table) => [primaryKey({ columns: [table.projectId, table.hash] })],
);
