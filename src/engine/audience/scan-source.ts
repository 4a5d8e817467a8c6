import { sql } from "drizzle-orm";
import type { FilterCondition } from "../../core/audience/condition";
import { type Need, needsOf } from "../../core/audience/needs";
import { firstIdAt } from "../../core/ids";
import { dayMs } from "../../core/time";
import { type Segments, sourceIn } from "../../db/audience";
import { query } from "../../db/commit";
import { mostRowsPerStatement } from "../../db/limits";
import type { Context } from "../../platform/context";

/**
 * A way through a project that leads past everybody for whom a condition may hold, by the ids of contacts: along the
 * contacts themselves, or along the rows of something that it needs. Of a million contacts who are asked for a rare
 * event, only those who have it are looked at. It is plain data.
 */
export type Path = (
  | { along: "contacts" }
  /** Events of a name, of which only those from the id on count. */
  | { along: "events"; name: string; firstId: string }
  | { along: "members"; segmentId: string }
  /** The one contact with the address. */
  | { along: "email"; email: string }
) & {
  /** Rows that it leads past. */
  rows: number;
};

/** The shortest way for a condition. In a project that one statement sees through, nothing else is weighed. */
export async function findPath(
  ctx: Context,
  condition: FilterCondition,
  { segments, contacts, now }: { segments: Segments; contacts: number; now: Date },
): Promise<Path> {
  const all: Path = { along: "contacts", rows: contacts };
  if (contacts <= mostRowsPerStatement) return all;
  const needs = needsOf(condition, (id) => sourceIn(segments, id), now);
  if (needs.length === 0) return all;
  const sizes = await findSizes(ctx, needs, now);
  const ways = needs.map((need, index) => wayAlong(need, sizes[index] ?? { rows: 0, people: 0 }));
  return [{ path: all, cost: contacts }, ...ways].reduce((a, b) => (b.cost < a.cost ? b : a)).path;
}

interface Size {
  rows: number;
  /** Contacts among these rows, or a little more: each is looked at. */
  people: number;
}

/** The cost of looking at one contact is 1. To come to it from a row elsewhere takes a little more, a row alone less. */
function wayAlong(need: Need, { rows, people }: Size): { path: Path; cost: number } {
  const cost = 0.4 * rows + 1.3 * people;
  if ("email" in need) return { path: { along: "email", email: need.email, rows }, cost };
  if ("memberOf" in need) return { path: { along: "members", segmentId: need.memberOf, rows }, cost };
  const firstId = need.fromMs === null ? "" : firstIdAt(need.fromMs);
  return { path: { along: "events", name: need.event, firstId, rows }, cost };
}

/** Of a longer window than this, everybody with the event is counted. */
const mostDays = 100;

/** From kept figures: a few rows for each, however many there are to count. */
async function findSizes(ctx: Context, needs: Need[], now: Date): Promise<Size[]> {
  const asked = JSON.stringify(
    needs.map((need) => ("event" in need ? { ...need, days: daysSince(need.fromMs, now) } : need)),
  );
  const project = ctx.project.id;
  const lately = sql`(SELECT sum((SELECT d.count FROM event_days d
      WHERE d.project_id = ${project} AND d.day = day.value AND d.name = n.value->>'event'))
    FROM json_each(n.value, '$.days') day)`;
  const found = await query(
    ctx.db,
    sql`SELECT coalesce(e.count, s.member_count, n.value->>'email' IS NOT NULL) AS rows,
        coalesce(min(e.contacts, iif(n.value->>'days' IS NULL, e.contacts, coalesce(${lately}, 0))), s.member_count,
          n.value->>'email' IS NOT NULL) AS people
      FROM json_each(${asked}) n
        LEFT JOIN event_names e ON e.project_id = ${project} AND e.name = n.value->>'event'
        LEFT JOIN segments s ON s.id = n.value->>'memberOf' AND +s.project_id = ${project}
      ORDER BY n.key`,
  );
  return found.map(({ rows, people }) => ({ rows: Number(rows), people: Number(people) }));
}

/** In days since 1970, as events are counted. Null for all time, and for a window that is too long to add up. */
function daysSince(fromMs: number | null, now: Date): number[] | null {
  if (fromMs === null) return null;
  const first = Math.floor(fromMs / dayMs);
  const days = Math.max(0, Math.floor(now.getTime() / dayMs) - first + 1);
  return days > mostDays ? null : Array.from({ length: days }, (_, n) => first + n);
}
