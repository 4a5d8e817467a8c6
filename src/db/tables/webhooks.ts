import { sql } from "drizzle-orm";
import { index, integer, primaryKey, sqliteTable, text } from "drizzle-orm/sqlite-core";
import { id, projectId, rowKey, time, updatedAt } from "../columns";

/** A customer's URL that receives events. */
export const webhooks = sqliteTable(
  "webhooks",
  {
    projectId: projectId(),
    id: id().notNull(),
    url: text().notNull(),
    events: text({ mode: "json" }).$type<string[]>().notNull(),
    description: text(),
    /** Encrypted under a secret of the Worker. */
    secret: text().notNull(),
    /** The previous secret, which also signs until then. */
    oldSecret: text(),
    oldSecretUntil: time(),
    disabledAt: time(),
    disabledReason: text(),
    lastSuccessAt: time(),
    /** No call is made before this. */
    putOffUntil: time(),
    updatedAt: updatedAt(),
  },
  (table) => [rowKey(table)],
);

/** One event for one endpoint. The event identifies it, so an event that is dispatched twice makes one delivery. */
export const webhookDeliveries = sqliteTable(
  "webhook_deliveries",
  {
    projectId: projectId(),
    webhookId: id().notNull(),
    eventId: id().notNull(),
    type: text().notNull(),
    status: text({ enum: ["PENDING", "SUCCEEDED", "FAILED"] }).notNull(),
    attempts: integer().notNull().default(0),
    nextAttemptAt: time(),
    statusCode: integer(),
    error: text(),
    /** The body of a test, which has no event. */
    body: text(),
    updatedAt: updatedAt(),
  },
  (table) => [
    primaryKey({ columns: [table.projectId, table.webhookId, table.eventId] }),
    index("ix_webhook_deliveries_due").on(table.nextAttemptAt).where(sql`next_attempt_at IS NOT NULL`),
  ],
);
