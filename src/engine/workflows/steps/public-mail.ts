import { type SQL, sql } from "drizzle-orm";
import { firstIdAt, type Id, timeOf } from "../../../core/ids";
import { breakLinks, breakLinksIn } from "../../../core/mail/break-links";
import { dayMs, hourMs } from "../../../core/time";
import type { StepOutcome } from "../../../core/workflows/outcome";
import { inProject } from "../../../db/scope";
import { type Statement, statement } from "../../../db/statement";
import type { Context } from "../../../platform/context";
import { isStranger } from "../../contacts/stranger";
import type { Scope } from "./arrival";

/**
 * Anyone can read a public key out of a page and use it to send events about any contact, with any text. Three limits
 * therefore apply to executions that such an event started or woke, directly or through events that it caused. Their
 * emails count towards an hourly limit of the project. A stranger (a contact that only public keys have named) gets one
 * such email a day. Text from the event never becomes a link.
 *
 * Events of segments do not record their causes, so an email to a stranger always counts, whichever event caused it.
 */

/** Whether the limits for public keys apply to the email `r` to the contact `c`. */
export const isPublicMail: SQL = sql`(r.value->>'isPublic'
  OR (r.value->>'isByEvent' AND r.value->>'to' IS NULL AND ${isStranger}))`;

/** Numbers the public emails in the order of the items. The first emails use up the rest of the hour's limit. */
export function numbered(ctx: Context, items: string): SQL {
  return sql`(SELECT r.key, r.value, ${isPublicMail} AS is_public, sum(${isPublicMail}) OVER (ORDER BY r.key) AS ordinal
    FROM json_each(${items}) r
    CROSS JOIN contacts c ON ${inProject(ctx, "c")} AND c.id = r.value->>'contactId')`;
}

/** Returns the scope for rendering an email, in which text that was sent with a public key does not become a link. */
export function withoutPublicLinks({ event, ...scope }: Scope): Scope {
  if (event === null || event.publicKeys.length === 0) return { event, ...scope };
  const entries = Object.entries(event.data).map(([key, value]) =>
    event.publicKeys.includes(key) ? [breakLinks(key), breakLinksIn(value)] : [key, value],
  );
  return { event: { ...event, data: Object.fromEntries(entries) }, ...scope };
}

function hourOf(ctx: Context): number {
  return Math.floor(ctx.now.getTime() / hourMs);
}

/**
 * Whether the email `r` may go to its contact `c`. `r.ordinal` is the email's number among the public emails of the
 * batch. The clocks of machines differ slightly, so a count that is stored for a later hour also counts for the current
 * one.
 */
export function mayBeMailed(ctx: Context): SQL {
  const counted = sql`coalesce((SELECT p.public_mails FROM project_counts p
    WHERE ${inProject(ctx, "p")} AND p.public_mail_hour >= ${hourOf(ctx)}), 0)`;
  return sql`(NOT r.is_public
    OR (r.ordinal + ${counted} <= ${ctx.config.publicMailsPerHour}
      AND (r.value->>'to' IS NOT NULL OR ${lastOfDay(ctx)} IS NULL)))`;
}

/**
 * Selects the id of the last public email to the contact `c` within a day. NULL if there is none, or if the contact is
 * not a stranger.
 */
export function lastOfDay(ctx: Context): SQL {
  return sql`iif(${isStranger},
    (SELECT max(last.id) FROM emails last INDEXED BY ux_emails_contact
      WHERE last.project_id = c.project_id AND last.contact_id = c.id AND last.campaign_id IS NULL
        AND last.id >= ${firstIdAt(ctx.now.getTime() - dayMs + 1)} AND last.is_public), NULL)`;
}

/**
 * Counts the public emails that were inserted and will be sent. Each attempt of a batch makes its own ids, so a repeat
 * counts nothing twice.
 */
export function upsertPublicMails(ctx: Context, mails: { emailId: Id; isPublic: boolean }[]): Statement {
  const items = JSON.stringify(mails.map(({ emailId, isPublic }) => ({ emailId, isPublic })));
  return statement(
    sql`INSERT INTO project_counts (project_id, public_mail_hour, public_mails)
      SELECT e.project_id, ${hourOf(ctx)}, count(*) FROM json_each(${items}) r
        CROSS JOIN emails e ON ${inProject(ctx, "e")} AND e.id = r.value->>'emailId'
      WHERE (e.is_public OR r.value->>'isPublic') AND e.status NOT IN ('SUPPRESSED', 'FAILED') GROUP BY 1, 2
      ON CONFLICT DO UPDATE SET
        public_mails = iif(project_counts.public_mail_hour >= excluded.public_mail_hour, project_counts.public_mails, 0) + excluded.public_mails,
        public_mail_hour = max(project_counts.public_mail_hour, excluded.public_mail_hour)`,
  );
}

/**
 * Postpones an email: until a day after the contact's last public email, or until the next hour. The execution then
 * continues automatically.
 */
export function waitsForLimit(ctx: Context, last: Id | null): StepOutcome {
  return last === null
    ? { kind: "later", at: (hourOf(ctx) + 1) * hourMs, reason: whyHour }
    : { kind: "later", at: timeOf(last) + dayMs, reason: whyDay };
}

const whyHour =
  "Events of public keys have used up the email of this project for this hour (PUBLIC_MAILS_PER_HOUR). The execution continues in the next hour";

const whyDay =
  "Only public keys have named this contact, which gets one such email a day until it confirms or a secret key names it";
