import { openSealedText, sealText } from "./sealed-text";

/** A state of a database that a caller has seen. */
export interface Bookmark {
  /** The name of the database. */
  shard: string;
  /** As the database calls the state. */
  at: string;
}

const owner = "bookmark";

/** A bookmark for a caller. It is sealed, so that the database gets none back but its own, and nobody reads how much it writes. */
export function sealBookmark(secrets: readonly string[], { shard, at }: Bookmark): Promise<string> {
  return sealText(secrets, owner, `${shard} ${at}`);
}

/** Far more than any has. */
const maxLength = 1_000;

/** Null when it is none of ours. */
export async function openBookmark(secrets: readonly string[], sealed: string): Promise<Bookmark | null> {
  if (sealed.length > maxLength) return null;
  const [shard, at] = (await openSealedText(secrets, owner, sealed))?.split(" ") ?? [];
  return shard && at ? { shard, at } : null;
}
