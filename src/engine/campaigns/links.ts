import { type SQL, sql } from "drizzle-orm";
import type { Id } from "../../core/ids";
import { writtenLinks } from "../../core/tracking/written-links";
import { inProject } from "../../db/scope";
import { type Statement, statement } from "../../db/statement";
import type { Context } from "../../platform/context";

// Each link of a campaign has a row from the start, and the number of the link is part of the URL that recipients
// click. One statement can therefore count a batch of clicks and write only one row per clicked link. The rows of
// emails show which clicks are new. The statement that counts clicks and the one that records them use the same
// condition, so the clicks in a message that is delivered twice are counted once.

/**
 * The maximum number of links that are reported for a campaign. One more link is stored, to show that there are more.
 */
export const maxLinksReported = 200;

/** Inserts a row for each link in the bodies of a campaign's variants. */
export function insertLinks(
  ctx: Context,
  campaignId: Id,
  contents: { contentId: Id; body: string | null }[],
): Statement[] {
  const urls = new Set<string>();
  const rows = contents.flatMap(({ contentId, body }) =>
    (body === null ? [] : writtenLinks(body).urls).flatMap((url, index) => {
      if (urls.size <= maxLinksReported) urls.add(url);
      return urls.has(url) ? [[contentId, index + 1, url]] : [];
    }),
  );
  if (rows.length === 0) return [];
  return [
    statement(
      sql`INSERT INTO campaign_links (project_id, campaign_id, content_id, number, url)
        SELECT ${ctx.project.number}, ${campaignId}, value->>0, value->>1, value->>2 FROM json_each(${JSON.stringify(rows)})`,
    ),
  ];
}

/**
 * Matches when `r` is the first click by a person on a link of the email `e`. Never matches mail without a campaign.
 */
export const isFirstOfLink: SQL = sql`(r.value->>'kind' = 'clicks' AND e.campaign_id IS NOT NULL AND r.value->>'number' > 0
  AND instr(coalesce(e.clicked_links, ''), ',' || (r.value->>'number') || ',') = 0)`;

/**
 * Counts clicks by link. Must come before the statement that records the clicks, because `isNew` matches only clicks
 * that are not recorded yet.
 */
export function updateLinks(ctx: Context, items: string, isNew: SQL): Statement {
  const of = (kind: string) => sql`count(*) FILTER (WHERE r.value->>'kind' = ${kind})`;
  return statement(
    sql`UPDATE campaign_links AS l SET clicks = l.clicks + n.clicks, unique_clicks = l.unique_clicks + n.people,
        automated_clicks = l.automated_clicks + n.automated
      FROM (SELECT e.campaign_id, e.content_id, r.value->>'number' AS number, ${of("clicks")} AS clicks,
          count(DISTINCT e.id) FILTER (WHERE ${isFirstOfLink}) AS people, ${of("automatedClicks")} AS automated
        FROM json_each(${items}) r
        CROSS JOIN emails e ON e.project_id = r.value->>'projectId' AND e.id = r.value->>'emailId'
        WHERE r.value->>'number' > 0 AND e.campaign_id IS NOT NULL AND ${isNew}
        GROUP BY e.campaign_id, e.content_id, r.value->>'number') n
      WHERE ${inProject(ctx, "l")} AND l.campaign_id = n.campaign_id AND l.content_id = n.content_id
        AND l.number = n.number`,
  );
}
