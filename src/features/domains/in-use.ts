import { type SQL, sql } from "drizzle-orm";
import { domainInSql } from "../../engine/mail/sender-domain";
import type { Context } from "../../platform/context";
import { templatesFrom } from "../templates/template";

/** A query with a row for each resource that needs this sender domain. Other kinds of senders are added here. */
export function usesOfDomain(ctx: Context, domain: string): SQL {
  return sql`SELECT 'template' AS type, id, name FROM (${templatesFrom(ctx, domain)})
    UNION ALL SELECT 'email', e.id, content.subject FROM emails e INDEXED BY ix_emails_scheduled
      CROSS JOIN email_contents content ON content.project_id = e.project_id AND content.id = e.content_id
      WHERE e.project_id = ${ctx.project.number} AND e.status = 'QUEUED' AND e.scheduled_at IS NOT NULL
        AND ${domainInSql(sql`content.from_email`)} = ${domain}`;
}
