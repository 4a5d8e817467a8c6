import { eq } from "drizzle-orm";
import { NotFound } from "../../core/errors";
import { iso, isoOrNull } from "../../core/time";
import { inProject } from "../../db/scope";
import { type DomainRow, domains } from "../../db/tables";
import type { Context } from "../../platform/context";

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

export async function getDomain(ctx: Context, id: string): Promise<DomainRow> {
  const row = await ctx.db
    .select()
    .from(domains)
    .where(inProject(domains, ctx, eq(domains.id, id)))
    .get();
  if (!row) throw new NotFound("domain", id);
  return row;
}
