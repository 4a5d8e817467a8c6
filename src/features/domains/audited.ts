import { sql } from "drizzle-orm";
import type { Id } from "../../core/ids";
import { inProject, type Owner } from "../../db/scope";
import type { Target } from "../../engine/audit/target";

/** Describes a domain for the audit log. */
export function auditedDomain(owner: Owner, id: Id): Target {
  return {
    project: owner.project.number,
    type: "domain",
    id,
    row: sql`domains WHERE ${inProject(owner)} AND id = ${id}`,
    name: sql`domain`,
    fields: { domain: sql`domain`, status: sql`status` },
  };
}
