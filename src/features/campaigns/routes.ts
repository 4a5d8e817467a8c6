import { z } from "zod";
import { campaignStatuses } from "../../core/campaigns/status";
import { DateRange } from "../../core/events/range";
import { readId } from "../../core/ids";
import { Email as Address } from "../../core/mail/address-input";
import { trashIsFull } from "../../engine/trash/put-away";
import { bookmarkHeader } from "../../http/bookmark";
import { CursorQuery, orderBy, PageQuery } from "../../http/params";
import { megabyte } from "../../http/policy";
import { projectRoutes } from "../../http/routes";
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
import { CampaignLinks, CampaignStats, CampaignTimeline } from "./stats-schema";
import { campaignTimeline } from "./timeline";
import { watchCampaign } from "./watch";
import { CampaignWatch } from "./watch-schema";

export const campaigns = projectRoutes("Campaigns");
const maxCampaignBytes = 5 * megabyte;

const CampaignQuery = PageQuery.extend({
  status: z
    .string()
    .optional()
    .meta({ enum: [...campaignStatuses], description: "Only campaigns with this status. Any other value is a 400." }),
  search: z.string().optional().meta({ description: "A part of the name, subject or sender, case-insensitive." }),
  sort: orderBy("createdAt", "updatedAt", "name", "scheduledFor", "sentAt"),
  dir: orderBy("desc", "asc"),
});

campaigns.get(
  "/campaigns",
  { id: "listCampaigns", summary: "List the campaigns", query: CampaignQuery, ok: CampaignPage, also: [400] },
  async (ctx, { query }, c) => {
    const { campaigns: page, total } = await listCampaigns(ctx, query);
    return streamPage(c, jsonOf(ctx, page), { total, page: query.page, pageSize: query.pageSize });
  },
);

type ListedCampaigns = Awaited<ReturnType<typeof listCampaigns>>["campaigns"];

/** Yields whole campaigns, one by one, because each body may be large. */
async function* jsonOf(ctx: Context, page: ListedCampaigns): AsyncGenerator<Campaign> {
  for (const { row, counts } of page) yield campaignJson(ctx, row, counts);
}

campaigns.post(
  "/campaigns",
  {
    id: "createCampaign",
    isAudited: true,
    summary: "Create a campaign",
    description: "The campaign is a DRAFT until it is sent or scheduled.",
    maxBody: maxCampaignBytes,
    body: CreateCampaign,
    created: CampaignAnswer,
    also: [404, 409],
    foreignNames: foreignNamesOfCampaign,
    advisedNames: advisedNamesOfCampaign,
    partNames: partNamesOfCampaign,
    conditionNames: ["audienceCondition"],
  },
  async (ctx, { body }) => ({ success: true as const, data: await freshJson(ctx, await createCampaign(ctx, body)) }),
);

campaigns.get(
  "/campaigns/{id}",
  { id: "getCampaign", summary: "Get a campaign", params: CampaignParam, ok: Campaign },
  async (ctx, { params }) => await freshJson(ctx, await getCampaign(ctx, params.id)),
);

campaigns.put(
  "/campaigns/{id}",
  {
    id: "replaceCampaign",
    isAudited: true,
    isVersioned: true,
    summary: "Change a campaign",
    description: "Changes only the fields that you send. 409 unless the campaign is DRAFT or SCHEDULED.",
    maxBody: maxCampaignBytes,
    params: CampaignParam,
    body: ReplaceCampaign,
    ok: CampaignAnswer,
    also: [409],
    foreignNames: foreignNamesOfCampaign,
    advisedNames: advisedNamesOfCampaign,
    partNames: partNamesOfCampaign,
    conditionNames: ["audienceCondition"],
  },
  async (ctx, { params, body }, c) => {
    const saved = await replaceCampaign(ctx, params.id, body, c.get("refuseToSend"));
    return { success: true as const, data: await freshJson(ctx, saved) };
  },
);

