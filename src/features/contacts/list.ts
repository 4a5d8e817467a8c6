import { type SQL, sql } from "drizzle-orm";
import { type Id, textOf } from "../../core/ids";
import { ById, type Page, readCursor, writeCursor } from "../../core/page";
import { searchText } from "../../core/search";
import { maxRowsPerStatement } from "../../db/limits";
import { asNumber, asText, columns, orNull, type RowReader, wholeRow } from "../../db/rows";
import { select } from "../../db/statement";
import { type ContactRow, contacts } from "../../db/tables";
import type { Context } from "../../platform/context";
import { contactJson } from "./contact";

interface ContactQuery {
  cursor?: string;
  limit: number;
  search?: string;
  subscribed?: boolean;
  email?: string;
  sort: "createdAt" | "email";
  dir: "asc" | "desc";
}

type Filters = Omit<ContactQuery, "cursor" | "limit">;

/** An id is made of the time of creation, so that its order is the order of time. */
const sortedBy = { createdAt: sql`id`, email: sql`email` };
const directions = {
  asc: { beyond: sql`>`, orders: { createdAt: sql`ORDER BY id ASC`, email: sql`ORDER BY email ASC` } },
  desc: { beyond: sql`<`, orders: { createdAt: sql`ORDER BY id DESC`, email: sql`ORDER BY email DESC` } },
};

/** A row of the list's statement: what was counted is on each, and there is one without a contact when none is found. */
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
 * A page of contacts, in one statement: first what there is to count, then the places of the page's rows by an index
 * alone, and only then the rows themselves. Throws BadRequest on an unreadable cursor.
 */
export async function listContacts(ctx: Context, asked: ContactQuery): Promise<Page<ReturnType<typeof contactJson>>> {
  const { cursor, limit, ...given } = asked;
  const filters = { ...given, search: searchText(given.search ?? "").trim() || undefined };
  const [after = null] = readCursor(cursor, ById, filters) ?? [];
  const { places, edge } = walkOf(ctx, filters, after);
  const total = after === null ? totalOf(ctx, filters) : sql`0`;
  // Who has found all that were counted stops, and does not walk on to the end for more.
  const isSearchCounted = after === null && filters.search !== undefined;
  const maxRows = isSearchCounted ? sql`min(${limit + 1}, (SELECT total FROM facts))` : sql`${limit + 1}`;
  const lines = await select(
    ctx.db,
    sql`WITH facts AS MATERIALIZED (SELECT (${total}) AS total, (${edge}) AS edge)
      SELECT facts.total AS list_total, facts.edge AS list_edge, c.*
      FROM facts LEFT JOIN (${places} LIMIT ${maxRows}) page LEFT JOIN contacts c ON c.rowid = page.place`,
    readLine,
  );
  const rows = lines.flatMap(({ contact }) => contact ?? []);
  const shown = rows.toSorted(inOrder(filters)).slice(0, limit);
  const last = rows.length > limit ? shown.at(-1) : undefined;
  const { listTotal = null, listEdge = null } = lines[0] ?? {};
  const next = last ? placeOf(last, filters) : listEdge;
  return {
    data: shown.map(contactJson),
    cursor: next === null ? "" : writeCursor([next], filters),
    hasMore: next !== null,
    total: listTotal ?? 0,
  };
}

/**
 * What a search goes through is the one thing that may be more than 25,000 entries, as they are of an index that holds
 * nothing but what it asks for. Without one, the count is kept.
 */
function totalOf(ctx: Context, filters: Filters): SQL {
  const { subscribed, email, search } = filters;
  if (email === undefined && search === undefined) {
    const kept = subscribed === undefined ? sql`contacts` : subscribed ? sql`subscribed` : sql`contacts - subscribed`;
    return sql`SELECT ${kept} FROM project_counts WHERE project_id = ${ctx.project.number}`;
  }
  const index = email === undefined ? sql`ix_contacts_list` : sql`ux_contacts_email`;
  return sql`SELECT count(*) FROM contacts INDEXED BY ${index}
    WHERE project_id = ${ctx.project.number}${passing(filters)}`;
}

/** How the places of a list's rows are found, in the list's order. */
interface Walk {
  places: SQL;
  /** The address at which a walk was cut short, and behind which the next page begins; null when it was not. */
  edge: SQL;
}

/**
 * Rows that one page may look at when no index holds both its order and its filter. The page then ends early, says that
 * there is more, and its cursor goes on behind the last row looked at.
 */
const windowRows = maxRowsPerStatement;

function walkOf(ctx: Context, filters: Filters, after: string | null): Walk {
  const { subscribed, email, search, sort, dir } = filters;
  const { beyond, orders } = directions[dir];
  const order = orders[sort];
  const behind = after === null ? sql`` : sql` AND ${sortedBy[sort]} ${beyond} ${after}`;
  const mine = sql`project_id = ${ctx.project.number}${behind}`;
  const byAddress = sql`SELECT rowid AS place FROM contacts INDEXED BY ux_contacts_email WHERE ${mine}`;
  const half = (isSubscribed: boolean) => sql`SELECT rowid AS place, id, email
    FROM contacts INDEXED BY ix_contacts_list WHERE ${mine}${passing({ subscribed: isSubscribed, search })}`;

  if (email !== undefined) return whole(sql`${byAddress}${passing(filters)}`);
  if (sort === "createdAt") {
    // Both halves of the index are walked at once, and merged as they come.
    const halves = subscribed === undefined ? [half(true), half(false)] : [half(subscribed)];
    return whole(sql`${sql.join(halves, sql` UNION ALL `)} ${order}`);
  }
  if (subscribed === undefined) return whole(sql`${byAddress}${passing({ search })} ${order}`);
  // What matches is sorted, and no more of it is held than goes on the page.
  if (search !== undefined) return whole(sql`${half(subscribed)} ${order}`);
  const edge = sql`SELECT email FROM contacts INDEXED BY ux_contacts_email WHERE ${mine} ${order}
    LIMIT 1 OFFSET ${windowRows - 1}`;
  const last = sql`(SELECT edge FROM facts)`;
  const within = dir === "asc" ? sql`email <= coalesce(${last}, char(0x10ffff))` : sql`email >= coalesce(${last}, '')`;
  return { places: sql`${byAddress} AND ${within}${passing({ subscribed })} ${order}`, edge };
}

function whole(places: SQL): Walk {
  return { places, edge: sql`NULL` };
}

/** The filters given, as conditions that follow another. Addresses are in lower case, and so is what is searched for. */
function passing({ subscribed, email, search }: Partial<Filters>): SQL {
  return sql.join([
    ...(subscribed === undefined ? [] : [sql` AND subscribed = ${subscribed}`]),
    ...(email === undefined ? [] : [sql` AND email = ${email}`]),
    ...(search === undefined ? [] : [sql` AND instr(email, ${search}) > 0`]),
  ]);
}

/** What a contact is sorted by: a page that ends with it goes on behind that. */
function placeOf({ id, email }: { id: Id; email: string }, { sort }: Filters): string {
  return sort === "email" ? email : textOf(id);
}

/** The rows of a page come in any order. Ids and addresses are ASCII, so that they sort here as they do in the database. */
function inOrder(filters: Filters): (one: ContactRow, other: ContactRow) => number {
  const sign = filters.dir === "asc" ? 1 : -1;
  return (one, other) => (placeOf(one, filters) < placeOf(other, filters) ? -sign : sign);
}
