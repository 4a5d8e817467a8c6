import { sql } from "drizzle-orm";
import { index, integer, primaryKey, sqliteTable, text } from "drizzle-orm/sqlite-core";
import { flag, id, projectId, rowKey, time, updatedAt } from "../columns";

/** A customer's URL that receives events. */
export const webhooks = sqliteTable(
  "webhooks",
  {
    projectId: projectId(),
    id: id().notNull(),
    url: text().notNull(),
    events: text({ mode: "json" }).$type<string[]>().notNull(),
    description: text(),
    /** Encrypted with a secret of the Worker. */
    secret: text().notNull(),
    /** The previous secret, which also signs until `oldSecretUntil`. */
    oldSecret: text(),
    oldSecretUntil: time(),
    disabledAt: time(),
    disabledReason: text(),
    /** The time of the last success, accurate to the minute, because not every success is written. */
    lastSuccessAt: time(),
    /** The time of the first failure since the last success. */
    failingSince: time(),
    /** The number of consecutive calls without an answer. */
    timeouts: integer().notNull().default(0),
    /** No call is made before this time. */
    putOffUntil: time(),
    /** When the next delivery is due. Null when none waits, or when the webhook is disabled. */
    dueAt: time(),
    updatedAt: updatedAt(),
  },
  (table) => [rowKey(table), index("ix_webhooks_due").on(table.dueAt).where(sql`due_at IS NOT NULL`)],
);
export type WebhookRow = typeof webhooks.$inferSelect;

/**
 * The delivery of one event to one endpoint. The event is part of the key, so an event that is dispatched twice makes
 * one delivery.
 */
export const webhookDeliveries = sqliteTable(
  "webhook_deliveries",
  {
    projectId: projectId(),
    webhookId: id().notNull(),
    /** The id of the event. A test has no event, so it has an id of its own here. */
    eventId: id().notNull(),
    type: text().notNull(),
    status: text({ enum: ["PENDING", "SUCCEEDED", "FAILED"] }).notNull(),
    attempts: integer().notNull().default(0),
    /**
     * When the next attempt is due. While a consumer works on the delivery, this is when that consumer counts as lost.
     * Null when there are no more attempts.
     */
    nextAttemptAt: time(),
    /** An attempt that fails after this time is the last. */
    triesUntil: time().notNull(),
    lastAttemptAt: time(),
    statusCode: integer(),
    error: text(),
    /** The beginning of the last answer. */
    response: text(),
    isTest: flag().notNull().default(false),
  },
  (table) => [
    primaryKey({ columns: [table.projectId, table.webhookId, table.eventId] }),
    index("ix_webhook_deliveries_due")
      .on(table.projectId, table.webhookId, table.nextAttemptAt)
      .where(sql`next_attempt_at IS NOT NULL`),
    // Ids sort by time, so this index finds old deliveries, and those of an event.
    index("ix_webhook_deliveries_expiry").on(table.eventId),
  ],
);
export type WebhookDeliveryRow = typeof webhookDeliveries.$inferSelect;
