import { sql } from "drizzle-orm";
import { query } from "../../db/commit";
import { mostRowsPerStatement } from "../../db/limits";
import type { Context } from "../../platform/context";
import { getTemplate } from "./template";

export interface TemplateUsage {
  campaigns: { id: string; name: string }[];
  workflowSteps: { id: string; workflowId: string; workflowName: string; name: string }[];
  emailsSent: number;
  approximate?: true;
  countedAt?: string;
}

const mostCounted = mostRowsPerStatement;

/** `GET /templates/{id}/usage`. Campaigns and workflow steps are not here yet, and fill their lists when they come. */
export async function templateUsage(ctx: Context, id: string): Promise<TemplateUsage> {
  const { row } = await getTemplate(ctx, id);
  return { campaigns: [], workflowSteps: [], ...(await countSent(ctx, row.id)) };
}

/** Counted in one small index that holds nothing but these emails, in the order of their rowids. */
async function countSent(
  ctx: Context,
  templateId: string,
): Promise<Pick<TemplateUsage, "emailsSent" | "approximate" | "countedAt">> {
  const sent = sql`emails INDEXED BY ix_emails_template
    WHERE project_id = ${ctx.project.id} AND template_id = ${templateId} AND sent_at IS NOT NULL`;
  const [counted] = await query(
    ctx.db,
    sql`SELECT count(*) AS n, max(place) AS last
      FROM (SELECT rowid AS place FROM ${sent} ORDER BY rowid LIMIT ${mostCounted})`,
  );
  const emailsSent = Number(counted?.n);
  if (emailsSent < mostCounted) return { emailsSent };
  const more = await query(ctx.db, sql`SELECT 1 FROM ${sent} AND rowid > ${counted?.last} LIMIT 1`);
  return more.length === 0 ? { emailsSent } : { emailsSent, approximate: true, countedAt: ctx.now.toISOString() };
}
