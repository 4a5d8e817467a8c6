import { sql } from "drizzle-orm";
import type { Counts } from "../../core/campaigns/counts";
import { type CampaignStatus, campaignStatuses } from "../../core/campaigns/status";
import { BadRequest } from "../../core/errors";
import type { Id } from "../../core/ids";
import { searchText } from "../../core/search";
import { openBatch } from "../../db/batch";
import { asNumber, columns } from "../../db/rows";
import { inProject } from "../../db/scope";
import { statement } from "../../db/statement";
import type { CampaignRow } from "../../db/tables";
import { selectCounts } from "../../engine/campaigns/counts";
import type { Context } from "../../platform/context";
import { readCampaign } from "./campaign";

interface CampaignQuery {
  page: number;
  pageSize: number;
  status?: string;
  search?: string;
  sort: "createdAt" | "updatedAt" | "name" | "scheduledFor" | "sentAt";
  dir: "asc" | "desc";
}

// The search text begins with the name in lower case, so "apple" sorts before "Zebra". Ids sort by time of creation.
const orders = {
  createdAt: sql`id`,
  updatedAt: sql`updated_at`,
  name: sql`search_text`,
  scheduledFor: sql`scheduled_for`,
  sentAt: sql`sent_at`,
};
const directions = { asc: sql`ASC`, desc: sql`DESC` };

const readPosition = columns({ position: asNumber });

/** Returns one page of the project's campaigns. Only ids are sorted, because a body may be large. */
export async function listCampaigns(
  ctx: Context,
  { page, pageSize, status, search, sort, dir }: CampaignQuery,
): Promise<{ campaigns: { row: CampaignRow; counts: Counts[] }[]; total: number }> {
  const conditions = [
    sql`${inProject(ctx)}`,
    ...(status === undefined ? [] : [sql`status = ${readStatus(status)}`]),
    ...(search ? [sql`instr(search_text, ${searchText(search)}) > 0`] : []),
  ];
  const found = sql`FROM campaigns WHERE ${sql.join(conditions, sql` AND `)}`;
  const direction = directions[dir];
  const onPage = sql`SELECT id, ${orders[sort]} AS sorted_by ${found}
    ORDER BY sorted_by ${direction}, id ${direction} LIMIT ${pageSize} OFFSET ${(page - 1) * pageSize}`;
  const positions = sql`SELECT id, row_number() OVER (ORDER BY sorted_by ${direction}, id ${direction}) AS position
    FROM (${onPage})`;
  const batch = openBatch(ctx);
  const counted = batch.add(statement(sql`SELECT count(*) AS total ${found}`, columns({ total: asNumber })));
  const positioned = batch.add(
    statement(
      sql`SELECT page.position, c.* FROM (${positions}) page
        CROSS JOIN campaigns c ON ${inProject(ctx, "c")} AND c.id = page.id`,
      (raw) => ({ ...readPosition(raw), campaign: readCampaign(raw) }),
    ),
  );
  await batch.commit();
  const inOrder = positioned.all
    .toSorted((one, other) => one.position - other.position)
    .map(({ campaign }) => campaign);
  const counts = await countsOf(ctx, inOrder);
  const campaigns = inOrder.map((row) => ({ row, counts: counts.get(row.id) ?? [] }));
  return { campaigns, total: counted.one.total };
}

async function countsOf(ctx: Context, rows: CampaignRow[]): Promise<Map<Id, Counts[]>> {
  const sent = rows.filter(({ sentAt }) => sentAt !== null).map(({ id }) => id);
  const batch = openBatch(ctx);
  const counts = sent.length === 0 ? null : batch.add(selectCounts(ctx, sent));
  await batch.commit();
  return Map.groupBy(counts?.all ?? [], ({ campaignId }) => campaignId);
}

function readStatus(given: string): CampaignStatus {
  const status = campaignStatuses.find((one) => one === given);
  if (status) return status;
  throw new BadRequest(`There is no campaign status ${JSON.stringify(given.slice(0, 100))}.`, {
    suggestion: `Use one of ${campaignStatuses.join(", ")}.`,
    details: { allowed: campaignStatuses },
  });
}
