import { type SQL, sql } from "drizzle-orm";
import { type Counter, type Counts, counters } from "../../core/campaigns/counts";
import { asNumber, columns, type RowReader } from "../../db/rows";

const status = (...statuses: string[]) => `e.status IN (${statuses.map((one) => `'${one}'`).join(", ")})`;

/**
 * For each counter, the condition under which an email `e` is counted. A complaint, an open and a click each prove that
 * the email was delivered, even when the provider does not report deliveries.
 */
export const conditions: Record<Counter, string> = {
  queued: status("QUEUED", "SENDING"),
  failed: status("FAILED"),
  suppressed: status("SUPPRESSED"),
  cancelled: status("CANCELLED"),
  unknown: status("UNKNOWN"),
  sent: status("SENT", "DELIVERED", "OPENED", "CLICKED", "BOUNCED", "COMPLAINED"),
  delivered: "coalesce(e.delivered_at, e.opened_at, e.clicked_at, e.complained_at) IS NOT NULL",
  opened: "e.opened_at IS NOT NULL",
  clicked: "e.clicked_at IS NOT NULL",
  bounced: "e.bounced_at IS NOT NULL",
  complained: "e.complained_at IS NOT NULL",
  unsubscribed: "e.unsubscribed_at IS NOT NULL",
};

const each = (partOf: (counter: Counter) => string): SQL => sql.raw(counters.map(partOf).join(", "));

/** An SQL aggregate that returns the counts of emails `e` as a JSON object. */
export const countsInSql: SQL = sql`json_object(${each((counter) => `'${counter}', sum(${conditions[counter]})`)})`;

/** The names of the counter columns, separated by commas. */
export const counterColumns: SQL = each((counter) => counter);

/**
 * For each counter, a sum over rows. Each row has counts, as the JSON object `item.value`, and a `factor` of 1 or -1.
 */
export const sumsOfItems: SQL = each((counter) => `sum(factor * (item.value->>'${counter}'))`);

/** The assignments of an upsert that add the inserted counts to the existing ones. */
export const addExcluded: SQL = each((counter) => `${counter} = campaign_counts.${counter} + excluded.${counter}`);

// The cast is safe because `counters` contains every counter, so the object has every key.
export const readCounts = columns(
  Object.fromEntries(counters.map((counter) => [counter, asNumber])) as Record<Counter, typeof asNumber>,
) as RowReader<Counts>;
