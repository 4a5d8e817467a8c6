import { z } from "zod";
import { BadRequest } from "../../../core/errors";
import type { JsonObject } from "../../../core/json";
import type { Api } from "../api";
import { pick, rowsOf } from "../fields";
import { idOf } from "../named";
import { readingTool } from "../tool";
import { Campaign, Workflow } from "./arguments";

const topLinks = 10;
const recentCampaigns = 10;

export const statistics = readingTool({
  name: "statistics",
  title: "Statistics",
  description:
    "Get figures of a campaign (recipients, opens, clicks, bounces, variants, top links), of a workflow " +
    "(each step and branch), or of the whole project by day, with its newest campaigns. Rates are " +
    "percentages.",
  input: z.strictObject({
    campaign: Campaign.optional(),
    workflow: Workflow.optional(),
    from: z.string().optional().describe("The first day or time, for the whole project. Default: 30 days ago."),
    to: z.string().optional().describe("The last day or time, for the whole project. Default: now."),
  }),
  async run({ api }, { campaign, workflow, from, to }) {
    if (campaign !== undefined && workflow !== undefined) {
      throw new BadRequest("Pass campaign or workflow, not both.", { suggestion: "Call the tool once for each." });
    }
    if ((campaign ?? workflow) !== undefined && (from ?? to) !== undefined) {
      throw new BadRequest(
        "from and to apply to the whole project only: figures of a campaign or a workflow cover all time.",
        {
          suggestion: "Leave from and to out.",
        },
      );
    }
    if (campaign !== undefined) return { data: await ofCampaign(api, campaign) };
    if (workflow !== undefined) return { data: await ofWorkflow(api, workflow) };
    return { data: await ofProject(api, { from, to }) };
  },
});

async function ofCampaign(api: Api, campaign: string): Promise<JsonObject> {
  const id = await idOf(api, "campaign", campaign);
  const [row, stats, links] = await Promise.all([
    api.get(`/campaigns/${id}`),
    api.get(`/campaigns/${id}/stats`),
    api.get(`/campaigns/${id}/links`),
  ]);
  const shown = pick(row, "id", "name", "subject", "status", "heldReason", "scheduledFor", "sentAt");
  return { campaign: shown, stats, topLinks: rowsOf(links.data).slice(0, topLinks) };
}

async function ofWorkflow(api: Api, workflow: string): Promise<JsonObject> {
  const id = await idOf(api, "workflow", workflow);
  const [row, stats] = await Promise.all([api.get(`/workflows/${id}`), api.get(`/workflows/${id}/stats`)]);
  return { workflow: pick(row, "id", "name", "enabled"), ...stats };
}

async function ofProject(api: Api, { from, to }: { from?: string; to?: string }): Promise<JsonObject> {
  const [stats, campaigns] = await Promise.all([
    api.get("/activity/stats", { from, to }),
    api.get("/campaigns", { pageSize: recentCampaigns }),
  ]);
  const newest = rowsOf(campaigns.data).map((one) => pick(one, "id", "name", "status", "sentAt", "scheduledFor"));
  return { ...stats, newestCampaigns: newest };
}
