import { integer, primaryKey, sqliteTable, text } from "drizzle-orm/sqlite-core";
import { id, projectId } from "../columns";

/**
 * The number of emails accepted in a calendar month (UTC), by template ('' for inline content). Emails that ended
 * without being sent do not count.
 */
export const monthlyUsage = sqliteTable(
  "monthly_usage",
  {
    projectId: projectId(),
    month: text().notNull(),
    templateId: id().notNull(),
    emails: integer().notNull(),
  },
  (table) => [primaryKey({ columns: [table.projectId, table.month, table.templateId] })],
);

/**
 * The mail of a project in the order in which providers accepted it, in blocks of about a hundred, with the reports for
 * each block: see engine/mail/report/reputation.ts.
 */
export const sendingBlocks = sqliteTable(
  "sending_blocks",
  {
    projectId: projectId(),
    /** Numbers the blocks from 1. Old blocks are deleted. */
    number: integer().notNull(),
    /** The number of emails accepted before this block, as counted by `event_names.mails`. */
    firstMail: integer().notNull(),
    /** An email belongs to the last block that began before its `sent_at`. */
    startedAt: integer().notNull(),
    bounced: integer().notNull().default(0),
    complained: integer().notNull().default(0),
  },
  (table) => [primaryKey({ columns: [table.projectId, table.number] })],
);
