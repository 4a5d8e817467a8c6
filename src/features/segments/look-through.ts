import { sql } from "drizzle-orm";
import type { Audience } from "../../core/audience/compile";
import { query } from "../../db/commit";
import { mostRowsPerStatement } from "../../db/limits";
import { readRow } from "../../db/rows";
import { contacts } from "../../db/tables";
import type { Context } from "../../platform/context";
import type { ContactRow } from "../contacts/contact";

/** Contacts that one statement looks at: 25,000 take some 30 ms, and others have their turn in between. */
export const windowRows = mostRowsPerStatement;

interface Window {
  /** How many of its contacts match. */
  matched: number;
  /** Those that were asked for, newest first. */
  rows: ContactRow[];
  /** The contact at which the next window begins; null when there are no more. */
  next: string | null;
}

/**
 * Looks through the newest contacts, from the one with the id `from` on: counts who matches, and picks `take` of them
 * behind the first `skip`. The condition is asked once of each; who matches is noted, and the page is made of the notes.
 */
export async function lookThrough(
  ctx: Context,
  { values, matches }: Audience,
  { from, skip, take }: { from: string | null; skip: number; take: number },
): Promise<Window> {
  const older = from === null ? sql`` : sql` AND c.id <= ${from}`;
  const byId = sql`FROM contacts c INDEXED BY ix_contacts_project_id WHERE c.project_id = ${ctx.project.id}${older}`;
  const found = await query(
    ctx.db,
    sql`WITH ${values},
        next (id) AS MATERIALIZED (SELECT c.id ${byId} ORDER BY c.id DESC LIMIT 1 OFFSET ${windowRows}),
        matching (place, id) AS MATERIALIZED (
          SELECT c.rowid, c.id ${byId} AND c.id > coalesce((SELECT id FROM next), '') AND ${matches})
      SELECT counted.matched, (SELECT id FROM next) AS next_id, c.*
      FROM (SELECT count(*) AS matched FROM matching) counted
        LEFT JOIN (SELECT place FROM matching ORDER BY id DESC LIMIT ${take} OFFSET ${skip}) page
        LEFT JOIN contacts c ON c.rowid = page.place`,
  );
  const rows = found.filter(({ id }) => id !== null).map((row) => readRow(contacts, row));
  const [first] = found;
  return {
    matched: Number(first?.matched),
    rows: rows.toSorted((one, other) => (one.id < other.id ? 1 : -1)),
    next: first?.next_id ? String(first.next_id) : null,
  };
}
