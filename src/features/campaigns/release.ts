import { type SQL, sql } from "drizzle-orm";
import type { Id } from "../../core/ids";
import { laneOf, ofCampaigns } from "../../core/mail/priority";
import { paceOf } from "../../core/mail/project-pace";
import { inProject } from "../../db/scope";
import { type Statement, statement } from "../../db/statement";
import { sendForDrainer } from "../../engine/mail/announce";
import type { Context } from "../../platform/context";
import { accountOf, through } from "../../platform/mailer/accounts";

/**
 * The maximum number of emails of a campaign that are released to the consumers of mail at a time. The others are held,
 * so a pause or a cancellation has to stop at most this many emails.
 */
const maxReleased = 5_000;

/** The maximum number of emails of a campaign that one batch writes, in about 25 ms. They form a page. */
export const recipientsPerPage = 500;

/**
 * A project with a pace has a lower limit, so that its campaigns take turns. The limit is the number of emails that the
 * project sends in this many seconds, but at least one page.
 */
const pacedSeconds = 20;

/** Returns the maximum number of emails of a campaign that may be released to the consumers of mail at a time. */
export function maxReleasedOf(ctx: Context): number {
  const perSecond = paceOf(ctx, ofCampaigns);
  if (perSecond === null) return maxReleased;
  return Math.min(maxReleased, Math.max(recipientsPerPage, perSecond * pacedSeconds));
}

/** A page of a campaign's emails, identified by its first and last email. */
export interface PageRange {
  firstId: Id;
  lastId: Id;
}

/** Matches when the email `e` is in the page. */
export function inPage(ctx: Context, campaignId: Id, { firstId, lastId }: PageRange): SQL {
  return sql`${inProject(ctx, "e")} AND e.id BETWEEN ${firstId} AND ${lastId}
    AND +e.campaign_id = ${campaignId}`;
}

/** Releases the emails of a page to the consumers of mail. Call `announceMail` after the commit. */
export function updateReleased(ctx: Context, campaignId: Id, page: PageRange): Statement[] {
  const now = ctx.clock().getTime();
  return [
    statement(
      sql`UPDATE emails AS e SET next_attempt_at = ${now}, due_at = ${now}, error = NULL
        WHERE ${inPage(ctx, campaignId, page)} AND e.status = 'QUEUED' AND e.due_at IS NULL`,
    ),
    statement(
      sql`UPDATE campaign_pages SET released_at = ${now}
        WHERE ${inProject(ctx)} AND campaign_id = ${campaignId} AND first_id = ${page.firstId}`,
    ),
  ];
}

/**
 * Takes back released emails that have not been handed over: consumers no longer read them, and a consumer that has
 * read them cannot hand them over. Emails that the provider may already have are left alone.
 */
export function updateTakenBack(ctx: Context, campaignId: Id): Statement[] {
  const released = sql`SELECT p.first_id, p.last_id FROM campaign_pages p WHERE ${inProject(ctx, "p")}
    AND p.campaign_id = ${campaignId} AND p.released_at IS NOT NULL AND (p.open > 0 OR p.recount_at IS NOT NULL)`;
  return [
    statement(
      sql`UPDATE emails SET next_attempt_at = NULL, due_at = NULL
        WHERE ${inProject(ctx)} AND id IN (
          SELECT e.id FROM (${released}) p
          CROSS JOIN emails e ON ${inProject(ctx, "e")} AND e.id BETWEEN p.first_id AND p.last_id
          WHERE +e.campaign_id = ${campaignId} AND e.status = 'QUEUED' AND e.uncertain_since IS NULL)`,
    ),
    statement(
      sql`UPDATE campaign_pages SET released_at = NULL WHERE ${inProject(ctx)}
        AND campaign_id = ${campaignId} AND released_at IS NOT NULL AND (open > 0 OR recount_at IS NOT NULL)`,
    ),
  ];
}

/** Reports to the account that the project has waiting campaign mail, and schedules a drain. */
export async function announceMail(ctx: Context): Promise<void> {
  const account = accountOf(ctx.accounts, laneOf(ofCampaigns));
  const { drainAt } = await account.pace.addWaiting([{ project: ctx.project.number, priority: ofCampaigns }]);
  await sendForDrainer(through(ctx, account), drainAt);
}
