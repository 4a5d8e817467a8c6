import { sql } from "drizzle-orm";
import type { Audience } from "../../core/audience/compile";
import { type Id, textOf } from "../../core/ids";
import { asId, asNumber, columns, type RowReader, wholeRow } from "../../db/rows";
import { type Statement, statement } from "../../db/statement";
import { type ContactRow, contacts } from "../../db/tables";
import type { Direction, ScanWindow } from "./scan-window";

/** A page of the matches in the order of the scan. It skips `skip` contacts and has at most `take`. */
export interface ScanPage {
  skip: number;
  take: number;
}

interface PageRow {
  edge: Id;
  matched: number;
  contact: ContactRow | null;
}

const readFigures = columns({ edge: asId, matched: asNumber });
const readContact = wholeRow(contacts);

/** Reads the counts of a window and one contact of the page. If the page is empty, the only row has no contact. */
const readPageRow: RowReader<PageRow> = (raw) => ({
  ...readFigures(raw),
  contact: raw.id === null ? null : readContact(raw),
});

/** Evaluates the condition once for each contact of the window, and takes the page from the materialized matches. */
export function selectPage(
  { values, matches }: Audience,
  { edge, contacts }: ScanWindow,
  { skip, take, direction }: ScanPage & { direction: Direction },
): Statement<PageRow> {
  const order = direction === "up" ? sql`ASC` : sql`DESC`;
  return statement(
    sql`WITH ${values}, ${edge},
        matching (row_id, id) AS MATERIALIZED (SELECT c.rowid, c.id ${contacts} AND ${matches})
      SELECT counted.matched, (SELECT id FROM edge) AS edge, c.*
      FROM (SELECT count(*) AS matched FROM matching) counted
        LEFT JOIN (SELECT row_id FROM matching ORDER BY id ${order} LIMIT ${take} OFFSET ${skip}) page
        LEFT JOIN contacts c ON c.rowid = page.row_id`,
    readPageRow,
  );
}

/** Returns the counts of one window, and the contacts of the page in the order of the scan. */
export function pageOf(rows: PageRow[], direction: Direction): { edge: Id; matched: number; contacts: ContactRow[] } {
  const [first] = rows;
  if (!first) throw new Error("A count always has a row");
  const isInOrder = (one: ContactRow, other: ContactRow) => textOf(one.id) < textOf(other.id) === (direction === "up");
  return {
    edge: first.edge,
    matched: first.matched,
    contacts: rows.flatMap(({ contact }) => contact ?? []).toSorted((a, b) => (isInOrder(a, b) ? -1 : 1)),
  };
}
