import { index, integer, sqliteTable, text, uniqueIndex } from "drizzle-orm/sqlite-core";
import type { KeyGrant } from "../../core/keys";
import { createdAt, flag, id, projectId, rowKey, time, updatedAt } from "../columns";

// Control tables hold global data. All other tables are in the database of their project.

export const projects = sqliteTable(
  "projects",
  {
    /** The project's number in tenants' rows. It is never reused. */
    number: integer().primaryKey({ autoIncrement: true }),
    /** The project's public id: a UUID. */
    id: text().notNull(),
    name: text().notNull(),
    fromName: text(),
    /** Null when nobody set it: then pages go by the browser, and mail is in English. */
    locale: text(),
    disabled: flag().notNull().default(false),
    disabledReason: text(),
    tracking: text({ enum: ["ENABLED", "DISABLED", "MARKETING_ONLY"] }).notNull(),
    monthlySendLimit: integer(),
    sendRatePerSecond: integer(),
    testClock: flag().notNull().default(false),
    /** The current time of a project with its own clock. */
    clockAt: time(),
    publicKeyMayResubscribe: flag().notNull().default(false),
    /** What answers to public keys tell: NONE leaves out whatever would show which contacts are known. */
    publicAnswers: text({ enum: ["IDS", "NONE"] })
      .notNull()
      .default("IDS"),
    /** Both stand in the footer of marketing mail. */
    company: text(),
    postalAddress: text(),
    /** Whether a contact that a public key creates is subscribed, unless its call says otherwise. */
    publicTrackSubscribes: flag().notNull().default(true),
    confirmationTemplateId: id(),
    sendingPausedReason: text(),
    sendingPausedAt: time(),
    /** When the reputation brake was last lifted: mail sent before does not count. Null when it never was. */
    sendingCountedFrom: time(),
    /** The binding of the database with this project's rows. */
    shard: text().notNull(),
    /** The key for hashes of erased addresses: 32 random bytes in hex. */
    addressKey: text().notNull(),
    /** Set when its deletion begins: from then on only the job that empties it finds the project. */
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
    kind: text().$type<KeyGrant>().notNull(),
    name: text(),
    prefix: text().notNull(),
    hash: text().notNull(),
    lastUsedAt: time(),
    createdAt: createdAt(),
  },
  (table) => [rowKey(table), uniqueIndex("ux_api_keys_hash").on(table.hash)],
);

/** A name is verified in at most one project of the installation. `features/domains/name.ts` ensures it. */
export const verifiedDomains = sqliteTable(
  "verified_domains",
  {
    domain: text().primaryKey(),
    projectId: projectId(),
    /** Identifies the project's claim to the name: a new id with each claim, made of its time. */
    claim: text().notNull().default(""),
  },
  // For the erasure of a project.
  (table) => [index("ix_verified_domains_project").on(table.projectId)],
);

/**
 * Messages that a queue gave up on. The work itself is in its rows, and the sweeps find it again; this only records
 * that it happened.
 */
export const deadLetters = sqliteTable("dead_letters", {
  id: id().primaryKey(),
  queue: text().notNull(),
  body: text().notNull(),
  createdAt: createdAt(),
});
