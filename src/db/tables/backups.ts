import { blob, index, integer, primaryKey, sqliteTable, text } from "drizzle-orm/sqlite-core";
import { createdAt, id, projectId, time } from "../columns";

/**
 * The backups whose files exist. This table is in the control database. A backup can outlive its project, so the row
 * contains the project's public id.
 */
export const backups = sqliteTable(
  "backups",
  {
    /** The id of the job that made the backup. */
    id: id().primaryKey(),
    project: text().notNull(),
    rows: integer().notNull().default(0),
    bytes: integer().notNull().default(0),
    createdAt: createdAt(),
    /** Null for a backup that is in progress or was given up. */
    completedAt: time(),
  },
  (table) => [
    index("ix_backups_project").on(table.project, table.createdAt),
    index("ix_backups_expiry").on(table.createdAt),
  ],
);
export type BackupRow = typeof backups.$inferSelect;

/**
 * Rows of a project as they were at the start of the backup in progress. Triggers store a row when it first changes
 * after the start. `image` is null for a row that did not exist at the start. The columns `k1` to `k4` have the types
 * of the table's own key columns.
 */
export const capturedRows = sqliteTable(
  "captured_rows",
  {
    projectId: projectId(),
    tableName: text().notNull(),
    k1: blob().notNull(),
    k2: blob().notNull(),
    k3: blob().notNull(),
    k4: blob().notNull(),
    image: text(),
  },
  (table) => [primaryKey({ columns: [table.projectId, table.tableName, table.k1, table.k2, table.k3, table.k4] })],
);
