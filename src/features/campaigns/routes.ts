import { z } from "zod";
import { campaignStatuses } from "../../core/campaigns/status";
import { publicId } from "../../core/ids";
import { absentIsEmpty } from "../../http/body";
import { accepted, body, created, createRoute, errors, noContent, ok } from "../../http/define";
import { CursorQuery, orderBy, PageQuery } from "../../http/params";
import { megabyte } from "../../http/policy";
import { createRouter } from "../../http/router";
import { streamPage } from "../../http/stream-page";
import type { Context } from "../../platform/context";
import { EmailPage, EmailStatus } from "../emails/schema";
import { campaignJson, freshJson, getCampaign } from "./campaign";
import { cancelCampaign } from "./cancel";
import { createCampaign } from "./create";
import { deleteCampaign } from "./delete";
import { duplicateCampaign } from "./duplicate";
import { listCampaigns } from "./list";
import { CampaignParam } from "./param";
import { pauseCampaign } from "./pause";
import { preflights } from "./preflight/routes";
import { listRecipients } from "./recipients";
import { replaceCampaign } from "./replace";
import { resumeCampaign } from "./resume";
import { retryCampaign } from "./retry";
import {
  Campaign,
  CampaignAnswer,
  CampaignPage,
  CampaignStats,
  CreateCampaign,
  ReplaceCampaign,
  RetriedCampaign,
  RetryCampaign,
  SendCampaign,
  TestCampaign,
  TestedCampaign,
} from "./schema";
import { sendCampaign } from "./send";
import { sendTest } from "./send-test";
import { campaignStats } from "./stats";

export const campaigns = createRouter();
campaigns.route("/", preflights);
const tags = ["Campaigns"];
const maxCampaignBytes = 5 * megabyte;

const CampaignQuery = PageQuery.extend({
  status: z
    .string()
    .optional()
    .meta({ enum: [...campaignStatuses], description: "400 for any other value." }),
  search: z.string().optional().meta({ description: "A part of the name, subject or sender, case-insensitive." }),
  sort: orderBy("createdAt", "updatedAt", "name", "scheduledFor", "sentAt"),
  dir: orderBy("desc", "asc"),
});

const list = createRoute({
  method: "get",
  path: "/campaigns",
  operationId: "listCampaigns",
  tags,
  summary: "List the campaigns",
  request: { query: CampaignQuery },
  responses: { ...ok(CampaignPage), ...errors(400, 422) },
});

campaigns.openapi(list, async (c) => {
  const { ctx } = c.var;
  const asked = c.req.valid("query");
  const { campaigns: found, total } = await listCampaigns(ctx, asked);
  return streamPage(c, jsonOf(ctx, found), { total, page: asked.page, pageSize: asked.pageSize });
});

type Listed = Awaited<ReturnType<typeof listCampaigns>>["campaigns"];

/** Whole campaigns, one by one, because each body may be large. */
async function* jsonOf(ctx: Context, found: Listed): AsyncGenerator<Campaign> {
  for (const { row, counts } of found) yield campaignJson(ctx, row, counts);
}

const create = createRoute({
  method: "post",
  path: "/campaigns",
  policy: { maxBody: maxCampaignBytes },
  operationId: "createCampaign",
  tags,
  summary: "Create a campaign",
  description: "It is a DRAFT until it is sent or scheduled.",
  request: body(CreateCampaign),
  responses: { ...created(CampaignAnswer), ...errors(400, 403, 404, 409, 413, 422, 503) },
});

campaigns.openapi(create, async (c) => {
  const { ctx } = c.var;
  const row = await createCampaign(ctx, c.req.valid("json"));
  return c.json({ success: true as const, data: await freshJson(ctx, row) }, 201);
});

const get = createRoute({
  method: "get",
  path: "/campaigns/{id}",
  operationId: "getCampaign",
  tags,
  summary: "Get a campaign",
  request: { params: CampaignParam },
  responses: { ...ok(Campaign), ...errors(404, 422) },
});

campaigns.openapi(get, async (c) => {
  const { ctx } = c.var;
  return c.json(await freshJson(ctx, await getCampaign(ctx, c.req.valid("param").id)), 200);
});

const replace = createRoute({
  method: "put",
  path: "/campaigns/{id}",
  policy: { maxBody: maxCampaignBytes },
  operationId: "replaceCampaign",
  tags,
  summary: "Change a campaign",
  description: "Fields left out keep their values. Only while it is DRAFT or SCHEDULED; 409 after that.",
  request: { params: CampaignParam, ...body(ReplaceCampaign) },
  responses: { ...ok(CampaignAnswer), ...errors(400, 403, 404, 409, 413, 422, 503) },
});

campaigns.openapi(replace, async (c) => {
  const { ctx } = c.var;
  const row = await replaceCampaign(ctx, c.req.valid("param").id, c.req.valid("json"));
  return c.json({ success: true as const, data: await freshJson(ctx, row) }, 200);
});

const remove = createRoute({
  method: "delete",
  path: "/campaigns/{id}",
  operationId: "deleteCampaign",
  tags,
  summary: "Delete a campaign",
  description: "The records of its emails stay. 409 while it is SCHEDULED or SENDING.",
  request: { params: CampaignParam },
  responses: { ...noContent, ...errors(403, 404, 409, 422) },
});

