import { sql } from "drizzle-orm";
import type { Id } from "../../core/ids";
import { asNumber, asText, columns } from "../../db/rows";
import { inProject } from "../../db/scope";
import { select } from "../../db/statement";
import { maxLinksReported } from "../../engine/campaigns/links";
import type { Context } from "../../platform/context";
import { getCampaign } from "./campaign";

const readLink = columns({ url: asText, clicks: asNumber, uniqueClicks: asNumber, automatedClicks: asNumber });

/** `GET /campaigns/{id}/links`: lists the clicks of each link, summed over all variants. Throws NotFound. */
export async function listLinks(ctx: Context, id: Id) {
  await getCampaign(ctx, id);
  const links = await select(
    ctx.db,
    sql`SELECT url, sum(clicks) AS clicks, sum(unique_clicks) AS unique_clicks, sum(automated_clicks) AS automated_clicks
      FROM campaign_links WHERE ${inProject(ctx)} AND campaign_id = ${id}
      GROUP BY url ORDER BY sum(clicks) DESC, sum(automated_clicks) DESC, min(number) LIMIT ${maxLinksReported + 1}`,
    readLink,
  );
  return { data: links.slice(0, maxLinksReported), truncated: links.length > maxLinksReported };
}
