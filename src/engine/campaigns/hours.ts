import { type SQL, sql } from "drizzle-orm";
import { type HourCounter, type HourCounts, hourCounters } from "../../core/campaigns/hours";
import type { Id } from "../../core/ids";
import { hourMs } from "../../core/time";
import { asId, asNumber, columns, type RowReader } from "../../db/rows";
import { inProject } from "../../db/scope";
import { type Statement, statement } from "../../db/statement";
import type { Context } from "../../platform/context";
import { conditions } from "./counters";

// Each page of a campaign stores its counts by hour in addition to its total counts. An answer can therefore add up
// pages without reading emails, and the hourly counts of a counter add up to its total.

/**
 * For each counter, the columns with the time at which an email `e` counts, in order of preference. The first column
 * that is not NULL is used.
 */
const times: Record<HourCounter, string[]> = {
  // `sent_at` can be NULL, because a report may be the first evidence that the mail was sent.
  sent: ["sent_at", "handed_at", "created_at"],
  delivered: ["delivered_at", "opened_at", "clicked_at", "complained_at"],
  opened: ["opened_at"],
  clicked: ["clicked_at"],
  bounced: ["bounced_at"],
  complained: ["complained_at"],
  unsubscribed: ["unsubscribed_at"],
};

/**
 * A JSON array with one element for each counter: the hour at which the email `e` counts, or null if the counter does
 * not count the email.
 */
const hoursOfEmail: SQL = sql.raw(
  `json_array(${hourCounters
    .map((counter) => {
      const [first, ...others] = times[counter].map((column) => `e.${column}`);
      const at = others.length === 0 ? first : `coalesce(${[first, ...others].join(", ")})`;
      return `iif(${conditions[counter]}, ${at} / ${hourMs}, NULL)`;
    })
    .join(", ")})`,
);

const counts: SQL = sql.raw(`json_array(${hourCounters.map((_, index) => `sum(item.key = ${index})`).join(", ")})`);

/**
 * Returns SQL for a JSON object that maps each hour, counted since 1970, to the number of emails for each counter.
 * `emails` is a FROM clause with a condition on emails `e`.
 */
export function hoursInSql(emails: SQL): SQL {
  return sql`SELECT json_group_object(hour, json(counted)) FROM (
    SELECT item.value AS hour, ${counts} AS counted
    FROM (SELECT ${hoursOfEmail} AS hours ${emails}) email CROSS JOIN json_each(email.hours) item
    WHERE item.value IS NOT NULL GROUP BY item.value)`;
}

/** The counts of one hour, added up over several pages. `hour` is the number of hours since 1970. */
export interface HourOfPages extends HourCounts {
  hour: number;
}

// The cast is safe because `hourCounters` contains every counter, so the object has every key.
const readHour = columns({
  hour: asNumber,
  ...Object.fromEntries(hourCounters.map((counter) => [counter, asNumber])),
}) as RowReader<HourOfPages>;

/**
 * The maximum number of pages whose hours one statement adds up. 500 pages have up to 250,000 emails, but only a few
 * dozen hours each.
 */
const pagesPerWindow = 500;

const sums: SQL = sql.raw(hourCounters.map((counter, index) => `sum(item.value->>${index}) AS ${counter}`).join(", "));

/**
 * Selects the hours of the next pages of a campaign. If there may be more pages, `edge` selects the page after which
 * the next call continues.
 */
export function selectHours(
  ctx: Context,
  campaignId: Id,
  after: Id | null,
): { hours: Statement<HourOfPages>; edge: Statement<{ firstId: Id }> } {
  const isAfter = after === null ? sql`` : sql` AND first_id > ${after}`;
  const pages = sql`FROM campaign_pages WHERE ${inProject(ctx)} AND campaign_id = ${campaignId}${isAfter} ORDER BY first_id`;
  return {
    hours: statement(
      sql`SELECT CAST(item.key AS INTEGER) AS hour, ${sums}
        FROM (SELECT hours ${pages} LIMIT ${pagesPerWindow}) page CROSS JOIN json_each(page.hours) item
        GROUP BY item.key`,
      readHour,
    ),
    edge: statement(sql`SELECT first_id ${pages} LIMIT 1 OFFSET ${pagesPerWindow - 1}`, columns({ firstId: asId })),
  };
}