campaigns.openapi(remove, async (c) => {
  await deleteCampaign(c.var.ctx, c.req.valid("param").id);
  return c.body(null, 204);
});

const duplicate = createRoute({
  method: "post",
  path: "/campaigns/{id}/duplicate",
  operationId: "duplicateCampaign",
  tags,
  summary: "Copy a campaign",
  description: "The copy is a DRAFT with the same content and audience.",
  request: { params: CampaignParam },
  responses: { ...created(CampaignAnswer), ...errors(403, 404, 409, 422) },
});

campaigns.openapi(duplicate, async (c) => {
  const { ctx } = c.var;
  const copy = await duplicateCampaign(ctx, c.req.valid("param").id);
  return c.json({ success: true as const, data: await freshJson(ctx, copy) }, 201);
});

const send = createRoute({
  method: "post",
  path: "/campaigns/{id}/send",
  policy: { once: true },
  operationId: "sendCampaign",
  tags,
  summary: "Send a campaign, or schedule it",
  description: "Its content and its audience are what they are now, or at the time that it is scheduled for.",
  middleware: absentIsEmpty,
  request: { params: CampaignParam, body: { ...body(SendCampaign).body, required: false } },
  responses: { ...ok(CampaignAnswer), ...errors(400, 403, 404, 409, 413, 422, 503) },
});

campaigns.openapi(send, async (c) =>
  c.json(await sendCampaign(c.var.ctx, c.req.valid("param").id, c.req.valid("json")), 200),
);

const cancel = createRoute({
  method: "post",
  path: "/campaigns/{id}/cancel",
  operationId: "cancelCampaign",
  tags,
  summary: "Cancel a campaign",
  description: "What is not out is not sent. 400 unless it is SCHEDULED or SENDING.",
  request: { params: CampaignParam },
  responses: { ...ok(CampaignAnswer), ...errors(400, 403, 404, 422) },
});

campaigns.openapi(cancel, async (c) => {
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
  description: "Nothing more of it goes out until it is resumed. 409 unless it is SENDING.",
  request: { params: CampaignParam },
  responses: { ...ok(CampaignAnswer), ...errors(403, 404, 409, 422) },
});

campaigns.openapi(pause, async (c) => {
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

campaigns.openapi(resume, async (c) => {
  const { ctx } = c.var;
  const row = await resumeCampaign(ctx, c.req.valid("param").id);
  return c.json({ success: true as const, data: await freshJson(ctx, row), message: "Campaign goes on" }, 200);
});

const retry = createRoute({
  method: "post",
  path: "/campaigns/{id}/retry",
  operationId: "retryCampaign",
  tags,
  summary: "Send again to those whom a campaign did not reach",
  description: "The same emails are tried again, so nobody gets two. 400 unless the campaign is SENT.",
  middleware: absentIsEmpty,
  request: { params: CampaignParam, body: { ...body(RetryCampaign).body, required: false } },
  responses: { ...accepted(RetriedCampaign), ...errors(400, 403, 404, 410, 413, 422) },
});

campaigns.openapi(retry, async (c) => {
  const retried = await retryCampaign(c.var.ctx, c.req.valid("param").id, c.req.valid("json"));
  return c.json({ retried }, 202);
});

const test = createRoute({
  method: "post",
  path: "/campaigns/{id}/test",
  operationId: "testCampaign",
  tags,
  summary: "Send a campaign to one address, to look at it",
  description: "The subject begins with `[TEST]`. Nothing of it is counted or tracked.",
  request: { params: CampaignParam, ...body(TestCampaign) },
  responses: { ...ok(TestedCampaign), ...errors(400, 403, 404, 413, 422) },
});

campaigns.openapi(test, async (c) => {
  const email = await sendTest(c.var.ctx, c.req.valid("param").id, c.req.valid("json"));
  return c.json({ success: true as const, data: { email: publicId(email) } }, 200);
});

const stats = createRoute({
  method: "get",
  path: "/campaigns/{id}/stats",
  operationId: "getCampaignStats",
  tags,
  summary: "See what became of a campaign",
  description: "Opened and clicked count people, not times. Figures of a large campaign follow within seconds.",
  request: { params: CampaignParam },
  responses: { ...ok(CampaignStats), ...errors(404, 422) },
});

campaigns.openapi(stats, async (c) => c.json(await campaignStats(c.var.ctx, c.req.valid("param").id), 200));

const RecipientQuery = CursorQuery.extend({
  status: EmailStatus.optional(),
  variant: z.string().optional().meta({ description: "The name of a variant." }),
});

const recipients = createRoute({
  method: "get",
  path: "/campaigns/{id}/recipients",
  operationId: "listCampaignRecipients",
  tags,
  summary: "See who got a campaign, who did not, and why",
  request: { params: CampaignParam, query: RecipientQuery },
  responses: { ...ok(EmailPage), ...errors(400, 404, 422) },
});

campaigns.openapi(recipients, async (c) =>
  c.json(await listRecipients(c.var.ctx, c.req.valid("param").id, c.req.valid("query")), 200),
);
