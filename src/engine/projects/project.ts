import { and, eq, isNull, type SQL } from "drizzle-orm";
import { NotFound } from "../../core/errors";
import { isMoving } from "../../core/operating/project-move";
import { projects } from "../../db/tables";
import type { Platform, Project } from "../../platform/context";
import { knownProjects, refreshLater } from "./cache";

/**
 * Returns a project for jobs, from a cache that is at most 30 seconds old; null when the project is deleted. A disabled
 * project is always read again.
 */
export function findProject(platform: Platform, number: number): Promise<Project | null> {
  return find(platform, String(number), eq(projects.number, number));
}

/** Like `findProject`, by the project's public UUID, for links and for providers' reports. */
export function findProjectById(platform: Platform, id: string): Promise<Project | null> {
  return find(platform, id, eq(projects.id, id));
}

/** Throws NotFound when the project does not exist. */
export async function requireProject(platform: Platform, id: string): Promise<Project> {
  const project = await findProjectById(platform, id);
  if (project === null) throw new NotFound("project", id);
  return project;
}

async function find(platform: Platform, name: string, isMeant: SQL): Promise<Project | null> {
  const now = platform.now.getTime();
  const cached = knownProjects.get(name, now);
  if (cached && knownProjects.isAgeing(name, now)) refreshLater(platform, () => read(platform, name, isMeant, now));
  return cached ?? read(platform, name, isMeant, now);
}

/** Reads the project, and caches it. */
async function read(platform: Platform, name: string, isMeant: SQL, now: number): Promise<Project | null> {
  const row = await platform.control
    .select()
    .from(projects)
    .where(and(isMeant, isNull(projects.deletedAt)))
    .get();
  // Three kinds of project are not cached. The time of a project with its own clock is in its row. A cached "disabled"
  // would fail or cancel new mail after the project was enabled again. A project that is being moved changes its
  // database.
  if (row && !row.testClock && !row.disabled && !isMoving(row)) knownProjects.set(name, row, now);
  else knownProjects.delete(name);
  return row ?? null;
}
