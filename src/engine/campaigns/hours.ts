import { type SQL, sql } from "drizzle-orm";
import { type HourCounter, type HourCounts, hourCounters } from "../../core/campaigns/hours";
import type { Id } from "../../core/ids";
import { hourMs } from "../../core/time";
import { asId, asNumber, columns, type RowReader } from "../../db/rows";
import { inProject } from "../../db/scope";
import { type Statement, statement } from "../../db/statement";
import type { Context } from "../../platform/context";
import { conditions } from "./counters";

// Together with its counts, each page of a campaign's ledger stores its counts by hour. An answer therefore adds up
// pages and reads no emails, and the hourly counts of a counter add up to the counter.

/** The times that a counter uses, in order of preference: an email `e` counts at the first one that it has. */
const times: Record<HourCounter, string[]> = {
  // A report may be the first evidence that the mail was sent.
  sent: ["sent_at", "handed_at", "created_at"],
  delivered: ["delivered_at", "opened_at", "clicked_at", "complained_at"],
  opened: ["opened_at"],
  clicked: ["clicked_at"],
  bounced: ["bounced_at"],
  complained: ["complained_at"],
  unsubscribed: ["unsubscribed_at"],
};

/**
 * The hours of an email `e` as a JSON array in the order of the counters. Null for a counter that does not count the
 * email.
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
 * Returns the hours of emails as a JSON object: each hour, counted since 1970, with the number of emails for each
 * counter. `emails` is a FROM clause with a condition on emails `e`.
 */
export function hoursInSql(emails: SQL): SQL {
  return sql`SELECT json_group_object(hour, json(counted)) FROM (
    SELECT item.value AS hour, ${counts} AS counted
    FROM (SELECT ${hoursOfEmail} AS hours ${emails}) email CROSS JOIN json_each(email.hours) item
    WHERE item.value IS NOT NULL GROUP BY item.value)`;
}

/** The counts of one hour over some pages. `hour` is the number of hours since 1970. */
export interface HourOfPages extends HourCounts {
  hour: number;
}

// `hourCounters` contains every counter, so the object has every key.
const readHour = columns({
  hour: asNumber,
  ...Object.fromEntries(hourCounters.map((counter) => [counter, asNumber])),
}) as RowReader<HourOfPages>;

/** The most pages whose hours one statement adds up. They have 250,000 emails, and some dozens of hours each. */
const pagesPerWindow = 500;

const sums: SQL = sql.raw(hourCounters.map((counter, index) => `sum(item.value->>${index}) AS ${counter}`).join(", "));

/**
 * Selects the hours of the next pages of a campaign, and the page after which the next call continues, if there may be
 * more.
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
