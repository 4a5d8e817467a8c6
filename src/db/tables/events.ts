import { sql } from "drizzle-orm";
import { index, integer, primaryKey, sqliteTable, text } from "drizzle-orm/sqlite-core";
import { createdAt, id, jsonObject, projectId, time } from "../columns";

/**
 * The event log, and the outbox of the house: a row is written in the batch of the change that caused it. Its id is a
 * UUID v7 of its own time, so that an order by id is one by time, and a bound in time is a bound of ids.
 */
export const events = sqliteTable(
  "events",
  {
    id: id(),
    projectId: projectId(),
    name: text().notNull(),
    contactId: text(),
    emailId: text(),
    data: jsonObject().notNull(),
    createdAt: createdAt(),
    /** When every listener had taken it; at birth, when nobody listened. */
    dispatchedAt: time(),
    /** When the announcement of a row that is not dispatched counts as lost. */
    nextAnnounceAt: time(),
    announcements: integer().notNull().default(0),
  },
  (table) => [
    index("ix_events_project").on(table.projectId, table.id),
    index("ix_events_contact").on(table.projectId, table.contactId, table.id).where(sql`contact_id IS NOT NULL`),
    // Who has this event, and since when: the same rows from both ends.
    index("ix_events_name_contact").on(table.projectId, table.name, table.contactId, table.id),
    index("ix_events_name").on(table.projectId, table.name, table.id, table.contactId),
    index("ix_events_waiting").on(table.nextAnnounceAt).where(sql`dispatched_at IS NULL`),
    index("ix_events_email").on(table.projectId, table.emailId).where(sql`email_id IS NOT NULL`),
  ],
);
export type EventRow = typeof events.$inferSelect;

/** The names a project has seen, with lifetime counts. Kept by triggers on `events`, and so exact at any size. */
export const eventNames = sqliteTable(
  "event_names",
  {
    projectId: projectId(),
    name: text().notNull(),
    count: integer().notNull(),
    contacts: integer().notNull(),
    lastAt: integer().notNull(),
  },
  (table) => [primaryKey({ columns: [table.projectId, table.name] })],
);

/** How many events of a name each day (UTC, in days since 1970) saw. Kept by triggers on `events`. */
export const eventDays = sqliteTable(
  "event_days",
  {
    projectId: projectId(),
    day: integer().notNull(),
    name: text().notNull(),
    count: integer().notNull(),
  },
  (table) => [primaryKey({ columns: [table.projectId, table.day, table.name] })],
);

/** Who wants to hear of which events: an exact name, a family such as `email.*`, or `*`. */
export const eventListeners = sqliteTable(
  "event_listeners",
  {
    projectId: projectId(),
    name: text().notNull(),
    listenerId: text().notNull(),
  },
  (table) => [primaryKey({ columns: [table.projectId, table.name, table.listenerId] })],
);
