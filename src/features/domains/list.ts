import { desc } from "drizzle-orm";
import { NotFound } from "../../core/errors";
import { inProject } from "../../db/scope";
import { type DomainRow, domains } from "../../db/tables";
import type { Context } from "../../platform/context";

/**
 * The maximum number of domains in an answer. A project has a few; the limit only protects memory from a runaway
 * script.
 */
const maxDomains = 1_000;

/** Lists domains, newest first. When the path names a project, it must be the key's own. */
export async function listDomains(ctx: Context, projectId?: string): Promise<DomainRow[]> {
  if (projectId !== undefined && projectId !== ctx.project.id) throw new NotFound("project", projectId);
  return ctx.db.select().from(domains).where(inProject(ctx)).orderBy(desc(domains.id)).limit(maxDomains);
}