campaigns.delete(
  "/campaigns/{id}",
  {
    id: "deleteCampaign",
    isAudited: true,
    summary: "Delete a campaign",
    description: "The records of the campaign's emails stay. 409 while the campaign is SCHEDULED or SENDING.",
    params: CampaignParam,
    refusals: () => [trashIsFull()],
  },
  (ctx, { params }) => deleteCampaign(ctx, params.id),
);

campaigns.post(
  "/campaigns/{id}/duplicate",
  {
    id: "duplicateCampaign",
    isAudited: true,
    summary: "Copy a campaign",
    description: "The copy is a DRAFT with the same content and audience.",
    params: CampaignParam,
    created: CampaignAnswer,
    also: [409],
  },
  async (ctx, { params }) => ({
    success: true as const,
    data: await freshJson(ctx, await duplicateCampaign(ctx, params.id)),
  }),
);

campaigns.router.route("/", actions.router);
campaigns.router.route("/", preflights.router);
campaigns.router.route("/", campaignExplanations.router);

campaigns.get(
  "/campaigns/{id}/stats",
  {
    id: "getCampaignStats",
    summary: "Get the statistics of a campaign",
    description:
      "`openedCount` and `clickedCount` count each recipient once. The figures of a large campaign may lag by seconds.",
    params: CampaignParam,
    ok: CampaignStats,
  },
  (ctx, { params }) => campaignStats(ctx, params.id),
);

campaigns.get(
  "/campaigns/{id}/progress",
  {
    id: "getCampaignProgress",
    summary: "Watch a campaign",
    description:
      "Returns everything that changes while a campaign is sent, in one small answer to poll: its status, statistics, progress, " +
      "and the rates of bounces and complaints with the limits that stop it. The answer may be a second old.",
    params: CampaignParam,
    ok: CampaignWatch,
  },
  (ctx, { params }, c) => watchCampaign(ctx, params.id, c.req.header(bookmarkHeader)),
);

campaigns.get(
  "/campaigns/{id}/timeline",
  {
    id: "getCampaignTimeline",
    summary: "Count what happened to a campaign, hour by hour",
    description:
      "Each email counts once in each figure, in the hour of its first such event. All hours add up to the figures of " +
      "`GET /campaigns/{id}/stats`. Hours in which nothing happened are left out. An answer has at most 1,000 hours. The figures " +
      "of a large campaign may lag by seconds, and those of an old one by ten minutes.",
    params: CampaignParam,
    query: DateRange,
    ok: CampaignTimeline,
  },
  (ctx, { params, query }) => campaignTimeline(ctx, params.id, query),
);

campaigns.get(
  "/campaigns/{id}/links",
  {
    id: "listCampaignLinks",
    summary: "List the clicked links of a campaign",
    description:
      "Lists at most 200 links, the most clicked first, with their URLs as written in the body. Clicks are summed over all " +
      "variants. The list is empty before the campaign is sent, and if the campaign is not tracked.",
    params: CampaignParam,
    ok: CampaignLinks,
  },
  (ctx, { params }) => listLinks(ctx, params.id),
);

const RecipientQuery = CursorQuery.extend({
  status: EmailStatus.optional(),
  variant: z.string().optional().meta({ description: "Only emails of the variant with this name." }),
  to: Address.optional().meta({
    description:
      "The address of the recipient. If a contact has this address now, only that contact's email to it is listed; " +
      "otherwise all emails to it.",
  }),
  contactId: z.string().transform(readId).optional().meta({ type: "string" }),
});

campaigns.get(
  "/campaigns/{id}/recipients",
  {
    id: "listCampaignRecipients",
    summary: "List the emails of a campaign's recipients",
    description:
      "Lists one email for each recipient. If an email was not sent, `error` says why. Contacts that were left out at the start " +
      "have no email: see `leftOut` in `GET /campaigns/{id}/stats`, and `GET /campaigns/{id}/explain` for one contact.",
    params: CampaignParam,
    query: RecipientQuery,
    ok: EmailPage,
  },
  (ctx, { params, query }) => listRecipients(ctx, params.id, query),
);
