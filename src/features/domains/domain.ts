import { and, eq } from "drizzle-orm";
import { NotFound } from "../../core/errors";
import { type Id, publicId } from "../../core/ids";
import { iso, isoOrNull } from "../../core/time";
import { inProject } from "../../db/scope";
import { type DomainRow, domains } from "../../db/tables";
import type { Context, Project } from "../../platform/context";

export function domainJson(project: Project, row: DomainRow) {
  return {
    id: publicId(row.id),
    domain: row.domain,
    status: row.status,
    verified: row.status === "VERIFIED",
    records: row.records,
    lastCheckedAt: isoOrNull(row.lastCheckedAt),
    verifiedAt: isoOrNull(row.verifiedAt),
    projectId: project.id,
    createdAt: iso(row.createdAt),
    updatedAt: iso(row.updatedAt),
  };
}

export async function getDomain(ctx: Context, id: Id): Promise<DomainRow> {
  const row = await ctx.db
    .select()
    .from(domains)
    .where(and(inProject(ctx), eq(domains.id, id)))
    .get();
  if (!row) throw new NotFound("domain", id);
  return row;
}
