import { type SQL, sql } from "drizzle-orm";
import type { JsonObject } from "../../core/json";
import type { AttachmentRow } from "../../core/mail/attachments";
import { monthOf } from "../../core/time";
import { guard, statement } from "../../db/commit";
import type { Context } from "../../platform/context";
import { verifiedDomain } from "../domains/domain";
import { linkBase } from "../preferences/links";
import type { StoredBody } from "../templates/body";
import { domainInSql } from "../templates/template";
import { announceGraceMs } from "./announce";
import type { SendEmail } from "./schema";
import { whyWithheld } from "./withhold";

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
    inlineBody,
    attachments,
    size,
    ownData,
    recipients,
  }: {
    id: string;
    call: SendEmail;
    /** Null leaves the body to the template's version. */
    inlineBody: StoredBody | null;
    attachments: AttachmentRow[];
    /** Of body and files, in bytes. A template's body is added by the statement, unless it lies in R2. */
    size: number;
    ownData: JsonObject;
    recipients: Recipient[];
  },
): D1PreparedStatement {
  const given = call.from?.name || call.name || null;
  const fromEmail = call.from ? sql`${call.from.email}` : sql`v.from_email`;
  const bodyKey = inlineBody ? sql`${inlineBody.bodyKey}` : sql`v.body_key`;
  return statement(
    ctx.db,
    sql`INSERT INTO email_contents (id, project_id, subject, body, body_key, from_email, from_name, reply_to, headers,
        attachments, size, own_data, type, template_id, template_version_id, link_base, recipients, created_at)
      SELECT ${id}, ${ctx.project.id}, coalesce(${call.subject ?? null}, v.subject), ${inlineBody?.body ?? null},
        ${bodyKey}, ${fromEmail}, coalesce(${given}, v.from_name, ${ctx.project.fromName || null}),
        coalesce(${call.reply ?? null}, v.reply_to), ${JSON.stringify(call.headers ?? {})},
        ${JSON.stringify(attachments)}, ${size} + ${inlineBody ? sql`0` : sql`coalesce(octet_length(v.body), 0)`},
        ${JSON.stringify(ownData)},
        coalesce(v.type, 'TRANSACTIONAL'), v.template_id, v.id, ${linkBase(ctx)}, ${recipients.length}, ${ctx.now.getTime()}
      FROM ${contentSource(ctx, call.template ?? null)}
      WHERE EXISTS (${verifiedDomain(ctx, domainInSql(fromEmail))})
      RETURNING id`,
  );
}

/** The template as it is at this moment. Without one there is a single row, in which all of its columns are null. */
function contentSource(ctx: Context, templateId: string | null): SQL {
  if (templateId === null) return sql`(SELECT 1) LEFT JOIN template_versions v ON false`;
  return sql`templates t JOIN template_versions v ON t.project_id = ${ctx.project.id} AND t.id = ${templateId}
    AND v.id = t.version_id`;
}

/** One row per recipient. They join the contacts that the same batch wrote just before. */
export function recordEmails(
  ctx: Context,
  { contentId, recipients }: { contentId: string; recipients: Recipient[] },
): D1PreparedStatement {
  const now = ctx.now.getTime();
  const reason = whyWithheld(ctx, { type: sql`content.type`, email: sql`c.email`, optedOutAt: sql`c.opted_out_at` });
  return statement(
    ctx.db,
    sql`INSERT INTO emails (id, project_id, content_id, contact_id, to_email, to_written, to_name, type, template_id,
        source, status, error, next_attempt_at, next_announce_at, created_at)
      SELECT r.value->>'emailId', ${ctx.project.id}, ${contentId}, c.id, c.email, r.value->>'written', r.value->>'name',
        content.type, content.template_id, 'TRANSACTIONAL',
        CASE WHEN ${reason} IS NULL THEN 'QUEUED' ELSE 'SUPPRESSED' END, ${reason},
        ${now}, ${now + announceGraceMs}, ${now}
      FROM email_contents content
      CROSS JOIN json_each(${JSON.stringify(recipients)}) r
      CROSS JOIN contacts c ON c.project_id = ${ctx.project.id} AND c.email = r.value->>'email'
      WHERE content.id = ${contentId}
      RETURNING id, contact_id, status`,
  );
}

/** After the emails, as it counts their rows: suppressed ones do not count. */
export function recordUsage(ctx: Context, recipients: Recipient[]): D1PreparedStatement {
  return statement(
    ctx.db,
    sql`INSERT INTO monthly_usage (project_id, month, emails)
      SELECT ${ctx.project.id}, ${monthOf(ctx.now)}, count(*) FROM json_each(${JSON.stringify(recipients)}) r
      CROSS JOIN emails e ON e.id = r.value->>'emailId'
      WHERE e.status <> 'SUPPRESSED'
      GROUP BY 1 HAVING count(*) > 0
      ON CONFLICT (project_id, month) DO UPDATE SET emails = emails + excluded.emails`,
  );
}

export const monthlyLimit = "limit";

/**
 * After the usage: stops the whole batch when the month would hold more than it may. None when nothing limits it. A call
 * that adds nothing passes, also when the limit was lowered below what was used.
 */
export function insistOnMonthlyLimit(ctx: Context, recipients: Recipient[]): D1PreparedStatement[] {
  const { monthlySendLimit, id } = ctx.project;
  if (monthlySendLimit === null) return [];
  const isWithin = sql`NOT EXISTS (SELECT 1 FROM monthly_usage
    WHERE project_id = ${id} AND month = ${monthOf(ctx.now)} AND emails > ${monthlySendLimit})
    OR NOT EXISTS (SELECT 1 FROM json_each(${JSON.stringify(recipients)}) r
      CROSS JOIN emails e ON e.id = r.value->>'emailId' WHERE e.status <> 'SUPPRESSED')`;
  return [guard(ctx.db, monthlyLimit, isWithin)];
}

/** The body of the call's answer, built from the rows that the same batch wrote: see `routes.ts` for the same in code. */
export function answerInSql(ctx: Context, recipients: Recipient[]): SQL {
  const ids = JSON.stringify(recipients.map(({ emailId }) => emailId));
  return sql`json_object('success', json('true'), 'data', json_object('emails', (
      SELECT json_group_array(json_object('contact', json_object('id', e.contact_id, 'email', e.to_email),
        'email', e.id, 'status', e.status) ORDER BY r.key)
      FROM json_each(${ids}) r CROSS JOIN emails e ON e.id = r.value
    ), 'timestamp', ${ctx.now.toISOString()}))`;
}
