import type { Id } from "../../../core/ids";
import { getRow } from "../../../db/get-row";
import { campaigns } from "../../../db/tables";
import { getContact } from "../../../engine/contacts/contact";
import { getTemplate } from "../../../engine/mail/template";
import type { Context } from "../../../platform/context";
import { getWorkflow } from "../../workflows/workflow";
import { explainCampaignMail } from "./of-campaign";
import { explainEmail, explainTemplate } from "./of-mail";
import { explainWorkflowMail } from "./of-workflow";
import type { ContactExplanation, ExplainContact } from "./schema";

/**
 * `POST /contacts/{id}/explain`: explains whether a contact got the mail of a campaign, a workflow or a template, or
 * one email. Throws NotFound for an unknown contact, and for unknown mail.
 */
export async function explainContact(ctx: Context, id: Id, asked: ExplainContact): Promise<ContactExplanation> {
  const contact = await getContact(ctx, id);
  const { campaignId, workflowId, templateId, emailId } = asked;
  if (campaignId) return explainCampaignMail(ctx, contact, await getRow(ctx, campaigns, "campaign", campaignId));
  if (workflowId) return explainWorkflowMail(ctx, contact, await getWorkflow(ctx, workflowId));
  if (templateId) {
    const { row, content } = await getTemplate(ctx, templateId);
    return explainTemplate(ctx, contact, { ...content, ...row });
  }
  if (emailId) return explainEmail(ctx, contact, emailId);
  throw new Error("The schema requires the name of some mail");
}
