import { index, primaryKey, sqliteTable, text } from "drizzle-orm/sqlite-core";
import type { KeyKind } from "../../core/keys";
import { createdAt, projectId, time } from "../columns";

/**
 * What a request with an idempotency key did, written in the batch that did it: whatever the gate forgot, a second
 * commit under the same key is impossible, and the first one's answer can be given again.
 */
export const idempotencyEffects = sqliteTable(
  "idempotency_effects",
  {
    projectId: projectId(),
    /** Of the API key: what a browser sends never meets what a server sent. */
    kind: text().$type<KeyKind>().notNull(),
    key: text().notNull(),
    /** `POST /v1/send` */
    request: text().notNull(),
    /** The body of the answer, as JSON. */
    response: text().notNull(),
    createdAt: createdAt(),
    expiresAt: time().notNull(),
  },
  (table) => [
    primaryKey({ columns: [table.projectId, table.kind, table.key] }),
    index("ix_idempotency_effects_expiry").on(table.expiresAt),
  ],
);
