import { eq } from "drizzle-orm";
import { NotFound } from "../../core/errors";
import { iso } from "../../core/time";
import { inProject } from "../../db/scope";
import { segments } from "../../db/tables";
import type { Context } from "../../platform/context";

export type SegmentRow = typeof segments.$inferSelect;

export function segmentJson(row: SegmentRow) {
  return {
    id: row.id,
    name: row.name,
    description: row.description,
    type: row.type,
    slug: row.slug,
    condition: row.condition,
    trackMembership: row.trackMembership,
    memberCount: row.memberCount,
    projectId: row.projectId,
    createdAt: iso(row.createdAt),
    updatedAt: iso(row.updatedAt),
  };
}

export async function getSegment(ctx: Context, id: string): Promise<SegmentRow> {
  const row = await ctx.db
    .select()
    .from(segments)
    .where(inProject(segments, ctx, eq(segments.id, id)))
    .get();
  if (!row) throw new NotFound("segment", id);
  return row;
}
