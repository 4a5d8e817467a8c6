import { type Id, textOf } from "../ids";

/** The executions of a project are in so many objects, by their contacts. It never changes: the rows are where they are. */
export const shardCount = 16;

/** The shard of a contact (FNV-1a, 32 bits). */
export function shardOf(contactId: Id): number {
  let hash = 0x811c9dc5;
  for (const letter of textOf(contactId)) hash = Math.imul(hash ^ letter.charCodeAt(0), 0x01000193);
  return ((hash >>> 16) ^ hash) & (shardCount - 1);
}
