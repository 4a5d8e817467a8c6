import { desc } from "drizzle-orm";
import { inProject } from "../../db/scope";
import { type SegmentRow, segments } from "../../db/tables";
import type { Context } from "../../platform/context";
import { maxSegments } from "./condition-quota";

/** `GET /segments`: lists all segments, newest first. */
export async function listSegments(ctx: Context): Promise<SegmentRow[]> {
  return ctx.db.select().from(segments).where(inProject(ctx)).orderBy(desc(segments.id)).limit(maxSegments);
}
