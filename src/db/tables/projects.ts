import { sql } from "drizzle-orm";
import { index, integer, sqliteTable, text, uniqueIndex } from "drizzle-orm/sqlite-core";
import type { KeyGrant } from "../../core/keys";
import type { ProjectMove } from "../../core/operating/project-move";
import type { StorageCount } from "../../core/storage";
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
    /** Null when it was never set: pages then follow the language of the browser, and mail is in English. */
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
    /** The content of answers to public keys: NONE leaves out everything that would show which contacts are known. */
    publicAnswers: text({ enum: ["IDS", "NONE"] })
      .notNull()
      .default("IDS"),
    /** Shown in the footer of marketing mail, like `postalAddress`. */
    company: text(),
    postalAddress: text(),
    /** Whether a contact that a public key creates is subscribed, unless the call says otherwise. */
    publicTrackSubscribes: flag().notNull().default(true),
    confirmationTemplateId: id(),
    sendingPausedReason: text(),
    sendingPausedAt: time(),
    /**
     * When the reputation brake was last lifted: mail sent before that time does not count. Null when it was never
     * lifted.
     */
    sendingCountedFrom: time(),
    /** How much the project is allowed to store, in megabytes; 0 for no limit. */
    maxStorageMb: integer().notNull().default(2_048),
    /** The rows and bytes of the project at its last count. Null before the first count. */
    storage: text({ mode: "json" }).$type<StorageCount>(),
    /** When the project's storage is counted again. */
    storageDueAt: integer().notNull().default(0),
    /** The progress of a storage count that is under way; null otherwise. */
    storageProgress: text(),
    /**
     * Whether the project is being restored, or its restore has failed. The project can be enabled only after a
     * completed restore.
     */
    restoring: flag().notNull().default(false),
    /** The binding of the database with this project's rows. */
    shard: text().notNull(),
    /** The move to another database that is in progress, or whose old rows are still to be deleted. */
    move: text({ mode: "json" }).$type<ProjectMove>(),
    /** The key for hashes of erased addresses: 32 random bytes in hex. */
    addressKey: text().notNull(),
    /** When the deletion of the project began. From then on, only the job that empties the project finds it. */
    deletedAt: time(),
    createdAt: createdAt(),
    updatedAt: updatedAt(),
  },
  (table) => [
    uniqueIndex("ux_projects_id").on(table.id),
    // Finds the projects whose storage is due to be counted. Projects that an earlier version of the code created
    // without this column are due at once, because of the column's default.
    index("ix_projects_storage").on(table.storageDueAt),
    // Contains the few projects that are being moved, or were moved recently.
    index("ix_projects_move").on(table.number).where(sql`move IS NOT NULL`),
  ],
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

/**
 * Verified domain names. `features/domains/name.ts` ensures that a name is verified in at most one project of the
 * installation.
 */
export const verifiedDomains = sqliteTable(
  "verified_domains",
  {
    domain: text().primaryKey(),
    projectId: projectId(),
    /** Identifies the project's claim to the name: a new id for each claim, derived from the time of the claim. */
    claim: text().notNull().default(""),
  },
  // Finds the names of a project that is erased.
  (table) => [index("ix_verified_domains_project").on(table.projectId)],
);

/**
 * Messages on which a queue gave up. The work of most of them is not lost, because it is stored in rows that the sweeps
 * find.
 */
export const deadLetters = sqliteTable("dead_letters", {
  id: id().primaryKey(),
  queue: text().notNull(),
  body: text().notNull(),
  createdAt: createdAt(),
});
