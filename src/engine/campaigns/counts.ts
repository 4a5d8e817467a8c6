import { sql } from "drizzle-orm";
import type { Counts } from "../../core/campaigns/counts";
import type { Id } from "../../core/ids";
import { openBatch } from "../../db/batch";
import { asId, asText, columns, orNull, type RowReader } from "../../db/rows";
import { inProject } from "../../db/scope";
import { type Statement, statement } from "../../db/statement";
import type { Context } from "../../platform/context";
import { updateCounted } from "./count-page";
import { counterColumns, readCounts } from "./counters";

/** The counters of one variant of a campaign. `variant` is null for a campaign without variants. */
export interface CountsOfContent extends Counts {
  campaignId: Id;
  variant: string | null;
}

const readContent = columns({ campaignId: asId, variant: orNull(asText) });
const readCountsOfContent: RowReader<CountsOfContent> = (raw) => ({ ...readContent(raw), ...readCounts(raw) });

/** Selects the stored counters of several campaigns. */
export function selectCounts(ctx: Context, campaignIds: Id[]): Statement<CountsOfContent> {
  return statement(
    sql`SELECT campaign_id, variant, ${counterColumns} FROM campaign_counts
      WHERE ${inProject(ctx)} AND campaign_id IN (SELECT value FROM json_each(${JSON.stringify(campaignIds)}))`,
    readCountsOfContent,
  );
}

/** A campaign with at most this many pages is counted again on every read. */
const maxLivePages = 2;

const readFirst = columns({ firstId: asId });

/**
 * Returns the counters of one campaign. The pages of a small campaign are counted again, so its counters are exact. The
 * counters of a larger campaign are those of the last count of its marked pages.
 */
export async function findCounts(ctx: Context, campaignId: Id): Promise<CountsOfContent[]> {
  const opening = openBatch(ctx);
  const pages = opening.add(
    statement(
      sql`SELECT first_id FROM campaign_pages WHERE ${inProject(ctx)} AND campaign_id = ${campaignId}
        ORDER BY first_id LIMIT ${maxLivePages + 1}`,
      readFirst,
    ),
  );
  await opening.commit();
  const batch = openBatch(ctx);
  if (pages.count <= maxLivePages) {
    for (const { firstId } of pages.all) batch.addAll(updateCounted(ctx, { campaignId, firstId }));
  }
  const counts = batch.add(selectCounts(ctx, [campaignId]));
  await batch.commit();
  return counts.all;
}
