import { sql } from "drizzle-orm";
import { installation } from "../../core/audit/call";
import type { Id } from "../../core/ids";
import type { Target } from "../../engine/audit/target";

/** Describes a person for the audit log of the installation. */
export function auditedPerson(id: Id): Target {
  return {
    project: installation,
    type: "person",
    id,
    row: sql`people WHERE id = ${id}`,
    name: sql`coalesce(name, email)`,
    fields: { email: sql`email`, name: sql`name`, locale: sql`locale`, role: sql`iif(is_owner, 'owner', NULL)` },
  };
}
