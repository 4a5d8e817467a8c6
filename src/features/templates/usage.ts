import { sql } from "drizzle-orm";
import { type Id, publicId } from "../../core/ids";
import { asId, asNumber, asText, columns } from "../../db/rows";
import { inProject } from "../../db/scope";
import { select, selectOne } from "../../db/statement";
import { getTemplate } from "../../engine/mail/template";
import type { Context } from "../../platform/context";
import { stepsWith } from "./template";

export interface TemplateUsage {
  campaigns: { id: string; name: string }[];
  workflowSteps: { id: string; workflowId: string; workflowName: string; name: string }[];
  emailsSent: number;
}

const maxCampaigns = 1_000;
const maxSteps = 1_000;

/** `GET /templates/{id}/usage`: lists what uses the template, and counts the emails sent with it. */
export async function templateUsage(ctx: Context, id: Id): Promise<TemplateUsage> {
  const { row } = await getTemplate(ctx, id);
  const [campaigns, workflowSteps, emailsSent] = await Promise.all([
    findCampaigns(ctx, row.id),
    findSteps(ctx, row.id),
    countSent(ctx, row.id),
  ]);
  return { campaigns, workflowSteps, emailsSent };
}

/** Finds the steps that send the template, oldest first. */
async function findSteps(ctx: Context, templateId: Id): Promise<TemplateUsage["workflowSteps"]> {
  const found = await select(
    ctx.db,
    sql`SELECT s.id, s.workflow_id, w.name AS workflow_name, s.name
      FROM (SELECT * FROM ${stepsWith(ctx, templateId)} LIMIT ${maxSteps}) s
      CROSS JOIN workflows w ON w.project_id = s.project_id AND w.id = s.workflow_id ORDER BY s.id`,
    columns({ id: asId, workflowId: asId, workflowName: asText, name: asText }),
  );
  return found.map((step) => ({ ...step, id: publicId(step.id), workflowId: publicId(step.workflowId) }));
}

/** Finds the newest campaigns that took their fields from the template, in any state. */
async function findCampaigns(ctx: Context, templateId: Id): Promise<TemplateUsage["campaigns"]> {
  const found = await select(
    ctx.db,
    sql`SELECT id, name FROM campaigns INDEXED BY ix_campaigns_template WHERE ${inProject(ctx)} AND template_id = ${templateId}
      ORDER BY id DESC LIMIT ${maxCampaigns}`,
    columns({ id: asId, name: asText }),
  );
  return found.map(({ id, name }) => ({ id: publicId(id), name }));
}

/**
 * Adds up the template's emails of all months. Each month is one seek in the key, however much the project sends with
 * other templates.
 */
async function countSent(ctx: Context, templateId: Id): Promise<number> {
  const ofProject = sql`monthly_usage WHERE ${inProject(ctx)}`;
  const { emailsSent } = await selectOne(
    ctx.db,
    sql`WITH RECURSIVE months (month) AS (
        SELECT min(month) FROM ${ofProject}
        UNION ALL
        SELECT (SELECT min(month) FROM ${ofProject} AND month > months.month) FROM months WHERE months.month IS NOT NULL)
      SELECT coalesce(sum(u.emails), 0) AS emails_sent FROM months
      CROSS JOIN monthly_usage u ON ${inProject(ctx, "u")} AND u.month = months.month
        AND u.template_id = ${templateId}`,
    columns({ emailsSent: asNumber }),
  );
  return emailsSent;
}
