import { sql } from "drizzle-orm";
import { shownName } from "../../core/people/visitor";
import { asText, columns, orNull } from "../../db/rows";
import { select } from "../../db/statement";
import type { Platform, Project } from "../../platform/context";

const maxNamed = 3;

/**
 * Returns the names of a few people who may send in a project, members first, so that an editor who may not send knows
 * whom to ask.
 */
export async function findSenders({ control }: Platform, project: Project): Promise<string[]> {
  const rows = await select(
    control,
    sql`SELECT name, email FROM (
        SELECT p.name, p.email, 0 AS rank FROM memberships m JOIN people p ON p.id = m.person_id
          WHERE m.project_id = ${project.number} AND m.role <> 'viewer' AND m.may_send
        UNION SELECT name, email, 1 FROM people WHERE is_owner)
      ORDER BY rank, email LIMIT ${maxNamed}`,
    columns({ name: orNull(asText), email: asText }),
  );
  return rows.map(shownName);
}
