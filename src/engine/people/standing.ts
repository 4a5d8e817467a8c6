import { type SQL, sql } from "drizzle-orm";
import { RoleTooLow } from "../../core/people/errors";
import type { Visitor } from "../../core/people/visitor";
import type { Batch } from "../../db/batch";

/**
 * Guards a change to people: fails when the visitor has lost the right to it within the 30 seconds for which sessions
 * are cached. Otherwise that visitor could restore their own access. Without a visitor, the caller is the operator.
 */
export function requireStanding(batch: Batch, visitor: Visitor | undefined, projectNumber: number | null): void {
  if (visitor === undefined) return;
  const { id } = visitor.person;
  const isOwner = sql`EXISTS (SELECT 1 FROM people WHERE id = ${id} AND is_owner)`;
  if (projectNumber === null) {
    batch.guard(isOwner, () => new RoleTooLow(null, { role: "owner" }));
  } else {
    batch.guard(sql`(${isOwner} OR ${isAdmin(id, projectNumber)})`, () => new RoleTooLow(null, { role: "admin" }));
  }
}

function isAdmin(personId: Visitor["person"]["id"], projectNumber: number): SQL {
  return sql`EXISTS (SELECT 1 FROM memberships
    WHERE person_id = ${personId} AND project_id = ${projectNumber} AND role = 'admin')`;
}
