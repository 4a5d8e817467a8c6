import { sql } from "drizzle-orm";
import { type FieldFault, Invalid } from "../../../core/errors";
import type { Id } from "../../../core/ids";
import type { Visitor } from "../../../core/people/visitor";
import { openBatch } from "../../../db/batch";
import { statement } from "../../../db/statement";
import { recordChange } from "../../../engine/audit/record-change";
import { forgetVisitors } from "../../../engine/people/cache";
import { requireStanding } from "../../../engine/people/standing";
import { requireProject } from "../../../engine/projects/project";
import type { Platform } from "../../../platform/context";
import { noPerson } from "../person";
import { auditedMember } from "./audited";
import { findMember, memberJson, readMember, selectMembers } from "./member";
import { onlyEditors, onlyViewers, type UpdateMember } from "./schema";

/**
 * Changes a member's rights in a project. The change takes effect everywhere within 30 seconds. `maySend` and
 * `seesPersonalData` become true if the new role does not allow them to be false.
 */
export async function updateMember(
  platform: Platform,
  { projectId, personId }: { projectId: string; personId: Id },
  { role, maySend, seesPersonalData }: UpdateMember,
  by: Visitor | undefined,
) {
  const project = await requireProject(platform, projectId);
  await findMember(platform, project, personId);
  const own = sql`person_id = ${personId} AND project_id = ${project.number}`;
  const becomes = sql`coalesce(${role ?? null}, role)`;
  const isNot = (other: string) => sql`NOT EXISTS (SELECT 1 FROM memberships WHERE ${own} AND ${becomes} <> ${other})`;
  const batch = openBatch(platform, platform.control);
  batch.mayRepeat();
  requireStanding(batch, by, project.number);
  // Checked within the batch, because another call could change the role at the same time.
  if (maySend === false) batch.guard(isNot("editor"), () => notFor("maySend", onlyEditors));
  if (seesPersonalData === false) batch.guard(isNot("viewer"), () => notFor("seesPersonalData", onlyViewers));
  recordChange(batch, platform, auditedMember(project, personId));
  const flag = (value: boolean | undefined) => (value === undefined ? null : value ? 1 : 0);
  batch.add(
    statement(sql`UPDATE memberships SET role = ${becomes},
        may_send = CASE WHEN ${becomes} = 'editor' THEN coalesce(${flag(maySend)}, may_send) ELSE 1 END,
        sees_personal_data = CASE WHEN ${becomes} = 'viewer' THEN coalesce(${flag(seesPersonalData)}, sees_personal_data)
          ELSE 1 END
      WHERE ${own}`),
  );
  const found = batch.add(statement(selectMembers(project, sql`m.person_id = ${personId}`), readMember));
  await batch.commit();
  forgetVisitors();
  if (!found.first) throw noPerson(personId);
  return memberJson(found.first);
}

function notFor(field: string, message: string): Invalid {
  const fault: FieldFault = { field, message, code: "custom", received: false };
  return new Invalid([fault]);
}
