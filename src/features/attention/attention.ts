import { openBatch } from "../../db/batch";
import type { Context } from "../../platform/context";
import type { AttentionCheck } from "./check";
import { checkCampaigns } from "./checks/campaigns";
import { checkDomains } from "./checks/domains";
import { checkEmails } from "./checks/emails";
import { checkJobs } from "./checks/jobs";
import { checkKeys } from "./checks/keys";
import { checkMonth } from "./checks/month";
import { checkProject } from "./checks/project";
import { checkReputation } from "./checks/reputation";
import { checkWebhooks } from "./checks/webhooks";
import { checkWorkflows } from "./checks/workflows";
import { type AttentionItem, severities } from "./schema";

const checks: AttentionCheck[] = [
  checkProject,
  checkReputation,
  checkMonth,
  checkDomains,
  checkCampaigns,
  checkEmails,
  checkWebhooks,
  checkWorkflows,
  checkJobs,
];

/** Implements `GET /attention`: returns what needs attention, most urgent first. */
export async function findAttention(ctx: Context): Promise<AttentionItem[]> {
  const batch = openBatch(ctx);
  const control = openBatch(ctx, ctx.control);
  const results = [...checks.map((check) => check(ctx, batch)), checkKeys(ctx, control)];
  await Promise.all([batch.commit(), control.commit()]);
  const items = results.flatMap((itemsOf) => itemsOf());
  return items.toSorted((a, b) => severities.indexOf(a.severity) - severities.indexOf(b.severity));
}
