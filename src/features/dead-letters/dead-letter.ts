import { publicId } from "../../core/ids";
import { isJsonObject } from "../../core/json";
import { iso } from "../../core/time";
import type { deadLetters } from "../../db/tables";

export type DeadLetterRow = typeof deadLetters.$inferSelect;

export function deadLetterJson({ id, queue, body, createdAt }: DeadLetterRow) {
  const message: unknown = JSON.parse(body);
  const type = isJsonObject(message) && typeof message.type === "string" ? message.type : null;
  return { id: publicId(id), queue, type, message, createdAt: iso(createdAt) };
}
