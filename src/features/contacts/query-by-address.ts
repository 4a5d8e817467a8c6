import { sql } from "drizzle-orm";
import type { FilterCondition } from "../../core/audience/condition";
import { ById, cursorPage, type Page, readCursor } from "../../core/page";
import { audienceOf } from "../../db/audience";
import { maxEvaluatedPerStatement, maxRowsPerStatement } from "../../db/limits";
import { asNumber, asText, columns, orNull, type RowReader, wholeRow } from "../../db/rows";
import { inProject } from "../../db/scope";
import { select } from "../../db/statement";
import { type ContactRow, contacts } from "../../db/tables";
import { checkCondition } from "../../engine/audience/named-segments";
import { totalContacts } from "../../engine/contacts/total";
import type { Context } from "../../platform/context";
import { letOthersIn } from "../../platform/let-others-in";
import { contactJson } from "./contact";
import { searchedAnd } from "./searched";

interface Asked {
  search: string;
  limit: number;
  dir: "asc" | "desc";
  cursor: string | undefined;
}

interface Line {
  contacts: number;
  rows: number;
  edge: string | null;
  matched: number;
  contact: ContactRow | null;
}

const readFigures = columns({ contacts: asNumber, rows: asNumber, edge: orNull(asText), matched: asNumber });
const readContact = wholeRow(contacts);
const readLine: RowReader<Line> = (raw) => ({
  ...readFigures(raw),
  contact: raw.id === null ? null : readContact(raw),
});

const directions = {
  asc: { beyond: sql`>`, order: sql`ASC`, last: sql`max`, sign: 1 },
  desc: { beyond: sql`<`, order: sql`DESC`, last: sql`min`, sign: -1 },
};

/**
 * Lists the contacts that match a condition, sorted by address. Stops when a page is full, the contacts end, or
 * `maxWindows` are read. Throws Invalid and BadRequest.
 */
export async function queryByAddress(
  ctx: Context,
  condition: FilterCondition,
  { search, limit, dir, cursor }: Asked,
  { maxWindows }: { maxWindows: number },
): Promise<Page<ReturnType<typeof contactJson>>> {
  const filters = { condition: JSON.stringify(condition), search, dir, sort: "email" };
  const [after = null] = readCursor(cursor, ById, filters) ?? [];
  const { segments } = await checkCondition(ctx, condition);
  const audience = audienceOf(searchedAnd(search, condition) ?? condition, segments, ctx.now);
  const size = maxEvaluatedPerStatement(audience);
  const { beyond, order, last, sign } = directions[dir];
  const found: ContactRow[] = [];
  let [matched, edge, isAtEnd] = [0, after, false];
  for (let windows = 0; windows < maxWindows; windows++) {
    const rest = edge === null ? sql`` : sql` AND email ${beyond} ${edge}`;
    const lines = await select(
      ctx.db,
      sql`WITH ${audience.values},
          near (row_id, email) AS MATERIALIZED (SELECT rowid, email FROM contacts INDEXED BY ux_contacts_email
            WHERE ${inProject(ctx)}${rest} ORDER BY email ${order} LIMIT ${size}),
          matching (row_id, email) AS MATERIALIZED (SELECT c.rowid, c.email
            FROM near CROSS JOIN contacts c ON c.rowid = near.row_id WHERE ${audience.matches})
        SELECT ${totalContacts(ctx)} AS contacts, read.*, (SELECT count(*) FROM matching) AS matched, c.*
        FROM (SELECT count(*) AS rows, ${last}(email) AS edge FROM near) read
          LEFT JOIN (SELECT row_id FROM matching ORDER BY email ${order} LIMIT ${limit + 1 - found.length}) page
          LEFT JOIN contacts c ON c.rowid = page.row_id`,
      readLine,
    );
    found.push(...inOrder(lines, sign));
    const [figures] = lines;
    if (!figures) throw new Error("A count always has a row");
    matched += figures.matched;
    edge = figures.edge ?? edge;
    isAtEnd = figures.rows < size;
    const isCounted = after === null && figures.contacts <= maxRowsPerStatement;
    if (isAtEnd || (found.length > limit && !isCounted)) break;
    await letOthersIn();
  }
  const shown = found.slice(0, limit);
  const next = found.length > limit ? shown.at(-1)?.email : isAtEnd ? null : edge;
  return cursorPage(shown.map(contactJson), {
    next: next ? [next] : null,
    filters,
    total: after === null ? matched : 0,
    countedAt: after === null && !isAtEnd ? ctx.now : null,
  });
}

/** Addresses are ASCII, so they sort here as they do in the database. */
function inOrder(lines: Line[], sign: number): ContactRow[] {
  const rows = lines.flatMap(({ contact }) => contact ?? []);
  return rows.toSorted((one, other) => (one.email < other.email ? -sign : sign));
}
