import { sql } from "drizzle-orm";
import type { Audience } from "../../core/audience/compile";
import { query } from "../../db/commit";
import { readRow } from "../../db/rows";
import { type ContactRow, contacts } from "../../db/tables";
import type { Context } from "../../platform/context";
import type { Path } from "./scan-source";
import { belowAll, stretchDown } from "./scan-window";

interface Found {
  /** How many of the contacts match. */
  matched: number;
  /** Those that were asked for, newest first. */
  rows: ContactRow[];
  /** Behind which contact to look on; null when there are no more. */
  before: string | null;
}

/**
 * Looks at the contacts along the next `rows` of a path, newest first, below the id `before`: counts who matches, and
 * picks `take` of them behind the first `skip`. The condition is asked once of each; who matches is noted, and the page
 * is made of the notes.
 */
export async function lookThrough(
  ctx: Context,
  { values, matches }: Audience,
  path: Path,
  { before, rows, skip, take }: { before: string; rows: number; skip: number; take: number },
): Promise<Found> {
  const { edge, contacts: onStretch } = stretchDown(ctx, path, { before, rows });
  const found = await query(
    ctx.db,
    sql`WITH ${values}, ${edge},
        matching (place, id) AS MATERIALIZED (SELECT c.rowid, c.id ${onStretch} AND ${matches})
      SELECT counted.matched, (SELECT id FROM edge) AS edge, c.*
      FROM (SELECT count(*) AS matched FROM matching) counted
        LEFT JOIN (SELECT place FROM matching ORDER BY id DESC LIMIT ${take} OFFSET ${skip}) page
        LEFT JOIN contacts c ON c.rowid = page.place`,
  );
  const [first] = found;
  const picked = found.filter(({ id }) => id !== null).map((row) => readRow(contacts, row));
  return {
    matched: Number(first?.matched),
    rows: picked.toSorted((one, other) => (one.id < other.id ? 1 : -1)),
    before: first?.edge === belowAll ? null : String(first?.edge),
  };
}
