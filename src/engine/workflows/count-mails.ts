import { sql } from "drizzle-orm";
import type { Counts } from "../../core/campaigns/counts";
import type { Id } from "../../core/ids";
import { maxRowsPerStatement } from "../../db/limits";
import { asJson, asNumber, columns, orNull } from "../../db/rows";
import { selectOne } from "../../db/statement";
import type { Context } from "../../platform/context";
import { countsInSql } from "../campaigns/counters";

const figures = ["sent", "delivered", "opened", "clicked", "bounced", "complained", "unsubscribed"] as const;

/** What became of the emails of a step. */
type MailCounts = Record<(typeof figures)[number], number> & { approximate: boolean };

/** Each is read in the index and in the table. */
const maxCounted = maxRowsPerStatement / 2;

const readCounts = columns({ seen: asNumber, counts: orNull(asJson<Partial<Counts>>()) });

/**
 * Counts the emails of a SEND_EMAIL step. Of a step with more than one statement may read, the newest are counted, and the
 * figures are in proportion to `completed`: how many executions it has mailed.
 */
export async function countMails(ctx: Context, stepId: Id, completed: number): Promise<MailCounts> {
  const { seen, counts } = await selectOne(
    ctx.db,
    sql`SELECT count(*) AS seen, ${countsInSql} AS counts FROM (
      SELECT status, delivered_at, opened_at, clicked_at, bounced_at, complained_at, unsubscribed_at
      FROM emails INDEXED BY ix_emails_step
      WHERE project_id = ${ctx.project.number} AND effect_id IS NOT NULL AND substr(effect_id, 24) = ${stepId}
      ORDER BY id DESC LIMIT ${maxCounted}) e`,
    readCounts,
  );
  const mailed = seen - (counts?.suppressed ?? 0);
  const approximate = seen === maxCounted && completed > mailed && mailed > 0;
  const factor = approximate ? completed / mailed : 1;
  const each = figures.map((figure) => [figure, Math.round(factor * (counts?.[figure] ?? 0))]);
  // Each figure is in the list.
  return { ...(Object.fromEntries(each) as Record<(typeof figures)[number], number>), approximate };
}
