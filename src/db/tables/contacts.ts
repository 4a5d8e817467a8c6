import { sql } from "drizzle-orm";
import { check, index, integer, primaryKey, sqliteTable, text, uniqueIndex } from "drizzle-orm/sqlite-core";
import { maxDataBytes } from "../../core/contacts/data";
import type { FieldType } from "../../core/contacts/field-type";
import { contactSources } from "../../core/contacts/source";
import { belowAllIds } from "../../core/ids";
import { suppressionReasons } from "../../core/mail/suppression-reasons";
import { clock, createdAt, flag, id, jsonObject, projectId, rowKey, time, updatedAt } from "../columns";

export const contacts = sqliteTable(
  "contacts",
  {
    projectId: projectId(),
    /** Derived from `created_at`, so that the order of ids is the order of creation. */
    id: id().notNull(),
    email: text().notNull(),
    subscribed: flag().notNull(),
    /**
     * When the contact was last unsubscribed, by any means. Null if that never happened, or if it has subscribed again
     * since.
     */
    optedOutAt: time(),
    /**
     * `PERSON` if the contact itself unsubscribed, `API` if a call did it. A call with a public key lifts a contact's
     * own opt-out only if the operator allows that.
     */
    optedOutBy: text({ enum: ["PERSON", "API"] }),
    /** When the person pressed the button of a confirmation mail. */
    confirmedAt: time(),
    clock: clock(),
    snoozedUntil: time(),
    /** Where the contact first came from. */
    source: text({ enum: contactSources }).notNull().default("API"),
    data: jsonObject().notNull(),
    /**
     * Changes with every change of the row, so that a write can check whether the row has changed since it was read.
     */
    version: integer().notNull().default(1),
    createdAt: createdAt(),
    updatedAt: updatedAt(),
  },
  (table) => [
    rowKey(table),
    uniqueIndex("ux_contacts_email").on(table.projectId, table.email),
    // Lists and searches read only this index. A list of all contacts merges the subscribed and the unsubscribed half
    // of the index.
    index("ix_contacts_list").on(table.projectId, table.subscribed, table.id, table.email),
    index("ix_contacts_snoozed").on(table.clock, table.snoozedUntil).where(sql`snoozed_until IS NOT NULL`),
    // The size is checked here, because only the database knows the size after merging.
    check("contacts_data_size", sql.raw(`octet_length(data) <= ${maxDataBytes}`)),
  ],
);
export type ContactRow = typeof contacts.$inferSelect;

/** A project's counts of contacts. Each batch that changes contacts updates the counts once; see engine/contacts. */
export const projectCounts = sqliteTable("project_counts", {
  projectId: integer().primaryKey(),
  contacts: integer().notNull().default(0),
  subscribed: integer().notNull().default(0),
  /** Changes whenever any contact changes. A result computed from contacts is current while this number is the same. */
  contactsVersion: integer().notNull().default(0),
  /**
   * An hour, in hours since 1970. `confirmations` counts the confirmation emails that public keys caused in this hour.
   */
  confirmationHour: integer().notNull().default(0),
  confirmations: integer().notNull().default(0),
  /**
   * An hour, in hours since 1970. `publicMails` counts the workflow emails that events of public keys caused in this
   * hour.
   */
  publicMailHour: integer().notNull().default(0),
  publicMails: integer().notNull().default(0),
  /** The number of addresses on the suppression list. */
  suppressions: integer().notNull().default(0),
  /** When calls of the project's WEBHOOK steps last had a turn. The project that has waited longest goes first. */
  calledAt: integer().notNull().default(0),
  /** The cursor of the sweep that forgets old mail: the email after which it continues. */
  oldMailAfter: id().notNull().default(belowAllIds),
  /**
   * Where the next round of the sweep over old mail starts: just before the first email that could not be forgotten yet
   * in this round. Null while the round has forgotten every email that it read.
   */
  oldMailAgain: id(),
});

/** The type of each key of `data`, set by the first value of the key in the project. */
export const contactFields = sqliteTable(
  "contact_fields",
  {
    projectId: projectId(),
    key: text().notNull(),
    type: text().$type<FieldType>().notNull(),
    /** Whether a call with a public key created the field. Such fields have a limit of their own. */
    isPublic: flag().notNull().default(false),
    createdAt: createdAt(),
    /** The number of contacts with the field, counted at `countedAt`. Both are stored only in large projects. */
    contacts: integer(),
    countedAt: time(),
  },
  (table) => [primaryKey({ columns: [table.projectId, table.key] })],
);

/**
 * Addresses that receive no mail of any type: their mail bounced, the recipient complained, or a call added the
 * address.
 */
export const suppressions = sqliteTable(
  "suppressions",
  {
    projectId: projectId(),
    email: text().notNull(),
    reason: text({ enum: suppressionReasons }).notNull(),
    createdAt: createdAt(),
  },
  (table) => [primaryKey({ columns: [table.projectId, table.email] })],
);
export type SuppressionRow = typeof suppressions.$inferSelect;

/**
 * The facts that outlive an erased contact: whether its address opted out or is suppressed. The address itself is
 * erased. If a contact with that address is created again, a keyed hash recognises the address.
 */
export const erasedAddresses = sqliteTable(
  "erased_addresses",
  {
    projectId: projectId(),
    hash: text().notNull(),
    optedOutAt: time(),
    suppressedReason: text({ enum: suppressionReasons }),
    createdAt: createdAt(),
  },
  (table) => [primaryKey({ columns: [table.projectId, table.hash] })],
);

/**
 * Groups of marketing mail that a person can leave one by one. A deleted topic keeps its row, because its slug is never
 * used again.
 */
export const topics = sqliteTable(
  "topics",
  {
    projectId: projectId(),
    id: id().notNull(),
    name: text().notNull(),
    slug: text().notNull(),
    description: text(),
    defaultSubscribed: flag().notNull(),
    deletedAt: time(),
    createdAt: createdAt(),
    updatedAt: updatedAt(),
  },
  (table) => [rowKey(table), uniqueIndex("ux_topics_slug").on(table.projectId, table.slug)],
);
export type TopicRow = typeof topics.$inferSelect;

/** A contact's choice for a topic. Without a row, the topic's default applies. */
export const contactTopics = sqliteTable(
  "contact_topics",
  {
    projectId: projectId(),
    contactId: id().notNull(),
    topicId: id().notNull(),
    isIn: flag().notNull(),
    at: integer().notNull(),
  },
  (table) => [primaryKey({ columns: [table.projectId, table.contactId, table.topicId] })],
);

/** Confirmation emails of double opt-in. The rows limit how many more are sent, and prove who confirmed. */
export const confirmations = sqliteTable(
  "confirmations",
  {
    projectId: projectId(),
    contactId: id().notNull(),
    id: id().notNull(),
    email: text().notNull(),
    page: text(),
    confirmedAt: time(),
  },
  (table) => [primaryKey({ columns: [table.projectId, table.contactId, table.id] })],
);
