import { sql } from "drizzle-orm";
import { index, integer, sqliteTable, text } from "drizzle-orm/sqlite-core";
import type { EmailType } from "../../core/mail/status";
import { contentColumns, createdAt, id, projectId, rowKey, time, updatedAt } from "../columns";

/** The name and search data of a template. The content is in the version that `versionId` names. */
export const templates = sqliteTable(
  "templates",
  {
    projectId: projectId(),
    id: id().notNull(),
    name: text().notNull(),
    description: text(),
    versionId: id().notNull(),
    topicId: id(),
    /**
     * Name, description and subject in lower case. Our code computes it, because SQLite's lower() handles only ASCII.
     */
    searchText: text().notNull(),
    /**
     * Changes with every change of the row, so that a write can check whether the row has changed since it was read.
     */
    version: integer().notNull().default(1),
    createdAt: createdAt(),
    updatedAt: updatedAt(),
  },
  (table) => [
    // The primary key is also the order of the list by creation.
    rowKey(table),
    // One index for each other order of the list. The search text begins with the name.
    index("ix_templates_updated").on(table.projectId, table.updatedAt, table.id),
    index("ix_templates_search").on(table.projectId, table.searchText, table.id),
    // Finds the templates of a topic, because a topic cannot be deleted while it has templates.
    index("ix_templates_topic").on(table.projectId, table.topicId, table.id).where(sql`topic_id IS NOT NULL`),
  ],
);
export type TemplateRow = typeof templates.$inferSelect;

/**
 * One version of a template's content. It never changes, and is retained while anything names it. For example, each
 * email names the version with which it was accepted.
 */
export const templateVersions = sqliteTable(
  "template_versions",
  {
    projectId: projectId(),
    id: id().notNull(),
    templateId: id().notNull(),
    number: integer().notNull(),
    ...contentColumns(),
    /**
     * The HTML. Null when it is large and stored in R2, under `bodyKey`; versions with the same body share the file.
     */
    body: text(),
    bodyKey: text(),
    type: text().$type<EmailType>().notNull(),
    createdAt: createdAt(),
    /**
     * When, by the real clock, the sweep checks whether anything still names the version. Null for the current version
     * of the template.
     */
    checkAt: time(),
    /** The ids of the uploaded files that the body names; null for none. */
    files: text({ mode: "json" }).$type<string[]>(),
  },
  (table) => [
    rowKey(table),
    // Finds the versions whose bodies name an uploaded file, because the file cannot be deleted while a template uses
    // one of them.
    index("ix_template_versions_files").on(table.projectId, table.id, table.files).where(sql`files IS NOT NULL`),
    index("ix_template_versions_check").on(table.checkAt).where(sql`check_at IS NOT NULL`),
    // Finds the versions that share a file, which is kept while any of them exists.
    index("ix_template_versions_body").on(table.projectId, table.bodyKey).where(sql`body_key IS NOT NULL`),
  ],
);
export type VersionRow = typeof templateVersions.$inferSelect;
