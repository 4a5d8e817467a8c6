import { integer, primaryKey, type SQLiteColumn, text } from "drizzle-orm/sqlite-core";
import type { Id } from "../core/ids";
import type { JsonObject } from "../core/json";

/** An id of ours: 22 characters, see core/ids.ts. */
export const id = () => text().$type<Id>();

/**
 * The project's number. It comes first in every key of tenants' rows, so that a statement never reads another project's
 * rows.
 */
export const projectId = () => integer().notNull();

/** The key of a tenant's table: the project and the row's id. */
export const rowKey = (table: { projectId: SQLiteColumn; id: SQLiteColumn }) =>
  primaryKey({ columns: [table.projectId, table.id] });

/** Milliseconds since 1970: compared and sorted as numbers, and turned into ISO 8601 in answers. */
export const time = () => integer();

export const createdAt = () => integer().notNull();

export const updatedAt = () => integer().notNull();

/** 0 when the row's times follow the real clock, otherwise the number of the project whose own clock they follow. */
export const clock = () => integer().notNull().default(0);

/** JSON as text, so that SQLite's JSON functions can read and change it. */
export const jsonObject = () => text({ mode: "json" }).$type<JsonObject>();

export const flag = () => integer({ mode: "boolean" });
