import { type SQL, sql } from "drizzle-orm";
import { ended, held, type MailOutcome } from "../../../core/mail/outcome";
import type { Context } from "../../../platform/context";
import { isSubscribedTo } from "../accept/wanted";
import { campaignCancelled, contactGone, contactLeft, whyWithheld } from "../withhold";

/** A reason not to hand an email over, and the resulting outcome. */
interface Obstacle {
  /** A condition on the email `e` and its item `r`; never NULL. */
  isThere: SQL;
  outcome: (uncertainSince: number | null) => MailOutcome;
  /** The error text as SQL; set only when it depends on the database. */
  error?: SQL;
}

/** Returns the obstacles that the batch of the hand-over checks. The first one that applies decides. */
export function obstacles(ctx: Context): Obstacle[] {
  const optedOutAt = sql`(SELECT c.opted_out_at FROM contacts c WHERE c.project_id = e.project_id
    AND c.id = e.contact_id)`;
  const mail = { type: sql`r.value->>'type'`, topicId: sql`r.value->>'topicId'` };
  const error = whyWithheld(ctx, mail, { email: sql`e.to_email`, optedOutAt, contactId: sql`e.contact_id` });
  return [
    ...stops,
    { isThere: isGone, outcome: (since) => ended("CANCELLED", contactGone, since) },
    { isThere: isUnwanted, outcome: (since) => ended("CANCELLED", contactLeft, since) },
    // The recipient may have complained since the mail was accepted. Even the results of the previous round may contain
    // a complaint.
    { isThere: sql`${error} IS NOT NULL`, outcome: (since) => ended("SUPPRESSED", "", since), error },
  ];
}

const campaign: SQL = sql`SELECT 1 FROM campaigns k WHERE k.project_id = e.project_id AND k.id = e.campaign_id`;

const cameBack: SQL = sql`e.campaign_id IS NOT NULL AND e.round IS NOT NULL AND e.uncertain_since IS NULL`;

/**
 * Stops mail that was handed over before its campaign was cancelled or held, and that is queued again now. The campaign
 * could not take back mail in flight. Mail that a person retried individually after the cancellation is still sent.
 */
const stops: Obstacle[] = [
  {
    isThere: sql`(${cameBack} AND EXISTS (${campaign} AND k.status = 'CANCELLED'
      AND coalesce(e.retried_at, 0) <= k.updated_at))`,
    outcome: () => ended("CANCELLED", campaignCancelled),
  },
  {
    isThere: sql`(${cameBack} AND EXISTS (${campaign} AND k.status = 'SENDING' AND k.held_reason IS NOT NULL))`,
    outcome: () => held("Waits, because its campaign is held"),
  },
];

const isGone: SQL = sql`(e.source <> 'TEST' AND NOT EXISTS (
  SELECT 1 FROM contacts c WHERE c.project_id = e.project_id AND c.id = e.contact_id))`;

/**
 * Matches when the recipient has unsubscribed since the mail was accepted. Only mail of campaigns and workflows
 * requires a subscription. For other mail it is enough that the contact has not opted out.
 */
const isUnwanted: SQL = sql`(e.source IN ('CAMPAIGN', 'WORKFLOW') AND r.value->>'type' <> 'TRANSACTIONAL'
  AND EXISTS (SELECT 1 FROM contacts c WHERE c.project_id = e.project_id AND c.id = e.contact_id
    AND NOT ${isSubscribedTo(sql`r.value->>'topicId'`)})
  AND NOT EXISTS (SELECT 1 FROM suppressions s WHERE s.project_id = e.project_id AND s.email = e.to_email))`;
