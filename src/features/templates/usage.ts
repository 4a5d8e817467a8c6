import { sql } from "drizzle-orm";
import { maxRowsPerStatement } from "../../db/limits";
import { asFlag, asNumber, columns, orNull } from "../../db/rows";
import { selectOne } from "../../db/statement";
import type { Context } from "../../platform/context";
import { getTemplate } from "./template";

export interface TemplateUsage {
  campaigns: { id: string; name: string }[];
  workflowSteps: { id: string; workflowId: string; workflowName: string; name: string }[];
  emailsSent: number;
  approximate?: true;
  countedAt?: string;
}

const maxCounted = maxRowsPerStatement;

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
  const { emailsSent, lastPlace } = await selectOne(
    ctx.db,
    sql`SELECT count(*) AS emails_sent, max(place) AS last_place
      FROM (SELECT rowid AS place FROM ${sent} ORDER BY rowid LIMIT ${maxCounted})`,
    columns({ emailsSent: asNumber, lastPlace: orNull(asNumber) }),
  );
  if (emailsSent < maxCounted) return { emailsSent };
  const { hasMore } = await selectOne(
    ctx.db,
    sql`SELECT EXISTS (SELECT 1 FROM ${sent} AND rowid > ${lastPlace}) AS has_more`,
    columns({ hasMore: asFlag }),
  );
  return hasMore ? { emailsSent, approximate: true, countedAt: ctx.now.toISOString() } : { emailsSent };
}
