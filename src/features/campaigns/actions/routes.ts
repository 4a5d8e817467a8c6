import { publicId } from "../../../core/ids";
import { projectRoutes } from "../../../http/routes";
import { freshJson } from "../campaign";
import { cancelCampaign } from "../cancel";
import { CampaignParam } from "../param";
import { pauseCampaign } from "../pause";
import { resumeCampaign } from "../resume";
import { retryCampaign } from "../retry";
import { CampaignAnswer } from "../schema";
import { sendCampaign } from "../send";
import { sendTest } from "../send-test";
import { maxSendingAtOnce } from "../sending-at-once";
import { unscheduleCampaign } from "../unschedule";
import { foreignNamesOfSending, foreignNamesOfTest } from "./foreign-names";
import { RetriedCampaign, RetryCampaign, SendCampaign, TestCampaign, TestedCampaign } from "./schema";

export const actions = projectRoutes("Campaigns");

actions.post(
  "/campaigns/{id}/send",
  {
    id: "sendCampaign",
    isAudited: true,
    sends: true,
    summary: "Send a campaign, or schedule it",
    description: `The content and the audience are fixed when sending begins, now or at the scheduled time. 409 while
${maxSendingAtOnce} campaigns of the project are SENDING; a scheduled campaign waits until fewer are. With the \`preflightToken\` of a
finished pre-flight, exactly the checked campaign is sent: 409 if it was changed since. With \`delaySeconds\`, you can take the
start back until then. A signed-in person who starts a campaign that can reach more than 10,000 people must have
signed in within the last ten minutes; otherwise 403 \`PROOF_NEEDED\`.`,
    once: true,
    params: CampaignParam,
    body: SendCampaign,
    isBodyOptional: true,
    ok: CampaignAnswer,
    foreignNames: foreignNamesOfSending,
  },
  (ctx, { params, body }) => sendCampaign(ctx, params.id, body),
);

actions.post(
  "/campaigns/{id}/unschedule",
  {
    id: "unscheduleCampaign",
    isAudited: true,
    grows: false,
    summary: "Take back the scheduling of a campaign",
    description:
      "The campaign is a DRAFT again, with its content and audience. 409 unless it is SCHEDULED, so also once it has started.",
    params: CampaignParam,
    ok: CampaignAnswer,
    also: [409],
  },
  async (ctx, { params }) => {
    const row = await unscheduleCampaign(ctx, params.id);
    return { success: true as const, data: await freshJson(ctx, row), message: "Campaign is a draft again" };
  },
);

actions.post(
  "/campaigns/{id}/cancel",
  {
    id: "cancelCampaign",
    isAudited: true,
    grows: false,
    summary: "Cancel a campaign",
    description: "Emails that are not sent yet are cancelled. 400 unless the campaign is SCHEDULED or SENDING.",
    params: CampaignParam,
    ok: CampaignAnswer,
    also: [400],
  },
  async (ctx, { params }) => {
    const row = await cancelCampaign(ctx, params.id);
    return { success: true as const, data: await freshJson(ctx, row), message: "Campaign is cancelled" };
  },
);

actions.post(
  "/campaigns/{id}/pause",
  {
    id: "pauseCampaign",
    isAudited: true,
    grows: false,
    summary: "Pause a campaign",
    description: "No further emails are sent until the campaign is resumed. 409 unless the campaign is SENDING.",
    params: CampaignParam,
    ok: CampaignAnswer,
    also: [409],
  },
  async (ctx, { params }) => {
    const row = await pauseCampaign(ctx, params.id);
    return { success: true as const, data: await freshJson(ctx, row), message: "Campaign is paused" };
  },
);

actions.post(
  "/campaigns/{id}/resume",
  {
    id: "resumeCampaign",
    isAudited: true,
    sends: true,
    summary: "Resume a campaign that is held",
    description: "409 if the campaign is not held.",
    params: CampaignParam,
    ok: CampaignAnswer,
    also: [409],
  },
  async (ctx, { params }) => {
    const row = await resumeCampaign(ctx, params.id);
    return { success: true as const, data: await freshJson(ctx, row), message: "Campaign resumed" };
  },
);

actions.post(
  "/campaigns/{id}/retry",
  {
    id: "retryCampaign",
    isAudited: true,
    grows: false,
    sends: true,
    summary: "Retry failed recipients",
    description:
      "Retries the existing emails, and creates none. 400 unless the campaign is SENT; 409 in the same cases as `POST /campaigns/{id}/send`.",
    params: CampaignParam,
    body: RetryCampaign,
    isBodyOptional: true,
    accepted: RetriedCampaign,
    also: [409, 410],
  },
  async (ctx, { params, body }) => ({ retried: await retryCampaign(ctx, params.id, body) }),
);

actions.post(
  "/campaigns/{id}/test",
  {
    id: "testCampaign",
    summary: "Send a test of a campaign to one address",
    description: "The subject begins with `[TEST]`. The email is neither counted nor tracked.",
    params: CampaignParam,
    body: TestCampaign,
    ok: TestedCampaign,
    also: [409],
    foreignNames: foreignNamesOfTest,
  },
  async (ctx, { params, body }) => {
    const email = await sendTest(ctx, params.id, body);
    return { success: true as const, data: { email: publicId(email) } };
  },
);
