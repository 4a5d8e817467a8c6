import { sql } from "drizzle-orm";
import type { FilterCondition } from "../../core/audience/condition";
import { Invalid } from "../../core/errors";
import { isoOrNull } from "../../core/time";
import { audienceOf } from "../../db/audience";
import { query } from "../../db/commit";
import { readRow } from "../../db/rows";
import { contacts } from "../../db/tables";
import type { Context } from "../../platform/context";
import type { ContactRow } from "../contacts/contact";
import { loadSegments } from "./audience";
import { lookThrough, windowRows } from "./look-through";
import { getSegment, type SegmentRow } from "./segment";

interface Asked {
  page: number;
  pageSize: number;
}

interface Found {
  rows: ContactRow[];
  total: number;
  /** When `total` was counted, if that was before this call. */
  countedAt: string | null;
}

/** What one call looks through at most: in a project of 2,000,000 contacts, all of them. */
const mostWindows = 80;

/** `GET /segments/{id}/contacts`: who is in it at this moment, newest first. Throws NotFound, and Invalid on a page too deep. */
export async function listSegmentContacts(ctx: Context, id: string, asked: Asked): Promise<Found> {
  const segment = await getSegment(ctx, id);
  return segment.condition === null
    ? listMembers(ctx, segment, asked)
    : listMatching(ctx, segment, segment.condition, asked);
}

async function listMatching(
  ctx: Context,
  segment: SegmentRow,
  condition: FilterCondition,
  { page, pageSize }: Asked,
): Promise<Found> {
  const audience = audienceOf(condition, await loadSegments(ctx, condition), ctx.now);
  const rows: ContactRow[] = [];
  const first = (page - 1) * pageSize;
  let [matched, from]: [number, string | null] = [0, null];
  for (let windows = 0; windows < mostWindows; windows++) {
    const asked = { from, skip: Math.max(0, first - matched), take: pageSize - rows.length };
    const window = await lookThrough(ctx, audience, asked);
    rows.push(...window.rows);
    matched += window.matched;
    if (window.next === null) return { rows, total: matched, countedAt: null };
    if (rows.length === pageSize) break;
    from = window.next;
  }
  if (matched < first) throw tooDeep();
  return { rows, total: Math.max(segment.memberCount, matched), countedAt: isoOrNull(segment.countedAt) };
}

function tooDeep(): Invalid {
  const message = `This page lies behind the newest ${mostWindows * windowRows} contacts, which is as far as a page reaches`;
  return new Invalid([{ field: "page", code: "too_big", message }]);
}

/** The members of a static segment are rows, whose number is kept. */
async function listMembers(ctx: Context, segment: SegmentRow, { page, pageSize }: Asked): Promise<Found> {
  const { memberCount: total } = segment;
  const members = sql`FROM segment_members WHERE project_id = ${ctx.project.id} AND segment_id = ${segment.id}`;
  let [skip, before]: [number, string] = [(page - 1) * pageSize, lastId];
  if (skip >= total) return { rows: [], total, countedAt: null };
  while (skip >= windowRows) {
    const [edge] = await query(
      ctx.db,
      sql`SELECT contact_id ${members} AND contact_id < ${before}
        ORDER BY contact_id DESC LIMIT 1 OFFSET ${windowRows - 1}`,
    );
    before = String(edge?.contact_id ?? "");
    skip -= windowRows;
  }
  const onPage = sql`SELECT contact_id ${members} AND contact_id < ${before}
    ORDER BY contact_id DESC LIMIT ${pageSize} OFFSET ${skip}`;
  const found = await query(
    ctx.db,
    sql`SELECT c.* FROM (${onPage}) page CROSS JOIN contacts c ON c.id = page.contact_id AND +c.project_id = ${ctx.project.id}`,
  );
  const rows = found.map((row) => readRow(contacts, row)).toSorted((one, other) => (one.id < other.id ? 1 : -1));
  return { rows, total, countedAt: null };
}

/** Above every id. */
const lastId = "g";
