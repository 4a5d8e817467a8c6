import { type SQL, sql } from "drizzle-orm";
import { inProject } from "../../db/scope";
import { domainInSql } from "../../db/sender-domain";
import { templatesFrom } from "../../db/templates";
import type { Context } from "../../platform/context";

/** Selects each resource that needs this sender domain. A new kind of sender must be added here. */
export function usesOfDomain(ctx: Context, domain: string): SQL {
  return sql`SELECT 'template' AS type, id, name FROM (${templatesFrom(ctx, domain)})
    UNION ALL SELECT 'email', e.id, content.subject FROM emails e INDEXED BY ix_emails_scheduled
      CROSS JOIN email_contents content ON content.project_id = e.project_id AND content.id = e.content_id
      WHERE ${inProject(ctx, "e")} AND e.status = 'QUEUED' AND e.scheduled_at IS NOT NULL
        AND ${domainInSql(sql`content.from_email`)} = ${domain}
    UNION ALL SELECT 'campaign', c.id, c.name FROM campaigns c
      WHERE ${inProject(ctx, "c")} AND c.status IN ('SCHEDULED', 'SENDING')
        AND (${domainInSql(sql`c.from_email`)} = ${domain} OR EXISTS (SELECT 1 FROM json_each(c.variants) v
          WHERE ${domainInSql(sql`v.value->>'from'`)} = ${domain}))`;
}
