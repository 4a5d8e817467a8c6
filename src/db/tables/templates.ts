import { sql } from "drizzle-orm";
import { index, integer, sqliteTable, text } from "drizzle-orm/sqlite-core";
import type { EmailType } from "../../core/mail/status";
import { createdAt, id, projectId, rowKey, updatedAt } from "../columns";

/** A template's name and search data. Its content is in the version that it points to. */
export const templates = sqliteTable(
  "templates",
  {
    projectId: projectId(),
    id: id().notNull(),
    name: text().notNull(),
    description: text(),
    versionId: id().notNull(),
    topicId: id(),
    /** Name, description and subject in lower case. We make it, because SQLite's own lower() knows ASCII only. */
    searchText: text().notNull(),
    /** Changes with every change of the row, so that a write can tell whether what it read is still current. */
    version: integer().notNull().default(1),
    createdAt: createdAt(),
    updatedAt: updatedAt(),
  },
  (table) => [
    // Also the order of the list by creation.
    rowKey(table),
    // One index for each other order of the list. The search text begins with the name.
    index("ix_templates_updated").on(table.projectId, table.updatedAt, table.id),
    index("ix_templates_search").on(table.projectId, table.searchText, table.id),
    // The templates of a topic, which cannot be deleted while it has some.
    index("ix_templates_topic").on(table.projectId, table.topicId, table.id).where(sql`topic_id IS NOT NULL`),
  ],
);
export type TemplateRow = typeof templates.$inferSelect;

/**
 * The content of a template at one time. It is never changed, and never removed while its project exists: a mail refers
 * to the version with which it was accepted.
 */
export const templateVersions = sqliteTable(
  "template_versions",
  {
    projectId: projectId(),
    id: id().notNull(),
    templateId: id().notNull(),
    number: integer().notNull(),
    subject: text().notNull(),
    previewText: text(),
    /**
     * The HTML. Null when it is large and stored in R2, under `bodyKey`; versions with the same body share the file.
     */
    body: text(),
    bodyKey: text(),
    fromEmail: text().notNull(),
    fromName: text(),
    replyTo: text(),
    type: text().$type<EmailType>().notNull(),
    createdAt: createdAt(),
  },
  (table) => [rowKey(table)],
);
export type VersionRow = typeof templateVersions.$inferSelect;
