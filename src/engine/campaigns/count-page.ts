import { type SQL, sql } from "drizzle-orm";
import { type Id, newId } from "../../core/ids";
import { inProject } from "../../db/scope";
import { type Statement, statement } from "../../db/statement";
import type { Context } from "../../platform/context";
import { addExcluded, counterColumns, countsInSql, sumsOfItems } from "./counters";
import { hoursInSql } from "./hours";

/** Identifies a page: up to 500 consecutive emails of a campaign that are counted together. */
export interface PageKey {
  campaignId: Id;
  /** The id of the page's first email. */
  firstId: Id;
}

/**
 * Counts a marked page again, removes its mark, and adds the difference to the campaign's counters. All statements must
 * be in one batch. They change nothing if another batch has already counted the page.
 */
export function updateCounted(ctx: Context, page: PageKey): Statement[] {
  const countId = newId();
  const emails = sql`FROM emails e
    WHERE e.project_id = p.project_id AND e.id BETWEEN p.first_id AND p.last_id AND +e.campaign_id = p.campaign_id`;
  return [
    statement(
      sql`UPDATE campaign_pages AS p SET counts_before = counts, count_id = ${countId}, recount_at = NULL, counts = (
          SELECT json_group_object(content_id, json(counted)) FROM (
            SELECT e.content_id, ${countsInSql} AS counted ${emails} GROUP BY e.content_id)),
          hours = (${hoursInSql(emails)})
        WHERE ${isPage(ctx, page)} AND recount_at IS NOT NULL`,
    ),
    statement(
      sql`UPDATE campaign_pages AS p SET open = (
          SELECT coalesce(sum(item.value->>'queued'), 0) FROM json_each(p.counts) item)
        WHERE ${isPage(ctx, page)} AND p.count_id = ${countId}`,
    ),
    statement(
      sql`INSERT INTO campaign_counts (project_id, campaign_id, content_id, variant, ${counterColumns})
        SELECT p.project_id, p.campaign_id, item.key,
          (SELECT variant FROM email_contents c WHERE c.project_id = p.project_id AND c.id = item.key), ${sumsOfItems}
        FROM campaign_pages p
        CROSS JOIN (SELECT 1 AS factor UNION ALL SELECT -1)
        CROSS JOIN json_each(iif(factor = 1, p.counts, p.counts_before)) item
        WHERE ${isPage(ctx, page)} AND p.count_id = ${countId} GROUP BY item.key
        ON CONFLICT DO UPDATE SET ${addExcluded}`,
    ),
  ];
}

function isPage(ctx: Context, { campaignId, firstId }: PageKey): SQL {
  return sql`${inProject(ctx, "p")} AND p.campaign_id = ${campaignId} AND p.first_id = ${firstId}`;
}
