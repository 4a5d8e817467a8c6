import { desc } from "drizzle-orm";
import { NotFound } from "../../core/errors";
import { inProject } from "../../db/scope";
import { type DomainRow, domains } from "../../db/tables";
import type { Context } from "../../platform/context";

/** A project has a handful; the cap only keeps a runaway script from filling memory. */
const maxDomains = 1_000;

/** The path names the project, which must be the key's own. Newest first. */
export async function listDomains(ctx: Context, projectId: string): Promise<DomainRow[]> {
  if (projectId !== ctx.project.id) throw new NotFound("project", projectId);
  return ctx.db.select().from(domains).where(inProject(domains, ctx)).orderBy(desc(domains.id)).limit(maxDomains);
}
