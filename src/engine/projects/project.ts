import { and, eq, isNull } from "drizzle-orm";
import { projects } from "../../db/tables";
import type { Platform, Project } from "../../platform/context";
import { knownProjects } from "./cache";

/** A project as it was at most 30 seconds ago, for jobs; null when it is gone. */
export async function findProject(platform: Platform, id: string): Promise<Project | null> {
  const now = platform.now.getTime();
  const cached = knownProjects.get(id, now);
  if (cached) return cached;
  const row = await platform.control
    .select()
    .from(projects)
    .where(and(eq(projects.id, id), isNull(projects.deletedAt)))
    .get();
  if (row) knownProjects.set(id, row, now);
  return row ?? null;
}
