import { index, integer, primaryKey, sqliteTable, text, uniqueIndex } from "drizzle-orm/sqlite-core";
import type { Health } from "../../core/operating/health-finding";
import { createdAt, id } from "../columns";

// How the installation itself is doing. All of it is in the control database.

/** When each schedule of wrangler.toml last ended. */
export const cronRuns = sqliteTable("cron_runs", {
  cron: text().primaryKey(),
  firstRanAt: integer().notNull(),
  ranAt: integer().notNull(),
});

/** The size of each database, noted every night. */
export const databaseSizes = sqliteTable(
  "database_sizes",
  {
    shard: text().notNull(),
    notedAt: integer().notNull(),
    bytes: integer().notNull(),
  },
  (table) => [
    primaryKey({ columns: [table.shard, table.notedAt] }),
    // For the sweep over old notes.
    index("ix_database_sizes_noted").on(table.notedAt),
  ],
);

/** The state of each check of the health, and the one that was last told. */
export const healthStates = sqliteTable("health_states", {
  name: text().primaryKey(),
  status: text().$type<Health>().notNull(),
  /** When it became so. */
  since: integer().notNull(),
  told: text().$type<Health>().notNull().default("ok"),
});

/** Keys of the installation that only read its health. */
export const monitorKeys = sqliteTable(
  "monitor_keys",
  {
    id: id().primaryKey(),
    name: text(),
    prefix: text().notNull(),
    /** The SHA-256 of the key. */
    hash: text().notNull(),
    createdAt: createdAt(),
  },
  (table) => [uniqueIndex("ux_monitor_keys_hash").on(table.hash)],
);
