import { sql } from "drizzle-orm";
import { Invalid } from "../../core/errors";
import { isoOrNull } from "../../core/time";
import { audienceOf } from "../../db/audience";
import { maxAskedPerStatement, maxRowsPerStatement } from "../../db/limits";
import { asText, columns, wholeRow } from "../../db/rows";
import { select, selectFirst } from "../../db/statement";
import { type ContactRow, contacts, type SegmentRow } from "../../db/tables";
import { lookThrough } from "../../engine/audience/look-through";
import { loadSegments } from "../../engine/audience/named-segments";
import { findScanSource } from "../../engine/audience/scan-source";
import { aboveAll, belowAll } from "../../engine/audience/scan-window";
import type { Context } from "../../platform/context";
import { letOthersIn } from "../../platform/let-others-in";
import { type Dynamic, getSegmentAndTotal, isDynamic } from "./segment";

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

/** What one call looks through at most: so many rows, by so many statements. */
const maxRows = 2_000_000;
const maxWindows = 200;

const minRows = 1_000;

/** `GET /segments/{id}/contacts`: who is in it at this moment, newest first. Throws NotFound, and Invalid on a page too deep. */
export async function listSegmentContacts(ctx: Context, id: string, asked: Asked): Promise<Found> {
  const { segment, contacts } = await getSegmentAndTotal(ctx, id);
  return isDynamic(segment) ? listMatching(ctx, segment, contacts, asked) : listMembers(ctx, segment, asked);
}

/** Where there is little to look at, all of it is looked at, for an exact total; else no more than the page takes. */
async function listMatching(
  ctx: Context,
  segment: Dynamic,
  contacts: number,
  { page, pageSize }: Asked,
): Promise<Found> {
  const { condition, memberCount } = segment;
  const segments = await loadSegments(ctx, condition);
  const audience = audienceOf(condition, segments, ctx.now);
  const source = await findScanSource(ctx, condition, { segments, contacts, now: ctx.now });
  const isExact = source.rows <= maxRowsPerStatement;
  const maxAtOnce = maxAskedPerStatement(audience);
  const first = (page - 1) * pageSize;
  const found: ContactRow[] = [];
  let [matched, looked, before] = [0, 0, aboveAll];
  for (let looks = 0; looks < maxWindows && looked < maxRows; looks++) {
    // Members may all be among the oldest: each look reaches twice as far.
    const likely = rowsToHold(first + pageSize - matched, memberCount / source.rows) * 2 ** looks;
    const rows = isExact ? maxAtOnce : Math.min(likely, maxAtOnce);
    const asked = { before, rows, skip: Math.max(0, first - matched), take: pageSize - found.length };
    const look = await lookThrough(ctx, audience, source, asked);
    found.push(...look.rows);
    matched += look.matched;
    looked += rows;
    if (look.before === null) return { rows: found, total: matched, countedAt: null };
    if (found.length === pageSize && !isExact) {
      return { rows: found, total: Math.max(memberCount, matched), countedAt: isoOrNull(segment.countedAt) };
    }
    before = look.before;
    await letOthersIn();
  }
  throw tooDeep(looked);
}

/** Rows among which so many members are likely to be, if there is such a share of them in all. */
function rowsToHold(members: number, share: number): number {
  return Math.max(minRows, Math.ceil((1.25 * members) / share));
}

function tooDeep(looked: number): Invalid {
  const message = `This page lies further back than one call looks, past ${looked} contacts or events of theirs`;
  return new Invalid([{ field: "page", code: "too_big", message }]);
}

/** The members of a static segment are rows, whose number is kept. */
async function listMembers(ctx: Context, segment: SegmentRow, { page, pageSize }: Asked): Promise<Found> {
  const { memberCount: total } = segment;
  const members = sql`FROM segment_members WHERE project_id = ${ctx.project.id} AND segment_id = ${segment.id}`;
  let [skip, before] = [(page - 1) * pageSize, aboveAll];
  if (skip >= total) return { rows: [], total, countedAt: null };
  while (skip >= maxRowsPerStatement) {
    const edge = await selectFirst(
      ctx.db,
      sql`SELECT contact_id ${members} AND contact_id < ${before}
        ORDER BY contact_id DESC LIMIT 1 OFFSET ${maxRowsPerStatement - 1}`,
      columns({ contactId: asText }),
    );
    before = edge?.contactId ?? belowAll;
    skip -= maxRowsPerStatement;
  }
  const onPage = sql`SELECT contact_id ${members} AND contact_id < ${before}
    ORDER BY contact_id DESC LIMIT ${pageSize} OFFSET ${skip}`;
  const found = await select(
    ctx.db,
    sql`SELECT c.* FROM (${onPage}) page CROSS JOIN contacts c ON c.id = page.contact_id AND +c.project_id = ${ctx.project.id}`,
    wholeRow(contacts),
  );
  return { rows: found.toSorted((one, other) => (one.id < other.id ? 1 : -1)), total, countedAt: null };
}
