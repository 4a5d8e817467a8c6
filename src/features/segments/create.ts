import { type SQL, sql } from "drizzle-orm";
import type { FilterCondition } from "../../core/audience/condition";
import { referencesOf } from "../../core/audience/references";
import { newId } from "../../core/ids";
import { slugOf } from "../../core/segments/slug";
import { commit, statement, untilFresh } from "../../db/commit";
import { readRow } from "../../db/rows";
import { type SegmentRow, segments } from "../../db/tables";
import { checkCondition } from "../../engine/audience/named-segments";
import { recordReferences } from "../../engine/audience/record-references";
import type { Context } from "../../platform/context";
import { guardRoom, refuseForRoom } from "./room";
import type { CreateSegment } from "./schema";
import { withCount } from "./with-count";

/**
 * `POST /segments`. Throws Invalid and Conflict. Who is in it is not told by events here, and no member is written: that
 * is for the first computation, which the sweep comes to soon.
 */
export async function createSegment(ctx: Context, input: CreateSegment): Promise<SegmentRow> {
  const { type } = input;
  const condition = type === "STATIC" ? null : (input.condition ?? null);
  return withCount(ctx, await untilFresh(() => insertSegment(ctx, input, condition), ctx.random));
}

async function insertSegment(
  ctx: Context,
  { name, description, trackMembership }: CreateSegment,
  condition: FilterCondition | null,
): Promise<SegmentRow> {
  const checked = condition && (await checkCondition(ctx, condition));
  const id = newId();
  const now = ctx.now.getTime();
  const isTracked = trackMembership ?? false;
  const isDynamic = condition !== null;
  const insert = sql`INSERT INTO segments (id, project_id, name, description, type, slug, condition, track_membership,
      counted_at, next_count_at, next_compute_at, created_at, updated_at)
    VALUES (${id}, ${ctx.project.id}, ${name}, ${description || null}, ${isDynamic ? "DYNAMIC" : "STATIC"},
      (${freeSlug(ctx, slugOf(name))}), ${condition && JSON.stringify(condition)}, ${isTracked}, ${now},
      ${isDynamic ? now : null}, ${isDynamic && isTracked ? now : null}, ${now}, ${now})
    RETURNING *`;
  const statements = [
    ...guardRoom(ctx, id, condition),
    ...(checked ? [checked.unmoved] : []),
    ...recordReferences(ctx, { referrer: "segment", id, name }, condition ? referencesOf(condition) : {}),
    statement(ctx.db, insert),
  ];
  return readRow(segments, (await commit(ctx.db, statements).catch(refuseForRoom)).at(-1)?.[0]);
}

/** The first of `vip`, `vip-2`, `vip-3` … that no segment of the project has at the moment of the insert. */
function freeSlug(ctx: Context, slug: string): SQL {
  return sql`WITH RECURSIVE tried (n, slug) AS (
      SELECT 1, ${slug}
      UNION ALL SELECT n + 1, ${slug} || '-' || (n + 1) FROM tried
        WHERE EXISTS (SELECT 1 FROM segments s WHERE s.project_id = ${ctx.project.id} AND s.slug = tried.slug))
    SELECT slug FROM tried ORDER BY n DESC LIMIT 1`;
}
