import { sql } from "drizzle-orm";
import type { Audience, Need } from "../../core/audience/compile";
import { belowAllIds, firstIdAt, type Id, readId } from "../../core/ids";
import { dayMs } from "../../core/time";
import { maxRowsPerStatement } from "../../db/limits";
import { asNumber, columns } from "../../db/rows";
import { inProject } from "../../db/scope";
import { select } from "../../db/statement";
import type { Context } from "../../platform/context";

/**
 * The rows that a scan reads, in the order of contact ids: all contacts, or only the rows that a match of the condition
 * must have. For example, if the condition requires a rare event, the scan reads only the contacts with that event.
 */
export type ScanSource = (
  | { over: "contacts" }
  /** Events of one name. Events with an id below `firstId` do not count. */
  | { over: "events"; name: string; firstId: Id }
  | { over: "members"; segmentId: Id }
  /** The single contact with the address. */
  | { over: "email"; email: string }
) & {
  /** The number of rows, according to the stored counts. */
  rows: number;
};

/** Finds the cheapest source for an audience. All contacts are scanned when they fit into one statement. */
export async function findScanSource(
  ctx: Context,
  { needs }: Audience,
  { contacts, now }: { contacts: number; now: Date },
): Promise<ScanSource> {
  const allContacts: ScanSource = { over: "contacts", rows: contacts };
  if (contacts <= maxRowsPerStatement) return allContacts;
  if (needs.length === 0) return allContacts;
  const sizes = await findSizes(ctx, needs, now);
  const sources = needs.map((need, index) => sourceFor(need, sizes[index] ?? { rows: 0, people: 0 }));
  return [{ source: allContacts, cost: contacts }, ...sources].reduce((a, b) => (b.cost < a.cost ? b : a)).source;
}

interface SourceSize {
  rows: number;
  /**
   * The number of contacts to which the rows belong, or slightly more. The condition is evaluated once for each
   * contact.
   */
  people: number;
}

/**
 * Returns a source with its estimated cost. Reading one contact costs 1. Reaching it from a row of another table costs
 * slightly more, and a row alone costs less.
 */
function sourceFor(need: Need, { rows, people }: SourceSize): { source: ScanSource; cost: number } {
  const cost = 0.4 * rows + 1.3 * people;
  if ("email" in need) return { source: { over: "email", email: need.email, rows }, cost };
  if ("memberOf" in need) return { source: { over: "members", segmentId: readId(need.memberOf), rows }, cost };
  const firstId = need.fromMs === null ? belowAllIds : firstIdAt(need.fromMs);
  return { source: { over: "events", name: need.event, firstId, rows }, cost };
}

/**
 * The maximum number of days whose stored counts are added up. For a longer time, all contacts that ever had the event
 * are counted.
 */
const maxDays = 100;

/**
 * Returns, from stored counts, how many rows and contacts each need has. Reads a few rows for each need, however many
 * rows match it.
 */
async function findSizes(ctx: Context, needs: Need[], now: Date): Promise<SourceSize[]> {
  const needsJson = JSON.stringify(
    needs.map((need) => {
      if ("event" in need) return { ...need, day: firstDay(need.fromMs, now) };
      return "memberOf" in need ? { memberOf: readId(need.memberOf) } : need;
    }),
  );
  // `event_days` has the counts of past days, and `event_names` has the count of the last day on which the event
  // happened.
  const recentCount = sql`((SELECT coalesce(sum(d.count), 0) FROM event_days d
      WHERE ${inProject(ctx, "d")} AND d.name = e.name AND d.day >= n.value->>'day')
    + iif(e.day >= n.value->>'day', e.day_count, 0))`;
  return select(
    ctx.db,
    sql`SELECT coalesce(e.count, s.member_count, n.value->>'email' IS NOT NULL) AS rows,
        coalesce(min(e.contacts, iif(n.value->>'day' IS NULL, e.contacts, ${recentCount})), s.member_count,
          n.value->>'email' IS NOT NULL) AS people
      FROM json_each(${needsJson}) n
        LEFT JOIN event_names e ON ${inProject(ctx, "e")} AND e.name = n.value->>'event'
        LEFT JOIN segments s ON ${inProject(ctx, "s")} AND s.id = n.value->>'memberOf'
      ORDER BY n.key`,
    columns({ rows: asNumber, people: asNumber }),
  );
}

/**
 * Returns the first day to count, in days since 1970. Null if `fromMs` is null, or if there are too many days to add
 * up.
 */
function firstDay(fromMs: number | null, now: Date): number | null {
  if (fromMs === null) return null;
  const day = Math.floor(fromMs / dayMs);
  return Math.floor(now.getTime() / dayMs) - day < maxDays ? day : null;
}
