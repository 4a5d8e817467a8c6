import { integer, primaryKey, type SQLiteColumn, text } from "drizzle-orm/sqlite-core";
import type { Id } from "../core/ids";
import type { JsonObject } from "../core/json";

/** An id of ours: 22 characters, see core/ids.ts. */
export const id = () => text().$type<Id>();

/** The project's number. It stands first in every key of tenants' rows, so that a statement never meets a neighbour. */
export const projectId = () => integer().notNull();

/** The key of a tenant's table: the project and the row's id. */
export const rowKey = (table: { projectId: SQLiteColumn; id: SQLiteColumn }) =>
  primaryKey({ columns: [table.projectId, table.id] });

/** Milliseconds since 1970: compared and sorted as numbers, turned to ISO 8601 at the door. */
export const time = () => integer();

export const createdAt = () => integer().notNull();

export const updatedAt = () => integer().notNull();

/** 0 when the real clock reaches a time, else the number of the project whose own clock does. */
export const clock = () => integer().notNull().default(0);

/** JSON kept as text, so that SQLite's JSON functions read and change it in place. */
export const jsonObject = () => text({ mode: "json" }).$type<JsonObject>();

export const flag = () => integer({ mode: "boolean" });
