import { type SQL, sql } from "drizzle-orm";
import { z } from "zod";
import type { FilterCondition } from "../../core/audience/condition";
import type { SegmentSource } from "../../core/audience/resolver";
import { audienceOf } from "../../db/audience";
import { query } from "../../db/commit";
import { readRow } from "../../db/rows";
import { segments } from "../../db/tables";
import type { Context } from "../../platform/context";
import { totalContacts } from "../contacts/total";
import { loadSegments } from "./audience";
import { freshness } from "./freshness";
import type { SegmentRow } from "./segment";

/** A dynamic segment, which has a condition. */
export type Dynamic = SegmentRow & { condition: FilterCondition };

/**
 * A walk through all contacts of a project, by id: each is looked at with one condition, as of one moment. It is plain
 * data, and so may rest in a job between two steps.
 */
export const Walk = z.object({
  /** As it was at the beginning: a step that writes makes sure that it still is. */
  segment: z.custom<Dynamic>(),
  /** What its condition names. When one of these changes on the way, the next walk sees it. */
  named: z.array(z.tuple([z.string(), z.custom<SegmentSource>()])),
  at: z.number(),
  /** What the project was at the beginning. */
  of: z.string(),
  /** Contacts up to this id have passed: so many, and so many of them match. */
  after: z.string(),
  passed: z.number(),
  matching: z.number(),
});
export type Walk = z.infer<typeof Walk>;

/** Null when there is no such dynamic segment any more. `contacts` is how many the walk has before it. */
export async function beginWalk(
  ctx: Context,
  segmentId: string,
  { onlyTracked = false }: { onlyTracked?: boolean } = {},
): Promise<{ walk: Walk; contacts: number } | null> {
  const [row] = await query(
    ctx.db,
    sql`SELECT *, ${freshness(sql`${ctx.project.id}`)} AS fresh, ${totalContacts(ctx)} AS contacts
      FROM segments WHERE project_id = ${ctx.project.id} AND id = ${segmentId}`,
  );
  if (!row) return null;
  const segment = readRow(segments, row);
  const { condition } = segment;
  if (condition === null || (onlyTracked && !segment.trackMembership)) return null;
  const named = [...(await loadSegments(ctx, condition))];
  const at = ctx.clock().getTime();
  const walk = {
    segment: { ...segment, condition },
    named,
    at,
    of: String(row.fresh),
    after: "",
    passed: 0,
    matching: 0,
  };
  return { walk, contacts: Number(row.contacts) };
}

export interface Look {
  /** The walk behind the contacts that were looked at. */
  walk: Walk;
  isLast: boolean;
  /** Of all contacts, in percent. */
  progress: number;
  /** The figures that were asked for. */
  found: Record<string, unknown>;
}

/**
 * Looks at the next contacts. `column` is what else is asked of each, `c`, and `figures` what of all of them together,
 * from their `id`, whether each `matches`, and the column.
 */
export async function lookAtNext(
  ctx: Context,
  walk: Walk,
  { contacts, column, figures }: { contacts: number; column?: SQL; figures?: SQL },
): Promise<Look> {
  const { condition } = walk.segment;
  const { values, matches } = audienceOf(condition, new Map(walk.named), new Date(walk.at));
  const [found = {}] = await query(
    ctx.db,
    sql`WITH ${values}
      SELECT count(*) AS contacts, max(id) AS last, coalesce(sum(matches), 0) AS matching,
        ${totalContacts(ctx)} AS of_all${figures ? sql`, ${figures}` : sql``}
      FROM (SELECT c.id, ${matches} AS matches${column ? sql`, ${column}` : sql``}
        FROM contacts c INDEXED BY ix_contacts_project_id
        WHERE c.project_id = ${ctx.project.id} AND c.id > ${walk.after} ORDER BY c.id LIMIT ${contacts})`,
  );
  const seen = Number(found.contacts);
  const passed = walk.passed + seen;
  return {
    walk: {
      ...walk,
      after: seen === 0 ? walk.after : String(found.last),
      passed,
      matching: walk.matching + Number(found.matching),
    },
    isLast: seen < contacts,
    progress: (100 * passed) / Math.max(1, passed, Number(found.of_all)),
    found,
  };
}
