import { type SQL, sql } from "drizzle-orm";
import { iso, isoOrNull } from "../../core/time";
import type { domains } from "../../db/tables";
import type { Context } from "../../platform/context";

export type DomainRow = typeof domains.$inferSelect;

export function domainJson(row: DomainRow) {
  return {
    id: row.id,
    domain: row.domain,
    status: row.status,
    verified: row.status === "VERIFIED",
    records: row.records,
    lastCheckedAt: isoOrNull(row.lastCheckedAt),
    verifiedAt: isoOrNull(row.verifiedAt),
    projectId: row.projectId,
    createdAt: iso(row.createdAt),
    updatedAt: iso(row.updatedAt),
  };
}

/** A query with a row when the project may send from this domain: to ask inside the statement that depends on it. */
export function verifiedDomain(ctx: Context, domain: string): SQL {
  return sql`SELECT 1 FROM domains WHERE project_id = ${ctx.project.id} AND domain = ${domain} AND status = 'VERIFIED'`;
}
