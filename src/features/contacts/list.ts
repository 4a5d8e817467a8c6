import { type SQL, sql } from "drizzle-orm";
import { type Id, textOf } from "../../core/ids";
import { ById, type Page, readCursor, writeCursor } from "../../core/page";
import { searchText } from "../../core/search";
import { maxRowsPerStatement } from "../../db/limits";
import { asNumber, asText, columns, orNull, type RowReader, wholeRow } from "../../db/rows";
import { inProject } from "../../db/scope";
import { select } from "../../db/statement";
import { type ContactRow, contacts } from "../../db/tables";
import type { Context } from "../../platform/context";
import { contactJson } from "./contact";

export interface ContactQuery {
  cursor?: string;
  limit: number;
  search?: string;
  subscribed?: boolean;
  email?: string;
  sort: "createdAt" | "email";
  dir: "asc" | "desc";
}

type Filters = Omit<ContactQuery, "cursor" | "limit">;

/** An id begins with the time of creation, so ids sort by time. */
const sortedBy = { createdAt: sql`id`, email: sql`email` };
const directions = {
  asc: { beyond: sql`>`, orders: { createdAt: sql`ORDER BY id ASC`, email: sql`ORDER BY email ASC` } },
  desc: { beyond: sql`<`, orders: { createdAt: sql`ORDER BY id DESC`, email: sql`ORDER BY email DESC` } },
};

/**
 * A row of the list's statement. The total and the edge are the same in each row. When no contact is found, there is a
 * single row without a contact.
 */
interface Line {
  listTotal: number | null;
  listEdge: string | null;
  contact: ContactRow | null;
}

const readFacts = columns({ listTotal: orNull(asNumber), listEdge: orNull(asText) });
const readContact = wholeRow(contacts);
const readLine: RowReader<Line> = (raw) => ({
  ...readFacts(raw),
  contact: raw.id === null ? null : readContact(raw),
});

/**
 * Returns a page of contacts in one statement. The statement first finds the total and the edge, then the rowids of the
 * page from an index alone, and only then the rows themselves. Throws BadRequest on an unreadable cursor.
 */
export async function listContacts(ctx: Context, query: ContactQuery): Promise<Page<ReturnType<typeof contactJson>>> {
  const { cursor, limit, ...given } = query;
  const filters = { ...given, search: searchText(given.search ?? "").trim() || undefined };
  const [after = null] = readCursor(cursor, ById, filters) ?? [];
  const { rowids, edge } = scanOf(ctx, filters, after);
  const total = after === null ? totalOf(ctx, filters) : sql`0`;
  // A counted search stops at its last match, without scanning the rest of the index for more.
  const isSearchCounted = after === null && filters.search !== undefined;
  const maxRows = isSearchCounted ? sql`min(${limit + 1}, (SELECT total FROM facts))` : sql`${limit + 1}`;
  const lines = await select(
    ctx.db,
    sql`WITH facts AS MATERIALIZED (SELECT (${total}) AS total, (${edge}) AS edge)
      SELECT facts.total AS list_total, facts.edge AS list_edge, c.*
      FROM facts LEFT JOIN (${rowids} LIMIT ${maxRows}) page LEFT JOIN contacts c ON c.rowid = page.row_id`,
    readLine,
  );
  const rows = lines.flatMap(({ contact }) => contact ?? []);
  const shown = rows.toSorted(inOrder(filters)).slice(0, limit);
  const last = rows.length > limit ? shown.at(-1) : undefined;
  const { listTotal = null, listEdge = null } = lines[0] ?? {};
  const next = last ? sortKeyOf(last, filters) : listEdge;
  return {
    data: shown.map(contactJson),
    cursor: next === null ? "" : writeCursor([next], filters),
    hasMore: next !== null,
    total: listTotal ?? 0,
  };
}

/**
 * Selects the total. Without a search or an address, the total is a stored count. A search may scan more than
 * `maxRowsPerStatement` entries of `ix_contacts_list`, because the entries are small: they hold only the columns that a
 * search needs.
 */
