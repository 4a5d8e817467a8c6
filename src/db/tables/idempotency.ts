import { index, primaryKey, sqliteTable, text } from "drizzle-orm/sqlite-core";
import type { CallerKind } from "../../core/keys";
import { createdAt, projectId, time } from "../columns";

/**
 * The effect of a request with an idempotency key, written in the batch that has the effect. Even if the project's gate
 * has forgotten the key, the database then refuses a second commit with it, and the first answer can be returned again.
 */
export const idempotencyEffects = sqliteTable(
  "idempotency_effects",
  {
    projectId: projectId(),
    /**
     * The kind of the caller: each kind has idempotency keys of its own. A row of kind `received` belongs to a received
     * mail instead, and its `key` is the provider's name and the provider's id for that mail.
     */
    kind: text().$type<CallerKind | "received">().notNull(),
    key: text().notNull(),
    /** The method and path of the request, such as `POST /v1/send`. */
    request: text().notNull(),
    /** The hash of method, path and body. */
    hash: text().notNull(),
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
