import { sql } from "drizzle-orm";
import { Invalid } from "../../core/errors";
import { aboveAllIds, belowAllIds, type Id, textOf } from "../../core/ids";
import { isoOrNull } from "../../core/time";
import { audienceOf } from "../../db/audience";
import { maxRowsPerStatement } from "../../db/limits";
import { asId, columns, wholeRow } from "../../db/rows";
import { inProject } from "../../db/scope";
import { select, selectFirst } from "../../db/statement";
import { type ContactRow, contacts, type SegmentRow } from "../../db/tables";
import { loadSegments } from "../../engine/audience/named-segments";
import { scan } from "../../engine/audience/scan";
import { findScanSource } from "../../engine/audience/scan-source";
import type { Context } from "../../platform/context";
import { type DynamicSegment, getSegmentAndTotal, isDynamic } from "./segment";

interface PageInput {
  page: number;
  pageSize: number;
}

interface ContactsPage {
  rows: ContactRow[];
  total: number;
  /** The time at which `total` was counted, if that was before this call; otherwise null. */
  countedAt: string | null;
}

/** The maximum number of rows that one call reads, and the maximum number of statements that it makes. */
const budget = { maxRows: 2_000_000, maxWindows: 200 };

const minRows = 1_000;

/**
 * `GET /segments/{id}/contacts`: lists the contacts in a segment at this moment, newest first. Throws NotFound, and
 * Invalid for a page that is too deep.
 */
export async function listSegmentContacts(ctx: Context, id: Id, input: PageInput): Promise<ContactsPage> {
  const { segment, contacts } = await getSegmentAndTotal(ctx, id);
  return isDynamic(segment) ? listMatching(ctx, segment, contacts, input) : listMembers(ctx, segment, input);
}

/**
 * Lists the contacts that match. A small source of rows is read to its end, for an exact total. A large one is read
 * only as far as the page needs.
 */
async function listMatching(
  ctx: Context,
  segment: DynamicSegment,
  contacts: number,
  { page, pageSize }: PageInput,
): Promise<ContactsPage> {
  const { condition, memberCount } = segment;
  const segments = await loadSegments(ctx, condition);
  const audience = audienceOf(condition, segments, ctx.now);
  const source = await findScanSource(ctx, audience, { contacts, now: ctx.now });
  const isSmall = source.rows <= maxRowsPerStatement;
  const skip = (page - 1) * pageSize;
  // All members may be among the oldest contacts, so the estimate is doubled with each further window.
  const rowsOf = ({ windows, matched }: { windows: number; matched: number }) =>
    rowsToScan(skip + pageSize - matched, memberCount / source.rows) * 2 ** windows;
  const windows = scan(ctx, audience, source, budget, {
    direction: "down",
    want: { skip, take: pageSize },
    ...(isSmall ? {} : { rowsOf }),
  });
  const rows: ContactRow[] = [];
  let [matched, read] = [0, 0];
  for await (const window of windows) {
    rows.push(...window.contacts);
    matched += window.matched;
    read += window.rows;
    if (window.isLast) return { rows, total: matched, countedAt: null };
    if (rows.length === pageSize && !isSmall) {
      return { rows, total: Math.max(memberCount, matched), countedAt: isoOrNull(segment.countedAt) };
    }
  }
  throw pageTooDeep(read);
}

/** Returns the number of rows that likely contain `members` members, given their share of all rows. */
function rowsToScan(members: number, share: number): number {
  return Math.max(minRows, Math.ceil((1.25 * members) / share));
}

function pageTooDeep(read: number): Invalid {
  const message = `This page is too far back: one call scans at most ${read} contacts or events`;
  return new Invalid([{ field: "page", code: "too_big", message }]);
}

/** Lists the members of a static segment. The members are rows, and their number is stored. */
async function listMembers(ctx: Context, segment: SegmentRow, { page, pageSize }: PageInput): Promise<ContactsPage> {
  const { memberCount: total } = segment;
  const members = sql`FROM segment_members WHERE ${inProject(ctx)} AND segment_id = ${segment.id}`;
  let [skip, before] = [(page - 1) * pageSize, aboveAllIds];
  if (skip >= total) return { rows: [], total, countedAt: null };
  while (skip >= maxRowsPerStatement) {
    const edge = await selectFirst(
      ctx.db,
      sql`SELECT contact_id ${members} AND contact_id < ${before}
        ORDER BY contact_id DESC LIMIT 1 OFFSET ${maxRowsPerStatement - 1}`,
      columns({ contactId: asId }),
    );
    before = edge?.contactId ?? belowAllIds;
    skip -= maxRowsPerStatement;
  }
  const onPage = sql`SELECT contact_id ${members} AND contact_id < ${before}
    ORDER BY contact_id DESC LIMIT ${pageSize} OFFSET ${skip}`;
  const found = await select(
    ctx.db,
    sql`SELECT c.* FROM (${onPage}) page CROSS JOIN contacts c ON ${inProject(ctx, "c")} AND c.id = page.contact_id`,
    wholeRow(contacts),
  );
  return { rows: found.toSorted((one, other) => (textOf(one.id) < textOf(other.id) ? 1 : -1)), total, countedAt: null };
}
