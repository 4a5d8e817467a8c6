import { type SQL, sql } from "drizzle-orm";
import { z } from "zod";
import type { Audience } from "../../core/audience/compile";
import type { SegmentSource } from "../../core/audience/resolver";
import { isJsonObject } from "../../core/json";
import { audienceOf } from "../../db/audience";
import { query } from "../../db/commit";
import { mostAskedPerStatement } from "../../db/limits";
import { readRow } from "../../db/rows";
import { segments } from "../../db/tables";
import { loadSegments } from "../../engine/audience/named-segments";
import { findPath, type Path } from "../../engine/audience/scan-source";
import { aboveAll, belowAll, stretchUp } from "../../engine/audience/scan-window";
import { totalContacts } from "../../engine/contacts/total";
import type { Context } from "../../platform/context";
import { freshness } from "./freshness";
import { type Dynamic, isDynamic } from "./segment";

/**
 * A walk past all contacts of a project for whom the condition of a segment may hold, by id: each is looked at as of one
 * moment. It is plain data, and so may rest in a job between two steps.
 */
export const Walk = z.object({
  /** As it was at the beginning: a step that writes makes sure that it still is. */
  segment: z.custom<Dynamic>(),
  /** What its condition names. When one of these changes on the way, the next walk sees it. */
  named: z.array(z.tuple([z.string(), z.custom<SegmentSource>()])),
  path: z.custom<Path>(isJsonObject),
  at: z.number(),
  /** What the project was at the beginning. */
  of: z.string(),
  /** Contacts up to this id have passed: so many rows of the path, and so many contacts match. */
  after: z.string(),
  passed: z.number(),
  matching: z.number(),
});
export type Walk = z.infer<typeof Walk>;

/** Null when there is no such dynamic segment any more. */
export async function beginWalk(
  ctx: Context,
  segmentId: string,
  { onlyTracked = false }: { onlyTracked?: boolean } = {},
): Promise<Walk | null> {
  const [row] = await query(
    ctx.db,
    sql`SELECT *, ${freshness(sql`${ctx.project.id}`)} AS fresh, ${totalContacts(ctx)} AS contacts
      FROM segments WHERE project_id = ${ctx.project.id} AND id = ${segmentId}`,
  );
  if (!row) return null;
  const segment = readRow(segments, row);
  if (!isDynamic(segment) || (onlyTracked && !segment.trackMembership)) return null;
  const now = ctx.clock();
  const named = await loadSegments(ctx, segment.condition);
  const path = await findPath(ctx, segment.condition, { segments: named, contacts: Number(row.contacts), now });
  return {
    segment,
    named: [...named],
    path,
    at: now.getTime(),
    of: String(row.fresh),
    after: belowAll,
    passed: 0,
    matching: 0,
  };
}

/** How many looks the whole walk takes, or a few more. */
export function looksAhead(walk: Walk): number {
  return Math.ceil(walk.path.rows / mostAskedPerStatement(audienceFor(walk)));
}

function audienceFor({ segment, named, at }: Walk): Audience {
  return audienceOf(segment.condition, new Map(named), new Date(at));
}

export interface Look {
  /** The walk behind the contacts that were looked at. */
  walk: Walk;
  isLast: boolean;
  /** Of the whole path, in percent. */
  progress: number;
  /** The figures that were asked for. */
  found: Record<string, unknown>;
}

/**
 * Looks at the next contacts. `figures` is what else is asked of them, from the `id` of each and whether it `matches`;
 * `beside` is another path of which no more may lie beside them than a statement takes.
 */
export async function lookAtNext(
  ctx: Context,
  walk: Walk,
  { figures, beside }: { figures?: SQL; beside?: Path } = {},
): Promise<Look> {
  const audience = audienceFor(walk);
  const rows = mostAskedPerStatement(audience);
  const { edge, contacts } = stretchUp(ctx, walk.path, { after: walk.after, rows, beside });
  const [found = {}] = await query(
    ctx.db,
    sql`WITH ${audience.values}, ${edge}
      SELECT (SELECT id FROM edge) AS edge, coalesce(sum(matches), 0) AS matching${figures ? sql`, ${figures}` : sql``}
      FROM (SELECT c.id, ${audience.matches} AS matches ${contacts})`,
  );
  const passed = walk.passed + rows;
  const after = String(found.edge);
  return {
    walk: { ...walk, after, passed, matching: walk.matching + Number(found.matching) },
    isLast: after === aboveAll,
    progress: (100 * passed) / Math.max(passed, walk.path.rows),
    found,
  };
}
