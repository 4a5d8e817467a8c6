import { type SQL, sql } from "drizzle-orm";
import type { Id } from "../../../core/ids";
import { publicId } from "../../../core/ids";
import type { ProjectRole } from "../../../core/people/role";
import { iso, isoOrNull } from "../../../core/time";
import { asFlag, asId, asNumber, asOneOf, asText, columns, orNull } from "../../../db/rows";
import { selectFirst } from "../../../db/statement";
import type { Platform, Project } from "../../../platform/context";
import { noPerson } from "../person";

export const readMember = columns({
  id: asId,
  email: asText,
  name: orNull(asText),
  locale: orNull(asText),
  role: asOneOf<ProjectRole>(),
  maySend: asFlag,
  seesPersonalData: asFlag,
  createdAt: asNumber,
  lastSeenAt: orNull(asNumber),
});
export type MemberRow = ReturnType<typeof readMember>;

/** Selects the members `m` of a project that match a condition. */
export function selectMembers({ number }: Project, condition: SQL): SQL {
  return sql`SELECT p.id, p.email, p.name, p.locale, m.role, m.may_send, m.sees_personal_data, m.created_at, p.last_seen_at
    FROM memberships m JOIN people p ON p.id = m.person_id WHERE m.project_id = ${number} AND ${condition}`;
}

/** Throws NotFound when no member of the project has this id. */
export async function findMember({ control }: Platform, project: Project, id: Id): Promise<MemberRow> {
  const row = await selectFirst(control, selectMembers(project, sql`m.person_id = ${id}`), readMember);
  if (row === null) throw noPerson(id);
  return row;
}

export function memberJson({ id, createdAt, lastSeenAt, ...rest }: MemberRow) {
  return { id: publicId(id), ...rest, createdAt: iso(createdAt), lastSeenAt: isoOrNull(lastSeenAt) };
}
