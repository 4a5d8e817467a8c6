import { sql } from "drizzle-orm";
import type { Id } from "../../../core/ids";
import { asFlag, asId, asText, columns, orNull } from "../../../db/rows";
import { inProject } from "../../../db/scope";
import { select, selectOne } from "../../../db/statement";
import { contactSnapshot } from "../../../engine/mail/content";
import { isCounted, monthInSql } from "../../../engine/projects/monthly-usage";
import type { Context } from "../../../platform/context";
import { candidates, type RetryInput } from "./retry-job";

/** The maximum number of emails that one step sends again. Each changes a row and its entries in two indexes. */
const emailsPerStep = 500;

/**
 * The maximum number of emails that one step scans. A filter with few matches would otherwise scan all emails of a
 * project.
 */
const windowRows = 10 * emailsPerStep;

const readEnded = columns({
  id: asId,
  campaignId: orNull(asId),
  templateId: asText,
  month: asText,
  /** Whether the email takes quota. */
  isCounted: asFlag,
  isGone: asFlag,
});
/** An ended email, with the month and the template for which it counts. */
export type Ended = ReturnType<typeof readEnded>;

const readLast = columns({ last: orNull(asId) });

/** Returns the next matching emails and the id of the last scanned email; null if there is nothing left to scan. */
export async function findEnded(
  ctx: Context,
  { status, campaignId, range }: RetryInput,
  after: Id,
): Promise<{ ended: Ended[]; last: Id } | null> {
  if (range === null) return null;
  const isNext = sql`${candidates(ctx, status)} AND id > ${after}`;
  // Reads the end of the window first. Otherwise an email that fails between the two statements could be skipped.
  const { last } = await selectOne(
    ctx.db,
    sql`SELECT max(id) AS last FROM (SELECT id FROM ${isNext} AND id <= ${range.last} ORDER BY id LIMIT ${windowRows})`,
    readLast,
  );
  if (last === null) return null;
  const ofCampaign = campaignId === null ? sql`` : sql`AND campaign_id = ${campaignId}`;
  const ended = await select(
    ctx.db,
    sql`SELECT e.id, e.campaign_id, coalesce(content.template_id, '') AS template_id, ${monthInSql} AS month,
        ${isCounted} AS is_counted,
        e.is_forgotten OR content.id IS NULL OR ${contactSnapshot} IS NULL AS is_gone
      FROM (SELECT id FROM ${isNext} AND id <= ${last} AND status = ${status} ${ofCampaign}
        ORDER BY id LIMIT ${emailsPerStep}) w
      CROSS JOIN emails e ON ${inProject(ctx, "e")} AND e.id = w.id
      LEFT JOIN email_contents content ON content.project_id = e.project_id AND content.id = e.content_id
      ORDER BY w.id`,
    readEnded,
  );
  const lastEnded = ended.length === emailsPerStep ? ended.at(-1) : undefined;
  return { ended, last: lastEnded?.id ?? last };
}
