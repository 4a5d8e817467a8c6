import { sql } from "drizzle-orm";
import { index, integer, primaryKey, sqliteTable, text } from "drizzle-orm/sqlite-core";
import { trashTypes } from "../../core/trash";
import { id, projectId } from "../columns";

/**
 * Deleted templates, campaigns, segments and workflows. The entry contains those rows of a resource that lists or other
 * resources would still read; their own tables no longer contain them. All other rows of the resource stay where they
 * are, and are deleted together with the entry.
 */
export const trash = sqliteTable(
  "trash",
  {
    projectId: projectId(),
    type: text({ enum: trashTypes }).notNull(),
    id: id().notNull(),
    name: text().notNull(),
    /** The deleted rows as a JSON object: for each table, a list of rows with their columns. */
    content: text().notNull(),
    /**
     * The file with the body of a campaign. It is stored here because a template version that shares the file must be
     * retained.
     */
    bodyKey: text(),
    /** The time of the deletion on the clock of the project. */
    deletedAt: integer().notNull(),
    /** When the sweep deletes the entry, by the real clock. */
    purgeAt: integer().notNull(),
  },
  (table) => [
    primaryKey({ columns: [table.projectId, table.type, table.id] }),
    // The list reads one of these two indexes: the first for all types, the second for one type. They end with `purge_at`,
    // which tells ended entries from others without their contents.
    index("ix_trash_list").on(table.projectId, table.deletedAt, table.id, table.purgeAt),
    index("ix_trash_type").on(table.projectId, table.type, table.deletedAt, table.id, table.purgeAt),
    index("ix_trash_purge").on(table.purgeAt),
    index("ix_trash_body").on(table.projectId, table.bodyKey).where(sql`body_key IS NOT NULL`),
  ],
);
export type TrashRow = typeof trash.$inferSelect;
