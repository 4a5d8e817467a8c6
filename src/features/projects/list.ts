import { and, count, desc, isNull, lt } from "drizzle-orm";
import { ById, readCursor } from "../../core/page";
import { projects } from "../../db/tables";
import type { Platform, Project } from "../../platform/context";

/**
 * Lists projects, newest first. Returns one row more than requested, to show whether there are more. Only the first
 * page has a `total`.
 */
export async function listProjects(
  platform: Platform,
  { cursor, limit }: { cursor?: string; limit: number },
): Promise<{ rows: Project[]; total: number }> {
  const [after = null] = readCursor(cursor, ById) ?? [];
  const isHere = isNull(projects.deletedAt);
  const [rows, totals] = await Promise.all([
    platform.control
      .select()
      .from(projects)
      .where(after === null ? isHere : and(isHere, lt(projects.id, after)))
      .orderBy(desc(projects.id))
      .limit(limit + 1),
    after === null ? platform.control.select({ total: count() }).from(projects).where(isHere) : [],
  ]);
  return { rows, total: totals[0]?.total ?? 0 };
}
