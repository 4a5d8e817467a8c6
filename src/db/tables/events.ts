import { sql } from "drizzle-orm";
import { index, primaryKey, sqliteTable, text } from "drizzle-orm/sqlite-core";
import { createdAt, id, jsonObject, projectId, time } from "../columns";

/** The event log, and the outbox of the house: a row is written in the batch of the change that caused it. */
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
  },
  (table) => [
    index("ix_events_project").on(table.projectId, table.id),
    index("ix_events_email").on(table.projectId, table.emailId).where(sql`email_id IS NOT NULL`),
  ],
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