function totalOf(ctx: Context, filters: Filters): SQL {
  const { subscribed, email, search } = filters;
  if (email === undefined && search === undefined) {
    const stored = subscribed === undefined ? sql`contacts` : subscribed ? sql`subscribed` : sql`contacts - subscribed`;
    return sql`SELECT ${stored} FROM project_counts WHERE ${inProject(ctx)}`;
  }
  const index = email === undefined ? sql`ix_contacts_list` : sql`ux_contacts_email`;
  return sql`SELECT count(*) FROM contacts INDEXED BY ${index}
    WHERE ${inProject(ctx)}${passing(filters)}`;
}

/** The scan that finds the rows of a page, in the order of the list. */
interface Scan {
  rowids: SQL;
  /**
   * The address at which the scan is cut off, and after which the next page begins; null when the scan is not cut off.
   */
  edge: SQL;
}

/**
 * The maximum number of rows that one page may scan when no index has both the page's order and its filter. The page
 * then ends early, with `hasMore`, and its cursor continues after the last scanned row.
 */
const windowRows = maxRowsPerStatement;

function scanOf(ctx: Context, filters: Filters, after: string | null): Scan {
  const { subscribed, email, search, sort, dir } = filters;
  const { beyond, orders } = directions[dir];
  const order = orders[sort];
  const afterCursor = after === null ? sql`` : sql` AND ${sortedBy[sort]} ${beyond} ${after}`;
  const mine = sql`${inProject(ctx)}${afterCursor}`;
  const byAddress = sql`SELECT rowid AS row_id FROM contacts INDEXED BY ux_contacts_email WHERE ${mine}`;
  const half = (isSubscribed: boolean) => sql`SELECT rowid AS row_id, id, email
    FROM contacts INDEXED BY ix_contacts_list WHERE ${mine}${passing({ subscribed: isSubscribed, search })}`;

  if (email !== undefined) return whole(sql`${byAddress}${passing(filters)}`);
  if (sort === "createdAt") {
    // SQLite scans both halves of the index at once, and merges them.
    const halves = subscribed === undefined ? [half(true), half(false)] : [half(subscribed)];
    return whole(sql`${sql.join(halves, sql` UNION ALL `)} ${order}`);
  }
  if (subscribed === undefined) return whole(sql`${byAddress}${passing({ search })} ${order}`);
  // SQLite sorts the matches, and holds only as many as the page needs.
  if (search !== undefined) return whole(sql`${half(subscribed)} ${order}`);
  const edge = sql`SELECT email FROM contacts INDEXED BY ux_contacts_email WHERE ${mine} ${order}
    LIMIT 1 OFFSET ${windowRows - 1}`;
  const last = sql`(SELECT edge FROM facts)`;
  const within = dir === "asc" ? sql`email <= coalesce(${last}, char(0x10ffff))` : sql`email >= coalesce(${last}, '')`;
  return { rowids: sql`${byAddress} AND ${within}${passing({ subscribed })} ${order}`, edge };
}

function whole(rowids: SQL): Scan {
  return { rowids, edge: sql`NULL` };
}

/** Returns the given filters as further AND conditions. Addresses are in lower case, and so is the search text. */
function passing({ subscribed, email, search }: Partial<Filters>): SQL {
  return sql.join([
    ...(subscribed === undefined ? [] : [sql` AND subscribed = ${subscribed}`]),
    ...(email === undefined ? [] : [sql` AND email = ${email}`]),
    ...(search === undefined ? [] : [sql` AND instr(email, ${search}) > 0`]),
  ]);
}

/** Returns the sort key of a contact, after which the next page begins. */
function sortKeyOf({ id, email }: { id: Id; email: string }, { sort }: Filters): string {
  return sort === "email" ? email : textOf(id);
}

/**
 * Sorts the rows of a page, which come in any order. Ids and addresses are ASCII, so they sort here as they do in the
 * database.
 */
function inOrder(filters: Filters): (one: ContactRow, other: ContactRow) => number {
  const sign = filters.dir === "asc" ? 1 : -1;
  return (one, other) => (sortKeyOf(one, filters) < sortKeyOf(other, filters) ? -sign : sign);
}
