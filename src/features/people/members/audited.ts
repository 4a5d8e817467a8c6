import { type SQL, sql } from "drizzle-orm";
import type { Id } from "../../../core/ids";
import { asFlag, type Target } from "../../../engine/audit/target";
import type { Project } from "../../../platform/context";

/** Describes a member's rights for the audit log of the project. For a new person, the id can be an SQL expression. */
export function auditedMember({ number }: Project, personId: Id | SQL): Target {
  return {
    project: number,
    type: "person",
    id: personId,
    row: sql`memberships m JOIN people p ON p.id = m.person_id WHERE m.project_id = ${number} AND m.person_id = ${personId}`,
    name: sql`coalesce(p.name, p.email)`,
    fields: {
      role: sql`m.role`,
      maySend: asFlag(sql`m.may_send`),
      seesPersonalData: asFlag(sql`m.sees_personal_data`),
    },
  };
}
