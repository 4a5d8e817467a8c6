import { openSealedText, sealText } from "./sealed-text";

/** A state of a database that a caller has seen. */
export interface Bookmark {
  /** The name of the database. */
  shard: string;
  /** The database's own name for the state. */
  at: string;
}

const owner = "bookmark";

/**
 * Makes a bookmark for a caller. It is sealed, so that only genuine bookmarks reach the database, and callers cannot
 * see how much the database writes.
 */
export function sealBookmark(secrets: readonly string[], { shard, at }: Bookmark): Promise<string> {
  return sealText(secrets, owner, `${shard} ${at}`);
}

/** The longest sealed text that is decrypted. Genuine bookmarks are much shorter. */
const maxLength = 1_000;

/** Opens a bookmark. Returns null when we did not make it. */
export async function openBookmark(secrets: readonly string[], sealed: string): Promise<Bookmark | null> {
  if (sealed.length > maxLength) return null;
  const [shard, at] = (await openSealedText(secrets, owner, sealed))?.split(" ") ?? [];
  return shard && at ? { shard, at } : null;
}
