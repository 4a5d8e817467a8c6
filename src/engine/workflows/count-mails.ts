import { sql } from "drizzle-orm";
import type { Counts } from "../../core/campaigns/counts";
import type { Id } from "../../core/ids";
import { maxRowsPerStatement } from "../../db/limits";
import { asJson, asNumber, columns, orNull } from "../../db/rows";
import { inProject } from "../../db/scope";
import { selectOne } from "../../db/statement";
import type { Context } from "../../platform/context";
import { countsInSql } from "../campaigns/counters";

const figures = ["sent", "delivered", "opened", "clicked", "bounced", "complained", "unsubscribed"] as const;

/** The counts of a step's emails by outcome. */
type MailCounts = Record<(typeof figures)[number], number> & { approximate: boolean };

/** The maximum number of emails that are counted. Each costs two row reads: its index entry and its row. */
const maxCounted = maxRowsPerStatement / 2;

const readCounts = columns({ seen: asNumber, counts: orNull(asJson<Partial<Counts>>()) });

/**
 * Counts the emails of a SEND_EMAIL step. If the step has more emails than one statement can read, counts the newest
 * and scales the figures up to `completed`, the number of executions for which the step has sent an email.
 */
export async function countMails(ctx: Context, stepId: Id, completed: number): Promise<MailCounts> {
  const { seen, counts } = await selectOne(
    ctx.db,
    sql`SELECT count(*) AS seen, ${countsInSql} AS counts FROM (
      SELECT status, delivered_at, opened_at, clicked_at, bounced_at, complained_at, unsubscribed_at
      FROM emails INDEXED BY ix_emails_step
      WHERE ${inProject(ctx)} AND effect_id IS NOT NULL AND substr(effect_id, 24) = ${stepId}
      ORDER BY id DESC LIMIT ${maxCounted}) e`,
    readCounts,
  );
  const mailed = seen - (counts?.suppressed ?? 0);
  const approximate = seen === maxCounted && completed > mailed && mailed > 0;
  const factor = approximate ? completed / mailed : 1;
  const each = figures.map((figure) => [figure, Math.round(factor * (counts?.[figure] ?? 0))]);
  // The object is built from all of `figures`, so every key is present.
  return { ...(Object.fromEntries(each) as Record<(typeof figures)[number], number>), approximate };
}
