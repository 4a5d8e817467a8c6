import { and, eq, isNull } from "drizzle-orm";
import { NotFound } from "../../core/errors";
import { projects } from "../../db/tables";
import { forgetProjects } from "../../engine/projects/cache";
import type { Platform, Project } from "../../platform/context";
import type { UpdateProject } from "./schema";

/** Changes the given fields. Enabling a project again clears the reason why it was disabled. */
export async function updateProject(platform: Platform, id: string, change: UpdateProject): Promise<Project> {
  const reason = change.disabled === false ? { disabledReason: null } : {};
  const fromName = change.fromName === "" ? { fromName: null } : {};
  const row = await platform.control
    .update(projects)
    .set({ ...change, ...reason, ...fromName, updatedAt: platform.now.getTime() })
    .where(and(eq(projects.id, id), isNull(projects.deletedAt)))
    .returning()
    .get();
  if (!row) throw new NotFound("project", id);
  forgetProjects();
  return row;
}
