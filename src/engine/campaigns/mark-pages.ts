import { type SQL, sql } from "drizzle-orm";
import { expiringCache } from "../../core/expiring-cache";
import { minuteMs, secondMs } from "../../core/time";
import { timeOfId } from "../../db/ids";
import { asFlag, asNumber, columns } from "../../db/rows";
import { type Statement, statement } from "../../db/statement";
import type { Platform } from "../../platform/context";

// A campaign may have a million emails, so reads do not count them. The emails are divided into pages, and
// `campaign_counts` is the sum of the pages' counts. The counts of a page are those of the last time that the page was
// counted.
// - A batch that changes a counted property of an email also marks the email's page (in this file). It writes a row
// only if the page is not marked yet, so a thousand reports cost one mark.
// - A message that is sent after the commit makes a consumer count the marked pages again: see count-due.ts. If there
// is no message, a sweep that runs every minute does so. One batch reads at most a page, removes the mark and adds the
// difference. Batches are serialized, so nothing is counted twice, and a later change of an email marks its page again.
// If a consumer dies while counting, the mark remains, and the sweep finds it.

/** How long a marked page waits to be counted, so that changes shortly after the first one are counted with it. */
export const recountDelayMs = 3 * secondMs;

/**
 * A marked page waits at least a sixtieth of its age, up to `maxRecountDelayMs`. Otherwise each single open in a
 * day-old page would cause a count of the whole page.
 */
const partOfAge = 60;
const maxRecountDelayMs = 10 * minuteMs;

const readMarked = columns({ projectId: asNumber, isSoon: asFlag });

/**
 * Marks the pages of emails that are about to change, so that the pages are counted again. `from` and `where` select
 * these emails as `e`. Must come before the statement that changes the emails, in the same batch. Writes nothing for
 * emails without a campaign.
 */
export function updateMarked(
  { realDatabaseNow, realClock }: Pick<Platform, "realDatabaseNow" | "realClock">,
  { from = sql`emails e`, where }: { from?: SQL; where: SQL },
): Statement {
  const delay = sql`min(${number(maxRecountDelayMs)}, (${realDatabaseNow} - ${timeOfId(sql`first_id`)}) / ${number(partOfAge)})`;
  const soon = sql`${realDatabaseNow} + ${number(recountDelayMs)}`;
  return statement(
    sql`UPDATE campaign_pages SET recount_at = max(${soon}, ${realDatabaseNow} + ${delay})
      WHERE recount_at IS NULL AND ${isPageOf({ from, where })}
      RETURNING project_id, recount_at <= ${soon} AS is_soon`,
    readMarked,
    {
      messages: (raw) => {
        const soon = raw.map(readMarked).filter(({ isSoon }) => isSoon);
        const now = realClock().getTime();
        return [...new Set(soon.map(({ projectId }) => projectId))]
          .filter((projectId) => isFirst(projectId, now))
          .map((projectId) => ({
            message: { type: "campaigns.count" as const, projectId },
            delaySeconds: recountDelayMs / secondMs,
          }));
      },
    },
  );
}

/**
 * Adds one to the `open` count of each page with emails `e` that have ended and are about to be reopened. Without this,
 * the campaign could end before the next count of the page, which corrects the number. Must come before the statement
 * that reopens the emails, in the same batch.
 */
export function updateOpen(where: SQL, from = sql`emails e`): Statement {
  return statement(sql`UPDATE campaign_pages SET open = open + 1 WHERE ${isPageOf({ from, where })}`);
}

function isPageOf({ from, where }: { from: SQL; where: SQL }): SQL {
  return sql`(project_id, campaign_id, first_id) IN (
    SELECT e.project_id, e.campaign_id, (SELECT max(p.first_id) FROM campaign_pages p
      WHERE p.project_id = e.project_id AND p.campaign_id = e.campaign_id AND p.first_id <= e.id)
    FROM ${from} WHERE ${where} AND e.campaign_id IS NOT NULL)`;
}

/** Inlines the number, because D1 binds numbers as reals. */
function number(constant: number): SQL {
  return sql.raw(String(constant));
}

/**
 * Projects for which a `campaigns.count` message is on its way. The message will count all pages that are marked before
 * it arrives.
 */
const announced = expiringCache<true>({ ttlMs: recountDelayMs, maxEntries: 1_000 });

function isFirst(projectId: number, now: number): boolean {
  const key = String(projectId);
  if (announced.get(key, now)) return false;
  announced.set(key, true, now);
  return true;
}
