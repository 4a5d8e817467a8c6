import { index, integer, sqliteTable, text, uniqueIndex } from "drizzle-orm/sqlite-core";
import type { KeyKind } from "../../core/keys";
import { createdAt, flag, id, projectId, rowKey, time, updatedAt } from "../columns";

// Control tables: what is global. All other tables live in the database of their project.

export const projects = sqliteTable(
  "projects",
  {
    /** What tenants' rows call the project. Given out once, and never again. */
    number: integer().primaryKey({ autoIncrement: true }),
    /** What everybody else calls it: a UUID. */
    id: text().notNull(),
    name: text().notNull(),
    fromName: text(),
    locale: text().notNull(),
    disabled: flag().notNull().default(false),
    disabledReason: text(),
    tracking: text({ enum: ["ENABLED", "DISABLED", "MARKETING_ONLY"] }).notNull(),
    monthlySendLimit: integer(),
    sendRatePerSecond: integer(),
    testClock: flag().notNull().default(false),
    /** The time of a project with a clock of its own. */
    clockAt: time(),
    publicKeyMayResubscribe: flag().notNull().default(false),
    confirmationTemplateId: id(),
    sendingPausedReason: text(),
    sendingPausedAt: time(),
    /** Which database holds this project's rows: the name of its binding. */
    shard: text().notNull(),
    /** The key of the hashes by which erased addresses are recognised: 32 random bytes in hex. */
    addressKey: text().notNull(),
    /** Set when its deletion begins: from then on it is found by nobody but the job that empties it. */
    deletedAt: time(),
    createdAt: createdAt(),
    updatedAt: updatedAt(),
  },
  (table) => [uniqueIndex("ux_projects_id").on(table.id)],
);
export type Project = typeof projects.$inferSelect;

export const apiKeys = sqliteTable(
  "api_keys",
  {
    projectId: projectId(),
    id: id().notNull(),
    kind: text().$type<KeyKind>().notNull(),
    name: text(),
    prefix: text().notNull(),
    hash: text().notNull(),
    lastUsedAt: time(),
    createdAt: createdAt(),
  },
  (table) => [rowKey(table), uniqueIndex("ux_api_keys_hash").on(table.hash)],
);

/** A name is verified in one project of the installation at most. `features/domains/name.ts` keeps it so. */
export const verifiedDomains = sqliteTable(
  "verified_domains",
  {
    domain: text().primaryKey(),
    projectId: projectId(),
    /** An id of the time at which the project claimed the name: a new one with each claim. */
    claim: text().notNull().default(""),
  },
  // The erasure of a project.
  (table) => [index("ix_verified_domains_project").on(table.projectId)],
);

/** What a queue gave up on. The work itself is in its rows and found again by the sweeps; this says that it happened. */
export const deadLetters = sqliteTable("dead_letters", {
  id: id().primaryKey(),
  queue: text().notNull(),
  body: text().notNull(),
  createdAt: createdAt(),
});
