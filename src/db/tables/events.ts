import { sql } from "drizzle-orm";
import { index, integer, primaryKey, sqliteTable, text } from "drizzle-orm/sqlite-core";
import { flag, id, jsonObject, projectId, rowKey, time } from "../columns";

/**
 * The event log, and the outbox of the house: a row is written in the batch of the change that caused it. Its id is made
 * at the commit and is its time, so that an order by id is one by time, and a bound in time is a bound of ids.
 */
export const events = sqliteTable(
  "events",
  {
    projectId: projectId(),
    id: id().notNull(),
    name: text().notNull(),
    contactId: id(),
    emailId: id(),
    source: text({ enum: ["PUBLIC", "API", "SYSTEM"] })
      .notNull()
      .default("SYSTEM"),
    /** Of an email's event only what the email's own row lacks; see engine/events/email-data.ts. */
    data: jsonObject().notNull(),
    /** Workflows and events that led to it. */
    causes: text({ mode: "json" }).$type<string[]>(),
    /** Workflows that it starts, as of the moment of its commit. */
    starts: text({ mode: "json" }).$type<string[]>(),
    /** When the announcement of a row that is not dispatched counts as lost. Null once every listener has taken it, and at birth when nobody listens. */
    nextAnnounceAt: time(),
    announcements: integer().notNull().default(0),
  },
  (table) => [
    rowKey(table),
    index("ix_events_contact").on(table.projectId, table.contactId, table.id),
    // Who has this event, and since when.
    index("ix_events_name").on(table.projectId, table.name, table.contactId, table.id),
    index("ix_events_waiting").on(table.nextAnnounceAt).where(sql`next_announce_at IS NOT NULL`),
  ],
);
export type EventRow = typeof events.$inferSelect;

/**
 * The names a project has seen, with lifetime counts, and with the count of the last day on which it happened. Each batch
 * that writes events counts them once.
 */
export const eventNames = sqliteTable(
  "event_names",
  {
    projectId: projectId(),
    name: text().notNull(),
    count: integer().notNull(),
    contacts: integer().notNull(),
    lastAt: integer().notNull(),
    /** In days since 1970 (UTC). The first event of a later day moves the day's count to `event_days`. */
    day: integer().notNull(),
    dayCount: integer().notNull(),
    isPublic: flag().notNull().default(false),
  },
  (table) => [primaryKey({ columns: [table.projectId, table.name] })],
);

/** How many events of a name each day saw that is over. */
export const eventDays = sqliteTable(
  "event_days",
  {
    projectId: projectId(),
    name: text().notNull(),
    day: integer().notNull(),
    count: integer().notNull(),
    lastAt: integer().notNull(),
  },
  (table) => [primaryKey({ columns: [table.projectId, table.name, table.day] })],
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
