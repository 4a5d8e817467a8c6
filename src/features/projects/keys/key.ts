import { newId, publicId } from "../../../core/ids";
import { generateKey, hashKey, keyPrefix, kindOf } from "../../../core/keys";
import { iso, isoOrNull } from "../../../core/time";
import type { apiKeys } from "../../../db/tables";
import type { CreateKey } from "../schema";

export type KeyRow = typeof apiKeys.$inferSelect;

/**
 * Makes a new key and its row, to which the caller adds the project. The row contains only the hash of the key, so the
 * key cannot be shown again.
 */
export async function newKey(
  { kind, name }: CreateKey,
  now: number,
): Promise<{ key: string; row: Omit<KeyRow, "projectId"> }> {
  const key = generateKey(kindOf(kind));
  const row = {
    id: newId(),
    kind,
    name: name ?? null,
    prefix: keyPrefix(key),
    hash: await hashKey(key),
    lastUsedAt: null,
    createdAt: now,
  };
  return { key, row };
}

export function keyJson(row: KeyRow) {
  return { ...createdKeyJson(row), lastUsedAt: isoOrNull(row.lastUsedAt) };
}

export function createdKeyJson(row: KeyRow) {
  return { id: publicId(row.id), kind: row.kind, name: row.name, prefix: row.prefix, createdAt: iso(row.createdAt) };
}
