import { type SQL, sql } from "drizzle-orm";
import type { FilterCondition, SegmentSource } from "../../core/audience/condition";
import { topicField } from "../../core/audience/fields";
import { nestingFaults } from "../../core/audience/nesting";
import { referencesOf, topicsIn } from "../../core/audience/references";
import { type FieldFault, Invalid } from "../../core/errors";
import { belowAllIds, type Id, publicId, readId } from "../../core/ids";
import { unknownTopic } from "../../core/topics";
import type { Segments } from "../../db/audience";
import { Stale } from "../../db/fresh";
import { asText, columns, wholeRow } from "../../db/rows";
import { inProject } from "../../db/scope";
import { guard, type Statement, select } from "../../db/statement";
import { type SegmentRow, segments } from "../../db/tables";
import { unknownTopics } from "../../db/topics";
import type { Context } from "../../platform/context";

/**
 * Loads the segments that a saved, valid condition names, for `audienceOf`. Conditions name segments by public ids,
 * whereas rows and references use stored ids; this function translates.
 */
export async function loadSegments(ctx: Context, condition: FilterCondition): Promise<Segments> {
  const { segments: named } = referencesOf(condition);
  if (named.length === 0) return new Map();
  return sourcesOf(await findNamed(ctx, { named: named.map(readId) }));
}

/** A condition that passed all checks and may be saved. */
export interface CheckedCondition {
  segments: Segments;
  /**
   * The guard for the start of the batch that saves the condition. It fails if a segment that the check read has
   * changed, or if a topic of the condition no longer exists. Two conditions that name each other therefore cannot both
   * be saved at the same moment.
   */
  unmoved: Statement;
}

/**
 * Refuses a condition that names unknown segments or topics, contains its own segment, or is too large together with
 * the segments it names. The size includes the conditions of tracked segments, which are needed once tracking ends.
 * `own` is the segment whose condition changes: segments that name it must remain valid with the new condition. `at` is
 * the path of the condition in the call.
 */
export async function checkCondition(
  ctx: Context,
  condition: FilterCondition,
  { at = "condition", own }: { at?: string; own?: SegmentRow } = {},
): Promise<CheckedCondition> {
  const { segments: named } = referencesOf(condition);
  const search = { named: named.map(readId), ...(own && { ownId: own.id }) };
  const found = named.length === 0 && !own ? [] : await findNamed(ctx, search);
  const rowOf = new Map(found.map((row) => [publicId(row.id), row]));
  const ownId = own && publicId(own.id);
  const conditionOf = (id: string): SegmentSource | undefined => {
    if (id === ownId) return condition;
    const row = rowOf.get(id);
    return row && (row.condition ?? "members");
  };
  const faults = [
    ...nestingFaults(condition, conditionOf, { at, ...(ownId && { ownId }) }),
    ...(await topicFaults(ctx, condition, at)),
  ];
  if (faults.length > 0) throw new Invalid(faults);
  const others = found.filter(({ id }) => id !== own?.id);
  const brokenReferrers = others.flatMap((row) => faultsCausedIn(row, conditionOf));
  if (brokenReferrers.length > 0) throw new Invalid(brokenReferrers);
  return { segments: sourcesOf(found), unmoved: guardUnmoved(ctx, found, condition) };
}

/** Returns the faults that a changed condition causes in a segment that names the changed segment. */
function faultsCausedIn(row: SegmentRow, conditionOf: (id: string) => SegmentSource | undefined): FieldFault[] {
  if (row.condition === null) return [];
  const ownId = publicId(row.id);
  return nestingFaults(row.condition, conditionOf, { at: "condition", ownId }).map((fault) => ({
    field: "condition",
    code: fault.code,
    message: `The segment ${row.name} (${ownId}) uses this one, and its condition would become invalid: ${fault.message}`,
  }));
}

/**
 * Returns how to find the members of a segment. A tracked segment has member rows once it has been computed for the
 * first time.
 */
export function sourceOf({ condition, trackMembership, computedAt }: SegmentRow): SegmentSource {
  return condition === null || (trackMembership && computedAt !== null) ? "members" : condition;
}

/** Returns, by the public id of each segment, how to find its members. */
export function sourcesOf(rows: SegmentRow[]): Segments {
  return new Map(rows.map((row) => [publicId(row.id), sourceOf(row)]));
}

/** The maximum number of segments that one statement reads. The condition of one segment can be about 100 KB long. */
const rowsPerRead = 25;

/**
 * Finds the segments with the ids in `named`, the segments that name `ownId`, and all segments that any of them name,
 * directly or through other segments. The query follows the stored references and evaluates no condition.
 */
async function findNamed(ctx: Context, search: { named: Id[]; ownId?: Id }): Promise<SegmentRow[]> {
  const found: SegmentRow[] = [];
  for (;;) {
    const after = found.at(-1)?.id ?? belowAllIds;
    const rows = await select(
      ctx.db,
      sql`WITH RECURSIVE ${reachable(ctx, search)}
        SELECT s.* FROM reachable CROSS JOIN segments s ON ${inProject(ctx, "s")} AND s.id = reachable.id
        WHERE s.id > ${after} ORDER BY s.id LIMIT ${rowsPerRead}`,
      wholeRow(segments),
    );
    found.push(...rows);
    if (rows.length < rowsPerRead) return found;
  }
}

function reachable(ctx: Context, { named, ownId = belowAllIds }: { named: Id[]; ownId?: Id }): SQL {
  const bySegment = sql`${inProject(ctx, "r")} AND r.kind = 'segment' AND r.referrer = 'segment'`;
  return sql`namers (id) AS (
      SELECT ${ownId}
      UNION SELECT r.referrer_id FROM namers CROSS JOIN audience_references r ON r.name = namers.id AND ${bySegment}),
    reachable (id) AS (
      SELECT value FROM json_each(${JSON.stringify(named)})
      UNION SELECT id FROM namers
      UNION SELECT r.name FROM reachable CROSS JOIN audience_references r ON r.referrer_id = reachable.id AND ${bySegment})`;
}

function guardUnmoved(ctx: Context, read: SegmentRow[], condition: FilterCondition): Statement {
  const versions = JSON.stringify(read.map(({ id, version }) => ({ id, version })));
  const moved = sql`SELECT 1 FROM json_each(${versions}) r
    LEFT JOIN segments s ON ${inProject(ctx, "s")} AND s.id = r.value->>'id'
    WHERE s.version IS NOT r.value->>'version'`;
  const slugs = [...topicsIn(condition)].map(({ slug }) => slug);
  const known = slugs.length === 0 ? sql`` : sql` AND NOT EXISTS (${unknownTopics(ctx, slugs)})`;
  return guard(sql`NOT EXISTS (${moved})${known}`, () => new Stale());
}

/** Returns a fault for each topic in the condition that the project does not have, or has deleted. */
async function topicFaults(ctx: Context, condition: FilterCondition, at: string): Promise<FieldFault[]> {
  const named = [...topicsIn(condition)];
  if (named.length === 0) return [];
  const query = unknownTopics(
    ctx,
    named.map(({ slug }) => slug),
  );
  const unknown = new Set((await select(ctx.db, query, columns({ slug: asText }))).map(({ slug }) => slug));
  return named.flatMap(({ slug, path }): FieldFault[] => {
    if (!unknown.has(slug)) return [];
    return [{ field: `${at}.${path}`, code: "custom", message: unknownTopic(slug), received: topicField(slug) }];
  });
}
