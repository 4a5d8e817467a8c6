import { type Id, textOf } from "../ids";

/**
 * The number of objects among which a project's executions are divided, by contact. It must never change, because
 * stored rows do not move.
 */
export const shardCount = 16;

/** Returns the shard of a contact (FNV-1a, 32 bits). */
export function shardOf(contactId: Id): number {
  let hash = 0x811c9dc5;
  for (const letter of textOf(contactId)) hash = Math.imul(hash ^ letter.charCodeAt(0), 0x01000193);
  return ((hash >>> 16) ^ hash) & (shardCount - 1);
}
