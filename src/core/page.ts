import { z } from "zod";
import { BadRequest } from "./errors";

/** One page of a list, as every cursor list answers it. On the last page `cursor` is the empty string. */
export interface Page<T> {
  data: T[];
  cursor: string;
  hasMore: boolean;
  total: number;
  /** True when there is more to count than one statement may look at: then `total` counts the newest only. */
  approximate?: true;
  countedAt?: string;
}

/** Where the next page begins: after the row with this id. */
const Position = z.object({ after: z.string() });

/** The id after which a page starts, from the `cursor` a caller sends back. Throws BadRequest on one we did not make. */
export function readCursor(cursor: string | undefined): string | null {
  if (!cursor) return null;
  try {
    return Position.parse(JSON.parse(atob(cursor))).after;
  } catch (cause) {
    throw new BadRequest("This cursor cannot be read.", {
      suggestion: "Pass the cursor of the previous page as it is, or leave it out to start at the first page.",
      cause,
    });
  }
}

/** The cursor of a page that begins after the row with this id. */
export function writeCursor(after: string): string {
  return btoa(JSON.stringify({ after }));
}

/** A page out of up to `limit + 1` rows: the row too many only says that there are more. */
export function pageOf<Row extends { id: string }, T>(
  rows: Row[],
  limit: number,
  total: number,
  toJson: (row: Row) => T,
): Page<T> {
  const shown = rows.slice(0, limit);
  const last = shown.at(-1);
  const hasMore = rows.length > limit;
  return { data: shown.map(toJson), cursor: hasMore && last ? writeCursor(last.id) : "", hasMore, total };
}
