import { blob, index, integer, sqliteTable, text, uniqueIndex } from "drizzle-orm/sqlite-core";
import { id, projectId } from "../columns";

/**
 * The latest move of a project from or to this database. The rows of a project that is `fenced` cannot be written, and no
 * sweep reads them. `passing` is a fence within a batch of the move itself. `over` stays, so that a late run of an earlier
 * move finds that it is not the latest.
 */
export const moves = sqliteTable("moves", {
  projectId: integer().primaryKey(),
  jobId: id().notNull(),
  stage: text({ enum: ["capturing", "fenced", "passing", "over"] }).notNull(),
});

/**
 * The keys of rows that have changed since a move of their project has begun, in the order of their latest changes. The
 * key's columns have the same types as in the table's own key.
 */
export const movedKeys = sqliteTable(
  "moved_keys",
  {
    /** A later change of a row gets a higher number, and no number twice. */
    number: integer().primaryKey({ autoIncrement: true }),
    projectId: projectId(),
    tableName: text().notNull(),
    k1: blob().notNull(),
    k2: blob().notNull(),
    k3: blob().notNull(),
    k4: blob().notNull(),
  },
  (table) => [
    uniqueIndex("ux_moved_keys").on(table.projectId, table.tableName, table.k1, table.k2, table.k3, table.k4),
    index("ix_moved_keys_order").on(table.projectId, table.number),
  ],
);
