import { publicId } from "../../../core/ids";
import { absentIsEmpty } from "../../../http/body";
import { accepted, body, createRoute, errors, ok } from "../../../http/define";
import { createRouter } from "../../../http/router";
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
import { foreignNamesOfSending, foreignNamesOfTest } from "./foreign-names";
import { RetriedCampaign, RetryCampaign, SendCampaign, TestCampaign, TestedCampaign } from "./schema";

export const actions = createRouter();
const tags = ["Campaigns"];

const send = createRoute({
  method: "post",
  path: "/campaigns/{id}/send",
  policy: { once: true },
  operationId: "sendCampaign",
  tags,
  summary: "Send a campaign, or schedule it",
  description: `The content and the audience are fixed when sending begins, now or at the scheduled time. 409 while
${maxSendingAtOnce} campaigns of the project are SENDING; a scheduled campaign waits until fewer are.`,
  middleware: absentIsEmpty,
  foreignNames: foreignNamesOfSending,
  request: { params: CampaignParam, body: { ...body(SendCampaign).body, required: false } },
  responses: { ...ok(CampaignAnswer), ...errors(400, 403, 404, 409, 413, 422, 503) },
});

actions.openapi(send, async (c) =>
  c.json(await sendCampaign(c.var.ctx, c.req.valid("param").id, c.req.valid("json")), 200),
);

const cancel = createRoute({
  method: "post",
  path: "/campaigns/{id}/cancel",
  operationId: "cancelCampaign",
  tags,
  summary: "Cancel a campaign",
  description: "Emails that are not sent yet are cancelled. 400 unless the campaign is SCHEDULED or SENDING.",
  request: { params: CampaignParam },
  responses: { ...ok(CampaignAnswer), ...errors(400, 403, 404, 422) },
});

actions.openapi(cancel, async (c) => {
  const { ctx } = c.var;
  const row = await cancelCampaign(ctx, c.req.valid("param").id);
  return c.json({ success: true as const, data: await freshJson(ctx, row), message: "Campaign is cancelled" }, 200);
});

const pause = createRoute({
  method: "post",
  path: "/campaigns/{id}/pause",
  operationId: "pauseCampaign",
  tags,
  summary: "Pause a campaign",
  description: "No further emails are sent until the campaign is resumed. 409 unless it is SENDING.",
  request: { params: CampaignParam },
  responses: { ...ok(CampaignAnswer), ...errors(403, 404, 409, 422) },
});

actions.openapi(pause, async (c) => {
  const { ctx } = c.var;
  const row = await pauseCampaign(ctx, c.req.valid("param").id);
  return c.json({ success: true as const, data: await freshJson(ctx, row), message: "Campaign is paused" }, 200);
});

const resume = createRoute({
  method: "post",
  path: "/campaigns/{id}/resume",
  operationId: "resumeCampaign",
  tags,
  summary: "Resume a campaign that is held",
  description: "409 when it is not held.",
  request: { params: CampaignParam },
  responses: { ...ok(CampaignAnswer), ...errors(403, 404, 409, 422) },
});

actions.openapi(resume, async (c) => {
  const { ctx } = c.var;
  const row = await resumeCampaign(ctx, c.req.valid("param").id);
  return c.json({ success: true as const, data: await freshJson(ctx, row), message: "Campaign resumed" }, 200);
});

const retry = createRoute({
  method: "post",
  path: "/campaigns/{id}/retry",
  operationId: "retryCampaign",
  tags,
  summary: "Retry failed recipients",
  description:
    "The same emails are tried again, so no recipient gets two. 400 unless the campaign is SENT; 409 as when sending.",
  middleware: absentIsEmpty,
  request: { params: CampaignParam, body: { ...body(RetryCampaign).body, required: false } },
  responses: { ...accepted(RetriedCampaign), ...errors(400, 403, 404, 409, 410, 413, 422) },
});

actions.openapi(retry, async (c) => {
  const retried = await retryCampaign(c.var.ctx, c.req.valid("param").id, c.req.valid("json"));
  return c.json({ retried }, 202);
});

const test = createRoute({
  method: "post",
  path: "/campaigns/{id}/test",
  operationId: "testCampaign",
  tags,
  summary: "Send a test of a campaign to one address",
  description: "The subject begins with `[TEST]`. The email is neither counted nor tracked.",
  foreignNames: foreignNamesOfTest,
  request: { params: CampaignParam, ...body(TestCampaign) },
  responses: { ...ok(TestedCampaign), ...errors(400, 403, 404, 413, 422) },
});

actions.openapi(test, async (c) => {
  const email = await sendTest(c.var.ctx, c.req.valid("param").id, c.req.valid("json"));
  return c.json({ success: true as const, data: { email: publicId(email) } }, 200);
});
