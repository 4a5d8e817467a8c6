import type { z } from "zod";
import { kindOf } from "../../core/contacts/column-kinds";
import { columnNames } from "../../core/contacts/columns-with";
import { publicId } from "../../core/ids";
import type { ContactRow } from "../../db/tables";
import type { Contact } from "./schema";

export function contactJson(row: ContactRow): z.infer<typeof Contact> {
  const columns = columnNames.map((name) => [name, kindOf(name).shown(row[name])]);
  // Object.fromEntries loses the types. The values fit the schema, because `shown` returns what the schema of each
  // column describes.
  const { createdAt, updatedAt, ...others } = Object.fromEntries(columns);
  return { id: publicId(row.id), ...others, data: row.data, version: row.version, createdAt, updatedAt };
}
