import { desc } from "drizzle-orm";
import { inProject } from "../../db/scope";
import { segments } from "../../db/tables";
import type { Context } from "../../platform/context";
import { mostSegments } from "./room";
import type { SegmentRow } from "./segment";

/** `GET /segments`: newest first. */
export async function listSegments(ctx: Context): Promise<SegmentRow[]> {
  return ctx.db.select().from(segments).where(inProject(segments, ctx)).orderBy(desc(segments.id)).limit(mostSegments);
}
