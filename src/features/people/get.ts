import { sql } from "drizzle-orm";
import type { Id } from "../../core/ids";
import type { ProjectRole } from "../../core/people/role";
import { asFlag, asOneOf, asText, columns, wholeRow } from "../../db/rows";
import { select, selectFirst } from "../../db/statement";
import { type PersonRow, people } from "../../db/tables";
import type { Platform } from "../../platform/context";
import { noPerson, personJson } from "./person";

/** The maximum number of projects that the answer lists. */
const maxProjects = 1_000;

const readProject = columns({
  id: asText,
  name: asText,
  role: asOneOf<ProjectRole>(),
  maySend: asFlag,
  seesPersonalData: asFlag,
});

/** Returns a person and their rights in each project. */
export async function getPerson(platform: Platform, id: Id) {
  const [person, projects] = await Promise.all([
    findPerson(platform, id),
    select(
      platform.control,
      sql`SELECT p.id, p.name, m.role, m.may_send, m.sees_personal_data
        FROM memberships m JOIN projects p ON p.number = m.project_id
        WHERE m.person_id = ${id} AND p.deleted_at IS NULL ORDER BY m.project_id LIMIT ${maxProjects}`,
      readProject,
    ),
  ]);
  return { ...personJson(person), projects };
}

/** Throws NotFound when the person does not exist. */
export async function findPerson({ control }: Platform, id: Id): Promise<PersonRow> {
  const row = await selectFirst(control, sql`SELECT * FROM people WHERE id = ${id}`, wholeRow(people));
  if (row === null) throw noPerson(id);
  return row;
}
