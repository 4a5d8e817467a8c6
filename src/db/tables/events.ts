import { sql } from "drizzle-orm";
import { index, integer, primaryKey, sqliteTable, text } from "drizzle-orm/sqlite-core";
import { flag, id, jsonObject, projectId, rowKey, time } from "../columns";

/**
 * The event log, which is also a transactional outbox: a row is written in the batch of the change that caused it. The
 * id is made at the commit and contains the time, so ids sort by time, and a range of times is a range of ids.
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
    /**
     * Whether a public key caused the event, even if the service itself is the source. In older rows with the source
     * PUBLIC, this flag is not set.
     */
    isPublic: flag().notNull().default(false),
    /**
     * The data of the event. An event of an email has only values that are not in the row of the email; see
     * engine/events/email-data.ts.
     */
    data: jsonObject().notNull(),
    /** Workflows and events that led to this event. */
    causes: text({ mode: "json" }).$type<string[]>(),
    /** The workflows that the event starts, as they were at the moment of its commit. */
    starts: text({ mode: "json" }).$type<string[]>(),
    /**
     * When the announcement of an undispatched event counts as lost. Null when every listener has received the event,
     * or when the event never had a listener.
     */
    nextAnnounceAt: time(),
    announcements: integer().notNull().default(0),
  },
  (table) => [
    rowKey(table),
    // The events of a contact, except the two that nearly every email has. Those two are found by their names:
    // engine/events/of-contact.ts.
    index("ix_events_person")
      .on(table.projectId, table.contactId, table.id)
      .where(sql`name NOT IN ('email.sent', 'email.delivered')`),
    // Finds the contacts that have had an event, and when they had it.
    index("ix_events_name").on(table.projectId, table.name, table.contactId, table.id),
    index("ix_events_waiting").on(table.nextAnnounceAt).where(sql`next_announce_at IS NOT NULL`),
  ],
);
export type EventRow = typeof events.$inferSelect;

/**
 * The event names of a project. Each name has a total count, and a count for the last day on which such an event
 * happened. Each batch that writes events updates the row of a name once.
 */
export const eventNames = sqliteTable(
  "event_names",
  {
    projectId: projectId(),
    name: text().notNull(),
    count: integer().notNull(),
    contacts: integer().notNull(),
    lastAt: integer().notNull(),
    /**
     * The last day with such an event, in days since 1970 (UTC). The first event of a later day moves the day's count
     * to `event_days`.
     */
    day: integer().notNull(),
    dayCount: integer().notNull(),
    isPublic: flag().notNull().default(false),
    /**
     * For `email.sent`: the number of events whose mail counts for the project's reputation. The number never
     * decreases.
     */
    mails: integer().notNull().default(0),
  },
  (table) => [primaryKey({ columns: [table.projectId, table.name] })],
);

/** The number of events of a name on each past day. */
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

/** The listeners to events. A listener names an event, a family such as `email.*`, or `*`. */
export const eventListeners = sqliteTable(
  "event_listeners",
  {
    projectId: projectId(),
    name: text().notNull(),
    listenerId: text().notNull(),
  },
  (table) => [primaryKey({ columns: [table.projectId, table.name, table.listenerId] })],
);
