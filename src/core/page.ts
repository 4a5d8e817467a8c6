import { z } from "zod";
import { fromBase64url, toBase64url } from "./base64url";
import { BadRequest } from "./errors";

/** One page of a cursor list. On the last page `cursor` is the empty string. */
export interface Page<T> {
  data: T[];
  cursor: string;
  hasMore: boolean;
  total: number;
  /** True when there may be more rows than `total`, because one statement may scan only a limited number of rows. */
  approximate?: true;
  countedAt?: string;
}

/** A row's position in a list: the values of the columns it is sorted by, the last of which is unique. */
export type Position = (string | number)[];

/** The position of a row in a list that is sorted by id. */
export const ById = z.tuple([z.string()]);

/** All parameters that determine which rows a list contains, and in which order. */
export type Filters = Record<string, string | number | boolean | undefined>;

/** The start of the next page, and a fingerprint of the list it belongs to. */
const Cursor = z.object({ after: z.array(z.union([z.string(), z.number()])), of: z.string() });

/**
 * Reads the caller's `cursor`, and returns the position after which the page starts; null for the first page. Throws
 * BadRequest for a cursor that we did not make, or that belongs to a list with other filters.
 */
export function readCursor<P extends Position>(
  cursor: string | undefined,
  position: z.ZodType<P>,
  filters: Filters = {},
): P | null {
  if (!cursor) return null;
  const read = parseCursor(cursor);
  if (read !== null && read.of !== fingerprint(filters)) {
    throw new BadRequest("This cursor belongs to a list with other filters or another order.", {
      suggestion: "Pass it with the filters of the page it came from, or leave it out to start at the first page.",
    });
  }
  const after = position.safeParse(read?.after);
  if (after.success) return after.data;
  throw unreadableCursor();
}

export function unreadableCursor(): BadRequest {
  return new BadRequest("This cursor cannot be read.", {
    suggestion: "Pass the cursor of the previous page as it is, or leave it out to start at the first page.",
  });
}

/** Returns the cursor of the page after this position. */
export function writeCursor(after: Position, filters: Filters = {}): string {
  return toBase64url(utf8.encode(JSON.stringify({ after, of: fingerprint(filters) })));
}

interface PageEnd {
  /** The position after which the next page starts; null on the last page. */
  next: Position | null;
  filters?: Filters;
  total: number;
  /** When `total` was counted; null when `total` is exact. */
  countedAt?: Date | null;
}

/** Makes one page of a list that is read by cursor. */
export function cursorPage<T>(data: T[], { next, filters, total, countedAt = null }: PageEnd): Page<T> {
  return {
    data,
    cursor: next === null ? "" : writeCursor(next, filters),
    hasMore: next !== null,
    total,
    ...(countedAt === null ? {} : { approximate: true, countedAt: countedAt.toISOString() }),
  };
}

/** Makes a page of up to `limit + 1` rows: the extra row only shows that there are more. */
export function pageOf<Row extends { id: string }, T>(
  rows: Row[],
  limit: number,
  total: number,
  toJson: (row: Row) => T,
): Page<T> {
  const shown = rows.slice(0, limit);
  const last = rows.length > limit ? shown.at(-1) : undefined;
  return cursorPage(shown.map(toJson), { next: last ? [last.id] : null, total });
}

const utf8 = new TextEncoder();

function parseCursor(cursor: string): z.infer<typeof Cursor> | null {
  const bytes = fromBase64url(cursor);
  try {
    return bytes && Cursor.parse(JSON.parse(new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes)));
  } catch {
    // The text is not UTF-8, not JSON, or of another shape, so it is not one of our cursors.
    return null;
  }
}

/** Returns a short hash of the filters (FNV-1a, 32 bits). It detects mistakes and protects no secret. */
function fingerprint(filters: Filters): string {
  const given = Object.entries(filters).filter(([, value]) => value !== undefined);
  const sorted = JSON.stringify(given.sort(([a], [b]) => (a < b ? -1 : 1)));
  let hash = 0x811c9dc5;
  for (const byte of utf8.encode(sorted)) hash = Math.imul(hash ^ byte, 0x01000193);
  return (hash >>> 0).toString(36);
}
