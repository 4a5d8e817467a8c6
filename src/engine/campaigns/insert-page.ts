import { type SQL, sql } from "drizzle-orm";
import { type Counter, counters } from "../../core/campaigns/counts";
import type { Id } from "../../core/ids";
import { inProject } from "../../db/scope";
import { type Statement, statement } from "../../db/statement";
import type { Context } from "../../platform/context";
import { addExcluded, counterColumns, sumsOfItems } from "./counters";

/** The range of a campaign's emails that earlier statements of the same batch inserted. */
interface EmailRange {
  campaignId: Id;
  firstId: Id;
  lastId: Id;
}

interface NewPage extends EmailRange {
  part: "CANARY" | "REST";
  releasedAt: number | null;
}

/** The statuses that a new email can have, by counter. */
const newStatuses: Partial<Record<Counter, string>> = { queued: "QUEUED", failed: "FAILED", suppressed: "SUPPRESSED" };

const countedColumns: SQL = sql.raw(
  Object.entries(newStatuses)
    .map(([name, is]) => `sum(e.status = '${is}') AS ${name}`)
    .join(", "),
);
const asJson: SQL = sql.raw(counters.map((name) => `'${name}', ${name in newStatuses ? name : 0}`).join(", "));

/**
 * Inserts a page with its counts, and adds the counts to the campaign's counters. Inserts nothing if there are no
 * emails. The result is the same as that of `updateCounted`, at a third of the cost, which matters because every
 * recipient of a campaign is counted here.
 */
export function insertPage(ctx: Context, { campaignId, part, releasedAt, firstId, lastId }: NewPage): Statement[] {
  const project = ctx.project.number;
  return [
    statement(
      sql`INSERT INTO campaign_pages (project_id, campaign_id, first_id, last_id, part, released_at, open, recount_at, counts)
        SELECT ${project}, ${campaignId}, min(first_id), ${lastId}, ${part}, ${releasedAt}, sum(queued), NULL,
          json_group_object(content_id, json_object(${asJson}))
        FROM (SELECT e.content_id, min(e.id) AS first_id, ${countedColumns} FROM emails e
          WHERE ${inProject(ctx, "e")} AND e.id BETWEEN ${firstId} AND ${lastId} AND +e.campaign_id = ${campaignId}
          GROUP BY e.content_id)
        HAVING count(*) > 0`,
    ),
    statement(
      sql`INSERT INTO campaign_counts (project_id, campaign_id, content_id, variant, ${counterColumns})
        SELECT p.project_id, p.campaign_id, item.key,
          (SELECT variant FROM email_contents c WHERE c.project_id = p.project_id AND c.id = item.key), ${sumsOfItems}
        FROM campaign_pages p CROSS JOIN (SELECT 1 AS factor) CROSS JOIN json_each(p.counts) item
        WHERE ${isNewPage(ctx, { campaignId, firstId, lastId })} GROUP BY item.key
        ON CONFLICT DO UPDATE SET ${addExcluded}`,
    ),
  ];
}

/**
 * Matches the page `p` that `insertPage` inserted for this range. Its first email may have a later id than `firstId`,
 * because not every planned email is written.
 */
export function isNewPage(ctx: Context, { campaignId, firstId, lastId }: EmailRange): SQL {
  return sql`${inProject(ctx, "p")} AND p.campaign_id = ${campaignId} AND p.first_id BETWEEN ${firstId} AND ${lastId}`;
}
