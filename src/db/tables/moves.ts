import { blob, index, integer, sqliteTable, text, uniqueIndex } from "drizzle-orm/sqlite-core";
import { id, projectId } from "../columns";

/**
 * The latest move of a project from or to this database. While a project is `fenced`, its rows cannot be written, and
 * no sweep reads them. `passing` lifts the fence within one batch of the move itself. A row that is `over` remains, so
 * that a late run of an earlier move finds that its move is not the latest.
 */
export const moves = sqliteTable("moves", {
  projectId: integer().primaryKey(),
  jobId: id().notNull(),
  stage: text({ enum: ["capturing", "fenced", "passing", "over"] }).notNull(),
});

/**
 * The keys of rows that have changed since a move of their project began, in the order of their latest changes. The
 * columns `k1` to `k4` have the types of the table's own key columns.
 */
export const movedKeys = sqliteTable(
  "moved_keys",
  {
    /** A later change of a row has a higher number. No number is used twice. */
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
