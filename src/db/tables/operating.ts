import { index, integer, primaryKey, sqliteTable, text, uniqueIndex } from "drizzle-orm/sqlite-core";
import type { Health } from "../../core/operating/health-finding";
import { createdAt, id } from "../columns";

// The state of the installation itself. All of these tables are in the control database.

/** For each cron schedule of wrangler.toml: when its first and its latest run ended. */
export const cronRuns = sqliteTable("cron_runs", {
  cron: text().primaryKey(),
  firstRanAt: integer().notNull(),
  ranAt: integer().notNull(),
});

/** The size of each database, recorded every night. */
export const databaseSizes = sqliteTable(
  "database_sizes",
  {
    shard: text().notNull(),
    notedAt: integer().notNull(),
    bytes: integer().notNull(),
  },
  (table) => [
    primaryKey({ columns: [table.shard, table.notedAt] }),
    // Finds old rows for the sweep that deletes them.
    index("ix_database_sizes_noted").on(table.notedAt),
  ],
);

/** The state of each health check, and the state that was last reported to people. */
export const healthStates = sqliteTable("health_states", {
  name: text().primaryKey(),
  status: text().$type<Health>().notNull(),
  /** When the check entered this state. */
  since: integer().notNull(),
  alerted: text().$type<Health>().notNull().default("ok"),
});

/** Keys of the installation that can only read its health and metrics. */
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
