import { type SQL, sql } from "drizzle-orm";
import type { JsonObject } from "../../core/json";
import { domainOf } from "../../core/mail/address";
import { monthOf } from "../../core/time";
import { statement } from "../../db/commit";
import type { Context } from "../../platform/context";
import { verifiedDomain } from "../domains/domain";
import { announceGraceMs } from "./announce";
import type { SendEmail } from "./schema";

/** A recipient of one call, with the ids of its rows. They all travel as one JSON parameter, be it 1 or 500. */
export interface Recipient {
  emailId: string;
  /** For the contact, if it is new. */
  contactId: string;
  email: string;
  written: string;
  name: string | null;
}

/** The call's content, once. Whether this row is written decides whether anything is. */
export function recordContent(
  ctx: Context,
  {
    id,
    call,
    body,
    ownData,
    recipients,
  }: {
    id: string;
    call: SendEmail;
    body: string | null;
    ownData: JsonObject;
    recipients: Recipient[];
  },
): D1PreparedStatement {
  const fromName = call.from.name || call.name || ctx.project.fromName;
  return statement(
    ctx.db,
    sql`INSERT INTO email_contents (id, project_id, subject, body, from_email, from_name, reply_to, headers, own_data,
        created_at)
      SELECT ${id}, ${ctx.project.id}, ${call.subject}, ${body}, ${call.from.email}, ${fromName || null},
        ${call.reply ?? null}, ${JSON.stringify(call.headers ?? {})}, ${JSON.stringify(ownData)}, ${ctx.now.getTime()}
      WHERE EXISTS (${verifiedDomain(ctx, domainOf(call.from.email))}) AND ${withinMonthlyLimit(ctx, recipients)}
      RETURNING id`,
  );
}

function withinMonthlyLimit(ctx: Context, recipients: Recipient[]): SQL {
  const limit = ctx.project.monthlySendLimit;
  if (limit === null) return sql`true`;
  const used = sql`coalesce((SELECT emails FROM monthly_usage WHERE project_id = ${ctx.project.id}
    AND month = ${monthOf(ctx.now)}), 0)`;
  return sql`${used} + (SELECT count(*) FROM json_each(${JSON.stringify(recipients)}) r
    WHERE NOT ${isSuppressed(ctx, sql`r.value->>'email'`)}) <= ${limit}`;
}

function isSuppressed(ctx: Context, email: SQL): SQL {
  return sql`EXISTS (SELECT 1 FROM suppressions s WHERE s.project_id = ${ctx.project.id} AND s.email = ${email})`;
}

/** One row per recipient. They join the contacts that the same batch wrote just before. */
export function recordEmails(
  ctx: Context,
  { contentId, recipients, onlyIf }: { contentId: string; recipients: Recipient[]; onlyIf: SQL },
): D1PreparedStatement {
  const now = ctx.now.getTime();
  return statement(
    ctx.db,
    sql`INSERT INTO emails (id, project_id, content_id, contact_id, to_email, to_written, to_name, type, source, status,
        error, next_attempt_at, next_announce_at, created_at)
      SELECT r.value->>'emailId', ${ctx.project.id}, ${contentId}, c.id, c.email, r.value->>'written', r.value->>'name',
        'TRANSACTIONAL', 'TRANSACTIONAL',
        CASE WHEN ${isSuppressed(ctx, sql`c.email`)} THEN 'SUPPRESSED' ELSE 'QUEUED' END,
        CASE WHEN ${isSuppressed(ctx, sql`c.email`)} THEN ${suppressedReason} END,
        ${now}, ${now + announceGraceMs}, ${now}
      FROM json_each(${JSON.stringify(recipients)}) r
      CROSS JOIN contacts c ON c.project_id = ${ctx.project.id} AND c.email = r.value->>'email'
      WHERE ${onlyIf}
      RETURNING id, contact_id, status`,
  );
}

export const suppressedReason = "The address is on the suppression list";

/** Suppressed recipients do not count. */
export function recordUsage(ctx: Context, recipients: Recipient[], onlyIf: SQL): D1PreparedStatement {
  return statement(
    ctx.db,
    sql`INSERT INTO monthly_usage (project_id, month, emails)
      SELECT ${ctx.project.id}, ${monthOf(ctx.now)}, count(*) FROM json_each(${JSON.stringify(recipients)}) r
      WHERE ${onlyIf} AND NOT ${isSuppressed(ctx, sql`r.value->>'email'`)}
      GROUP BY 1 HAVING count(*) > 0
      ON CONFLICT (project_id, month) DO UPDATE SET emails = emails + excluded.emails`,
  );
}
