import { z } from "zod";
import { pick } from "../fields";
import { idOf } from "../named";
import { readingTool } from "../tool";
import { Campaign } from "./arguments";

export const preflightCampaign = readingTool({
  name: "preflight_campaign",
  title: "Check a campaign before it is sent",
  description:
    "Compose a campaign's email for every recipient without sending any: who gets it, who is skipped and why, missing " +
    "variables, broken links. It works in the background: the first call returns a jobId, and a later call with the same " +
    "campaign and that jobId returns the result. A finished check has a preflightToken, which send_campaign needs.",
  input: z.strictObject({
    campaign: Campaign,
    jobId: z.string().optional().describe("The jobId of an earlier call, to read its result."),
  }),
  async run({ api }, { campaign, jobId }) {
    const id = await idOf(api, "campaign", campaign);
    const started = jobId ?? String((await api.post(`/campaigns/${id}/preflight`, {})).jobId);
    const [job, row] = await Promise.all([
      api.get(`/jobs/${encodeURIComponent(started)}`),
      api.get(`/campaigns/${id}`),
    ]);
    const shown = pick(row, "id", "name", "subject", "status", "audienceType");
    return {
      data: { campaign: shown, ...pick(job, "jobId", "status", "progress", "result", "errors") },
      next: nextOf(String(job.status)),
    };
  },
});

function nextOf(status: string): string {
  if (status === "failed") return "The check could not be finished. Call again without jobId to start another.";
  if (status !== "completed") return "The check is running. Call again in a few seconds with this jobId.";
  return (
    "Show the person how many get the email and what the check found, and ask whether to send. Then call send_campaign " +
    "with result.preflightToken, within 15 minutes of the check and before the campaign is changed."
  );
}
