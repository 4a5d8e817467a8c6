import { and, eq, sql } from "drizzle-orm";
import type { FilterCondition } from "../../core/audience/condition";
import { NotFound } from "../../core/errors";
import { type Id, publicId } from "../../core/ids";
import { iso } from "../../core/time";
import { asNumber, columns, type RowReader, wholeRow } from "../../db/rows";
import { inProject } from "../../db/scope";
import { selectFirst } from "../../db/statement";
import { type SegmentRow, segments } from "../../db/tables";
import { totalContacts } from "../../engine/contacts/total";
import type { Context, Project } from "../../platform/context";

/** A dynamic segment. It has a condition. */
export type DynamicSegment = SegmentRow & { condition: FilterCondition };

export function isDynamic(segment: SegmentRow): segment is DynamicSegment {
  return segment.condition !== null;
}

export function segmentJson(project: Project, row: SegmentRow) {
  return {
    id: publicId(row.id),
    name: row.name,
    description: row.description,
    type: row.type,
    slug: row.slug,
    condition: row.condition,
    trackMembership: row.trackMembership,
    memberCount: row.memberCount,
    version: row.version,
    projectId: project.id,
    createdAt: iso(row.createdAt),
    updatedAt: iso(row.updatedAt),
  };
}

export async function getSegment(ctx: Context, id: Id): Promise<SegmentRow> {
  const row = await ctx.db
    .select()
    .from(segments)
    .where(and(inProject(ctx), eq(segments.id, id)))
    .get();
  if (!row) throw new NotFound("segment", id);
  return row;
}

export interface SegmentAndTotal {
  segment: SegmentRow;
  /** The number of contacts in the whole project. */
  contacts: number;
}

const readSegment = wholeRow(segments);
const readTotal = columns({ contacts: asNumber });

/** Reads `SELECT *, … AS contacts FROM segments`. */
export const readSegmentAndTotal: RowReader<SegmentAndTotal> = (raw) => ({
  segment: readSegment(raw),
  ...readTotal(raw),
});

/** Returns a segment and the number of contacts in its project. Throws NotFound. */
export async function getSegmentAndTotal(ctx: Context, id: Id): Promise<SegmentAndTotal> {
  const found = await selectFirst(
    ctx.db,
    sql`SELECT *, ${totalContacts(ctx)} AS contacts FROM segments WHERE ${inProject(ctx)} AND id = ${id}`,
    readSegmentAndTotal,
  );
  if (!found) throw new NotFound("segment", id);
  return found;
}
