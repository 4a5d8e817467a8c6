import { integer, sqliteTable, text } from "drizzle-orm/sqlite-core";
import type { ImageType } from "../../core/files/image";
import { createdAt, id, projectId, rowKey } from "../columns";

/** An image that anybody who knows its URL can read. Its bytes are in R2 and never change. */
export const files = sqliteTable(
  "files",
  {
    projectId: projectId(),
    id: id().notNull(),
    /** The part of the URL that cannot be guessed, as base64url. */
    secret: text().notNull(),
    name: text(),
    contentType: text().$type<ImageType>().notNull(),
    width: integer().notNull(),
    height: integer().notNull(),
    bytes: integer().notNull(),
    createdAt: createdAt(),
  },
  (table) => [rowKey(table)],
);
export type FileRow = typeof files.$inferSelect;
