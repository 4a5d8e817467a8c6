import { index, integer, sqliteTable, text } from "drizzle-orm/sqlite-core";
import type { EmailType } from "../../core/mail/status";
import { createdAt, id, projectId, rowKey, updatedAt } from "../columns";

/** A template, as it is found and listed. What it sends is in the version it points to. */
export const templates = sqliteTable(
  "templates",
  {
    projectId: projectId(),
    id: id().notNull(),
    name: text().notNull(),
    description: text(),
    versionId: id().notNull(),
    topicId: id(),
    /** Name, description and subject in lower case, made by us: SQLite's own lower() knows ASCII only. */
    searchText: text().notNull(),
    /** Moves with every change, so that a write that depends on what was read can tell. */
    version: integer().notNull().default(1),
    createdAt: createdAt(),
    updatedAt: updatedAt(),
  },
  (table) => [
    // Also the order of the list by creation.
    rowKey(table),
    // One for each other order of the list. The search text begins with the name.
    index("ix_templates_updated").on(table.projectId, table.updatedAt, table.id),
    index("ix_templates_search").on(table.projectId, table.searchText, table.id),
  ],
);
export type TemplateRow = typeof templates.$inferSelect;

/**
 * What a template sends, as it was at one time. Never changed and never removed while its project is there: a mail
 * names the version it was accepted with.
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
    /** The HTML. Null when it is large and lies in R2, under `bodyKey`; versions with the same body share the file. */
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
