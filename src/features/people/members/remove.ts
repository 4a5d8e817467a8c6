import { sql } from "drizzle-orm";
import type { Id } from "../../../core/ids";
import type { Visitor } from "../../../core/people/visitor";
import { openBatch } from "../../../db/batch";
import { statement } from "../../../db/statement";
import { recordChange } from "../../../engine/audit/record-change";
import { forgetVisitors } from "../../../engine/people/cache";
import { requireStanding } from "../../../engine/people/standing";
import { requireProject } from "../../../engine/projects/project";
import type { Platform } from "../../../platform/context";
import { auditedMember } from "./audited";
import { findMember } from "./member";

/**
 * Removes a person from a project; they lose access everywhere within 30 seconds. Their rights in other projects stay.
 */
export async function removeMember(
  platform: Platform,
  { projectId, personId }: { projectId: string; personId: Id },
  by: Visitor | undefined,
): Promise<void> {
  const project = await requireProject(platform, projectId);
  await findMember(platform, project, personId);
  const own = sql`FROM memberships WHERE person_id = ${personId} AND project_id = ${project.number}`;
  const batch = openBatch(platform, platform.control);
  batch.recognise(sql`NOT EXISTS (SELECT 1 ${own})`);
  requireStanding(batch, by, project.number);
  recordChange(batch, platform, auditedMember(project, personId));
  batch.add(statement(sql`DELETE ${own}`));
  await batch.commit();
  forgetVisitors();
}
