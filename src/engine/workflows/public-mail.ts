import { type SQL, sql } from "drizzle-orm";
import { firstIdAt, type Id, timeOf } from "../../core/ids";
import { breakLinks, breakLinksIn } from "../../core/mail/break-links";
import { dayMs, hourMs } from "../../core/time";
import type { Outcome } from "../../core/workflows/outcome";
import { type Statement, statement } from "../../db/statement";
import type { Context } from "../../platform/context";
import { isStranger } from "../contacts/stranger";
import type { Scope } from "./arrival";

/**
 * Anybody can read a public key out of a page, and send events of anybody with any text. So the mails of executions that
 * a public key has started or woken, by its own events or by those that they caused, are counted by the hour of their
 * project; a stranger, whom public keys alone have named, gets one a day; and what the event says becomes no link.
 *
 * Events of segments do not say what caused them. So mail to a stranger counts whatever event has caused it.
 */

/** Whether the mail `r` to the contact `c` is such a mail. */
export const isPublicMail: SQL = sql`(r.value->>'isPublic'
  OR (r.value->>'isByEvent' AND r.value->>'to' IS NULL AND ${isStranger}))`;

/** The mails in their order, and the place of each among the public ones: the first have what is left of the hour. */
export function inPlaces(ctx: Context, items: string): SQL {
  return sql`(SELECT r.key, r.value, ${isPublicMail} AS is_public, sum(${isPublicMail}) OVER (ORDER BY r.key) AS place
    FROM json_each(${items}) r
    CROSS JOIN contacts c ON c.project_id = ${ctx.project.number} AND c.id = r.value->>'contactId')`;
}

/** The scope of a mail: nothing that a public key said becomes a link. */
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
 * Whether the mail `r`, at its place, may go to its contact `c`. Clocks of machines differ a little: a count of a later hour
 * is a count of this one.
 */
export function mayBeMailed(ctx: Context): SQL {
  const counted = sql`coalesce((SELECT p.public_mails FROM project_counts p
    WHERE p.project_id = ${ctx.project.number} AND p.public_mail_hour >= ${hourOf(ctx)}), 0)`;
  return sql`(NOT r.is_public
    OR (r.place + ${counted} <= ${ctx.config.publicMailsPerHour}
      AND (r.value->>'to' IS NOT NULL OR ${lastOfDay(ctx)} IS NULL)))`;
}

/** The id of the last such mail to the contact `c` within a day; NULL without one, and for whom anybody else knows. */
export function lastOfDay(ctx: Context): SQL {
  return sql`iif(${isStranger},
    (SELECT max(last.id) FROM emails last INDEXED BY ux_emails_contact
      WHERE last.project_id = c.project_id AND last.contact_id = c.id AND last.campaign_id IS NULL
        AND last.id >= ${firstIdAt(ctx.now.getTime() - dayMs + 1)} AND last.is_public), NULL)`;
}

/** Counts those of the emails that were written and go out. Each run of a batch has ids of its own, so a repeat counts nothing twice. */
export function upsertPublicMails(ctx: Context, mails: { emailId: Id; isPublic: boolean }[]): Statement {
  const items = JSON.stringify(mails.map(({ emailId, isPublic }) => ({ emailId, isPublic })));
  return statement(
    sql`INSERT INTO project_counts (project_id, public_mail_hour, public_mails)
      SELECT e.project_id, ${hourOf(ctx)}, count(*) FROM json_each(${items}) r
        CROSS JOIN emails e ON e.project_id = ${ctx.project.number} AND e.id = r.value->>'emailId'
      WHERE (e.is_public OR r.value->>'isPublic') AND e.status NOT IN ('SUPPRESSED', 'FAILED') GROUP BY 1, 2
      ON CONFLICT DO UPDATE SET
        public_mails = iif(project_counts.public_mail_hour >= excluded.public_mail_hour, project_counts.public_mails, 0) + excluded.public_mails,
        public_mail_hour = max(project_counts.public_mail_hour, excluded.public_mail_hour)`,
  );
}

/** A mail that has to wait goes on by itself: a day after the contact's last one, or in the next hour. */
export function waitsForLimit(ctx: Context, last: Id | null): Outcome {
  return last === null
    ? { kind: "later", at: (hourOf(ctx) + 1) * hourMs, reason: whyHour }
    : { kind: "later", at: timeOf(last) + dayMs, reason: whyDay };
}

const whyHour =
  "Events of public keys may cause no more email of this project in this hour (PUBLIC_MAILS_PER_HOUR): it goes on in the next one";

const whyDay =
  "Only public keys have named this contact, which gets one such email a day until it confirms or a secret key names it";
