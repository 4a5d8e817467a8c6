import { sql } from "drizzle-orm";
import { query } from "../../db/commit";
import type { Context } from "../../platform/context";
import { getTemplate } from "./template";

export interface TemplateUsage {
  campaigns: { id: string; name: string }[];
  workflowSteps: { id: string; workflowId: string; workflowName: string; name: string }[];
  emailsSent: number;
}

/**
 * `GET /templates/{id}/usage`. Campaigns and workflow steps are not here yet, and fill their lists when they come.
 * Counted in one small index that holds nothing but these emails.
 */
export async function templateUsage(ctx: Context, id: string): Promise<TemplateUsage> {
  const { row } = await getTemplate(ctx, id);
  const [counted] = await query(
    ctx.db,
    sql`SELECT count(*) AS n FROM emails INDEXED BY ix_emails_template
      WHERE project_id = ${ctx.project.id} AND template_id = ${row.id} AND sent_at IS NOT NULL`,
  );
  return { campaigns: [], workflowSteps: [], emailsSent: Number(counted?.n) };
}
