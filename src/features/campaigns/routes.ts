import { z } from "zod";
import { campaignStatuses } from "../../core/campaigns/status";
import { readId } from "../../core/ids";
import { Email as Address } from "../../core/mail/address-input";
import { body, created, createRoute, errors, noContent, ok } from "../../http/define";
import { CursorQuery, orderBy, PageQuery } from "../../http/params";
import { megabyte } from "../../http/policy";
import { createRouter } from "../../http/router";
import { streamPage } from "../../http/stream-page";
import type { Context } from "../../platform/context";
import { EmailPage, EmailStatus } from "../emails/schema";
import { actions } from "./actions/routes";
import { campaignJson, freshJson, getCampaign } from "./campaign";
import { createCampaign } from "./create";
import { deleteCampaign } from "./delete";
import { duplicateCampaign } from "./duplicate";
import { campaignExplanations } from "./explain/routes";
import { advisedNamesOfCampaign, foreignNamesOfCampaign } from "./foreign-names";
import { listLinks } from "./links";
import { listCampaigns } from "./list";
import { CampaignParam } from "./param";
import { partNamesOfCampaign } from "./part-names";
import { preflights } from "./preflight/routes";
import { listRecipients } from "./recipients";
import { replaceCampaign } from "./replace";
import { Campaign, CampaignAnswer, CampaignPage, CreateCampaign, ReplaceCampaign } from "./schema";
import { campaignStats } from "./stats";
import { CampaignLinks, CampaignStats } from "./stats-schema";

export const campaigns = createRouter();
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
  const query = c.req.valid("query");
  const { campaigns: page, total } = await listCampaigns(ctx, query);
  return streamPage(c, jsonOf(ctx, page), { total, page: query.page, pageSize: query.pageSize });
});

type ListedCampaigns = Awaited<ReturnType<typeof listCampaigns>>["campaigns"];

/** Yields whole campaigns, one by one, because each body may be large. */
async function* jsonOf(ctx: Context, page: ListedCampaigns): AsyncGenerator<Campaign> {
  for (const { row, counts } of page) yield campaignJson(ctx, row, counts);
}

const create = createRoute({
  method: "post",
  path: "/campaigns",
  policy: { maxBody: maxCampaignBytes },
  operationId: "createCampaign",
  tags,
  summary: "Create a campaign",
  description: "The campaign is a DRAFT until it is sent or scheduled.",
  partNames: partNamesOfCampaign,
  conditionNames: ["audienceCondition"],
  foreignNames: foreignNamesOfCampaign,
  advisedNames: advisedNamesOfCampaign,
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
  partNames: partNamesOfCampaign,
  conditionNames: ["audienceCondition"],
  foreignNames: foreignNamesOfCampaign,
  advisedNames: advisedNamesOfCampaign,
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

campaigns.route("/", actions);
campaigns.route("/", preflights);
campaigns.route("/", campaignExplanations);

const stats = createRoute({
  method: "get",
  path: "/campaigns/{id}/stats",
  operationId: "getCampaignStats",
  tags,
  summary: "Get the statistics of a campaign",
  description:
    "`openedCount` and `clickedCount` count recipients, each once. The figures of a large campaign may lag by seconds.",
  request: { params: CampaignParam },
  responses: { ...ok(CampaignStats), ...errors(404, 422) },
});

campaigns.openapi(stats, async (c) => c.json(await campaignStats(c.var.ctx, c.req.valid("param").id), 200));

const links = createRoute({
  method: "get",
  path: "/campaigns/{id}/links",
  operationId: "listCampaignLinks",
  tags,
  summary: "List the clicked links of a campaign",
  description:
    "Most clicked first, at most 200, with the URLs as they are written in the body, summed over all variants. Empty before " +
    "the campaign is sent, and when it is not tracked.",
  request: { params: CampaignParam },
  responses: { ...ok(CampaignLinks), ...errors(404, 422) },
});

campaigns.openapi(links, async (c) => c.json(await listLinks(c.var.ctx, c.req.valid("param").id), 200));

const RecipientQuery = CursorQuery.extend({
  status: EmailStatus.optional(),
  variant: z.string().optional().meta({ description: "The name of a variant." }),
  to: Address.optional().meta({
    description:
      "An address. If a contact has it now, only this contact's email to it is listed; otherwise all emails to it.",
  }),
  contactId: z.string().transform(readId).optional().meta({ type: "string" }),
});

const recipients = createRoute({
  method: "get",
  path: "/campaigns/{id}/recipients",
  operationId: "listCampaignRecipients",
  tags,
  summary: "List the emails of a campaign's recipients",
  description:
    "One email for each recipient, sent or not: `error` says why not. Contacts that were left out at the start have none: see " +
    "`leftOut` of the statistics, and `GET /campaigns/{id}/explain` for one contact.",
  request: { params: CampaignParam, query: RecipientQuery },
  responses: { ...ok(EmailPage), ...errors(400, 404, 422) },
});

campaigns.openapi(recipients, async (c) =>
  c.json(await listRecipients(c.var.ctx, c.req.valid("param").id, c.req.valid("query")), 200),
);
