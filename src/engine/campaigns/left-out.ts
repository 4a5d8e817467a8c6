import { type SQL, sql } from "drizzle-orm";
import type { Id } from "../../core/ids";
import { asNumber, columns } from "../../db/rows";
import { inProject } from "../../db/scope";
import { type Statement, selectFirst, statement } from "../../db/statement";
import type { Context } from "../../platform/context";

/** Why a contact of a campaign's audience gets no email, in the order in which the reasons are checked. */
export const leftOutReasons = ["suppressed", "snoozed", "unsubscribed", "topic"] as const;
export type LeftOutReason = (typeof leftOutReasons)[number];

/** The first reason why a contact `c` does not get the campaign's mail. */
const whyLeftOut: SQL = sql`CASE
  WHEN EXISTS (SELECT 1 FROM suppressions s WHERE s.project_id = c.project_id AND s.email = c.email) THEN 'suppressed'
  WHEN c.snoozed_until IS NOT NULL THEN 'snoozed' WHEN NOT c.subscribed THEN 'unsubscribed' ELSE 'topic' END`;

/**
 * Counts by reason how many contacts got no email. `contactIds` are the contacts of one page of the audience. Must come
 * after the statements that insert the page's emails, in the same batch. The guard of the batch ensures that a page is
 * counted only once.
 */
export function insertLeftOut(ctx: Context, campaignId: Id, contactIds: Id[]): Statement[] {
  if (contactIds.length === 0) return [];
  const project = ctx.project.number;
  const names = sql.raw(leftOutReasons.join(", "));
  const sums = sql.raw(leftOutReasons.map((reason) => `sum(reason = '${reason}')`).join(", "));
  const added = sql.raw(leftOutReasons.map((reason) => `${reason} = ${reason} + excluded.${reason}`).join(", "));
  return [
    statement(
      sql`INSERT INTO campaign_left_out (project_id, campaign_id, ${names})
        SELECT ${project}, ${campaignId}, ${sums}
        FROM (SELECT ${whyLeftOut} AS reason FROM json_each(${JSON.stringify(contactIds)}) r
          CROSS JOIN contacts c ON ${inProject(ctx, "c")} AND c.id = r.value
          WHERE NOT EXISTS (SELECT 1 FROM emails e INDEXED BY ux_emails_contact
            WHERE ${inProject(ctx, "e")} AND e.contact_id = c.id AND e.campaign_id = ${campaignId}))
        HAVING count(*) > 0
        ON CONFLICT DO UPDATE SET ${added}`,
    ),
  ];
}

const readLeftOut = columns(
  // The cast is safe because `leftOutReasons` contains every reason, so the object has every key.
  Object.fromEntries(leftOutReasons.map((reason) => [reason, asNumber])) as Record<LeftOutReason, typeof asNumber>,
);

/** Returns how many contacts a campaign has left out so far, by reason. Returns null when it has left out none. */
export function findLeftOut(ctx: Context, campaignId: Id): Promise<Record<LeftOutReason, number> | null> {
  return selectFirst(
    ctx.db,
    sql`SELECT * FROM campaign_left_out WHERE ${inProject(ctx)} AND campaign_id = ${campaignId}`,
    readLeftOut,
  );
}
