import { integer, text } from "drizzle-orm/sqlite-core";
import type { JsonObject } from "../core/json";

export const id = () => text().primaryKey();

export const projectId = () => text().notNull();

/** Milliseconds since 1970: compared and sorted as numbers, turned to ISO 8601 at the door. */
export const time = () => integer();

export const createdAt = () => integer().notNull();

export const updatedAt = () => integer().notNull();

/** JSON kept as text, so that SQLite's JSON functions read and change it in place. */
export const jsonObject = () => text({ mode: "json" }).$type<JsonObject>();

export const flag = () => integer({ mode: "boolean" });
