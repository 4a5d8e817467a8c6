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
     * The kind of the API key: keys of browsers and of servers are separate. For `received`, the key is the provider's
     * id of a mail that it received.
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
