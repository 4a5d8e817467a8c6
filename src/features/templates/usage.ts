import { sql } from "drizzle-orm";
import type { Id } from "../../core/ids";
import { asNumber, columns } from "../../db/rows";
import { selectOne } from "../../db/statement";
import type { Context } from "../../platform/context";
import { getTemplate } from "./template";

export interface TemplateUsage {
  campaigns: { id: string; name: string }[];
  workflowSteps: { id: string; workflowId: string; workflowName: string; name: string }[];
  emailsSent: number;
}

/** `GET /templates/{id}/usage`. The lists of campaigns and workflow steps stay empty until these exist. */
export async function templateUsage(ctx: Context, id: Id): Promise<TemplateUsage> {
  const { row } = await getTemplate(ctx, id);
  return { campaigns: [], workflowSteps: [], emailsSent: await countSent(ctx, row.id) };
}

/** The sum over its months. Each month is one step in the key, however much else the project sends. */
async function countSent(ctx: Context, templateId: Id): Promise<number> {
  const ofProject = sql`monthly_usage WHERE project_id = ${ctx.project.number}`;
  const { emailsSent } = await selectOne(
    ctx.db,
    sql`WITH RECURSIVE months (month) AS (
        SELECT min(month) FROM ${ofProject}
        UNION ALL
        SELECT (SELECT min(month) FROM ${ofProject} AND month > months.month) FROM months WHERE months.month IS NOT NULL)
      SELECT coalesce(sum(u.emails), 0) AS emails_sent FROM months
      CROSS JOIN monthly_usage u ON u.project_id = ${ctx.project.number} AND u.month = months.month
        AND u.template_id = ${templateId}`,
    columns({ emailsSent: asNumber }),
  );
  return emailsSent;
}
