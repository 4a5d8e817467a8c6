import { sql } from "drizzle-orm";
import { publicId } from "../../core/ids";
import { hasProof, rightsIn, type Visitor } from "../../core/people/visitor";
import { iso, isoOrNull } from "../../core/time";
import { asFlag, asNumber, asText, columns } from "../../db/rows";
import { select } from "../../db/statement";
import type { Platform } from "../../platform/context";

/** The maximum number of projects that the answer lists. An owner finds the others with `GET /admin/projects`. */
const maxProjects = 1_000;

const readProject = columns({ number: asNumber, id: asText, name: asText, disabled: asFlag, testClock: asFlag });

/** Implements `GET /console/me`: returns the person and, for each of their projects, their rights. */
export async function meOf({ control, now }: Platform, visitor: Visitor) {
  const { person, memberships, provedAt } = visitor;
  const isTheirs = person.isOwner
    ? sql`true`
    : sql`number IN (SELECT value FROM json_each(${JSON.stringify([...memberships.keys()])}))`;
  const projects = await select(
    control,
    sql`SELECT number, id, name, disabled, test_clock FROM projects WHERE deleted_at IS NULL AND ${isTheirs}
      ORDER BY name, number LIMIT ${maxProjects}`,
    readProject,
  );
  return {
    person: personOf(visitor),
    isOwner: person.isOwner,
    provedAt: isoOrNull(provedAt),
    hasProof: hasProof(visitor, now.getTime()),
    projects: projects.flatMap(({ number, ...project }) => {
      const rights = rightsIn(visitor, number);
      return rights ? [{ ...project, ...rights }] : [];
    }),
  };
}

function personOf({ person: { id, email, name, locale, createdAt } }: Visitor) {
  return { id: publicId(id), email, name, locale, createdAt: iso(createdAt) };
}
