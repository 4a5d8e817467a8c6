import { type SQL, sql } from "drizzle-orm";
import { expiringCache } from "../../core/expiring-cache";
import { minuteMs, secondMs } from "../../core/time";
import { timeOfId } from "../../db/ids";
import { asFlag, asNumber, columns } from "../../db/rows";
import { type Statement, statement } from "../../db/statement";
import type { Platform } from "../../platform/context";

// How a campaign is counted, be it of a million emails. Nobody counts them on a read. Its ledger is cut into pages, and
// `campaign_counts` is the sum of what the pages said when they were counted last.
// - A batch that changes what is counted of an email also marks the email's page (here). It writes a row only if the page is
//   not marked yet, so that a thousand reports cost one mark.
// - A message, sent after the commit, or else the sweep of every minute, counts the marked pages anew: see count-page.ts.
//   That takes one batch, which reads at most a page, takes the mark away and adds the difference. Batches come one after
//   another, so nothing is counted twice, and what changes an email afterwards marks its page again.
// If whoever counts dies, the mark is still there, and so is the sweep.

/** A mark waits this long, so that what happens meanwhile is counted with it. */
export const recountDelayMs = 3 * secondMs;

/** A page waits a sixtieth of its age. Else a day later each opened mail would have a whole page counted. */
const partOfAge = 60;
const maxRecountDelayMs = 10 * minuteMs;

const readMarked = columns({ projectId: asNumber, isSoon: asFlag });

/**
 * Marks the pages of campaigns' emails to be counted again. Goes before the change of these emails, in its batch: `where`
 * finds the emails `e` among `from` that are about to change. Mail of no campaign writes nothing.
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
 * An ended email `e` is about to open again: until its page is counted, its campaign knows by this that it is not over. Goes
 * before the change, in its batch.
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

/** As it is: D1 binds numbers as reals. */
function number(constant: number): SQL {
  return sql.raw(String(constant));
}

/** Projects for which a message is on its way, which counts whatever is marked until it comes. */
const announced = expiringCache<true>({ ttlMs: recountDelayMs, maxEntries: 1_000 });

function isFirst(projectId: number, now: number): boolean {
  const key = String(projectId);
  if (announced.get(key, now)) return false;
  announced.set(key, true, now);
  return true;
}
