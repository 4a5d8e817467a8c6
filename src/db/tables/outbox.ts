import { index, sqliteTable, text } from "drizzle-orm/sqlite-core";
import { createdAt, id, projectId, rowKey } from "../columns";

/** Mail that the embedded outbox provider stores. If the provider did not accept a message, `id` equals `emailId`. */
export const outboxMessages = sqliteTable(
  "outbox_messages",
  {
    projectId: projectId(),
    id: id().notNull(),
    emailId: id().notNull(),
    toEmail: text().notNull(),
    /** The MIME source of a small message. A larger one is in R2, under a key with the project and the id. */
    source: text(),
    createdAt: createdAt(),
  },
  (table) => [
    rowKey(table),
    index("ix_outbox_messages_to").on(table.toEmail, table.id),
    index("ix_outbox_messages_id").on(table.id),
  ],
);
export type OutboxRow = typeof outboxMessages.$inferSelect;
