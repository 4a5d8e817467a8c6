import { integer, primaryKey, type SQLiteColumn, text } from "drizzle-orm/sqlite-core";
import type { Id } from "../core/ids";
import type { JsonObject } from "../core/json";
import type { ContentColumns } from "../core/mail/content-fields";

/** The column of an id, which has 22 characters: see core/ids.ts. */
export const id = () => text().$type<Id>();

/**
 * The column of the project's number. It is the first column of every key of tenant rows, so that a statement never
 * reads the rows of another project.
 */
export const projectId = () => integer().notNull();

/** Makes the key of a tenant table: the project and the id of the row. */
export const rowKey = (table: { projectId: SQLiteColumn; id: SQLiteColumn }) =>
  primaryKey({ columns: [table.projectId, table.id] });

/**
 * The column of a time in milliseconds since 1970. It is compared and sorted as a number, and converted to ISO 8601 in
 * answers.
 */
export const time = () => integer();

export const createdAt = () => integer().notNull();

export const updatedAt = () => integer().notNull();

/**
 * The column that tells which clock the times of the row follow: 0 for the real clock, or the project's number for its
 * own test clock.
 */
export const clock = () => integer().notNull().default(0);

/** The column of a JSON object, stored as text so that the JSON functions of SQLite can read and change it. */
export const jsonObject = () => text({ mode: "json" }).$type<JsonObject>();

/** The columns of an email's content, apart from its body: see core/mail/content-fields.ts. */
export const contentColumns = () =>
  ({
    subject: text().notNull(),
    previewText: text(),
    fromEmail: text().notNull(),
    fromName: text(),
    replyTo: text(),
  }) satisfies Record<keyof ContentColumns, unknown>;

export const flag = () => integer({ mode: "boolean" });
