import { sql } from "drizzle-orm";
import type { Audience } from "../../core/audience/compile";
import { asNumber, asText, columns, type RowReader, wholeRow } from "../../db/rows";
import { select } from "../../db/statement";
import { type ContactRow, contacts } from "../../db/tables";
import type { Context } from "../../platform/context";
import type { ScanSource } from "./scan-source";
import { belowAll, windowDown } from "./scan-window";

interface Found {
  /** How many of the contacts match. */
  matched: number;
  /** Those that were asked for, newest first. */
  rows: ContactRow[];
  /** Behind which contact to look on; null when there are no more. */
  before: string | null;
}

const readFigures = columns({ matched: asNumber, edge: asText });
const readContact = wholeRow(contacts);
/** Figures of the window, and one contact of the page; a page of nobody is one row without a contact. */
const readFound: RowReader<{ matched: number; edge: string; contact: ContactRow | null }> = (raw) => ({
  ...readFigures(raw),
  contact: raw.id === null ? null : readContact(raw),
});

/**
 * Looks at the contacts in the next `rows` of a source, newest first, below the id `before`: counts who matches, and
 * picks `take` of them behind the first `skip`. The condition is asked once of each; who matches is noted, and the page
 * is made of the notes.
 */
export async function lookThrough(
  ctx: Context,
  { values, matches }: Audience,
  source: ScanSource,
  { before, rows, skip, take }: { before: string; rows: number; skip: number; take: number },
): Promise<Found> {
  const { edge, contacts: inWindow } = windowDown(ctx, source, { before, rows });
  const found = await select(
    ctx.db,
    sql`WITH ${values}, ${edge},
        matching (place, id) AS MATERIALIZED (SELECT c.rowid, c.id ${inWindow} AND ${matches})
      SELECT counted.matched, (SELECT id FROM edge) AS edge, c.*
      FROM (SELECT count(*) AS matched FROM matching) counted
        LEFT JOIN (SELECT place FROM matching ORDER BY id DESC LIMIT ${take} OFFSET ${skip}) page
        LEFT JOIN contacts c ON c.rowid = page.place`,
    readFound,
  );
  const [first] = found;
  if (!first) throw new Error("A count always has a row");
  const picked = found.flatMap(({ contact }) => contact ?? []);
  return {
    matched: first.matched,
    rows: picked.toSorted((one, other) => (one.id < other.id ? 1 : -1)),
    before: first.edge === belowAll ? null : first.edge,
  };
}
