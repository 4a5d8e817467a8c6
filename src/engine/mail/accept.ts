import { type SQL, sql } from "drizzle-orm";
import type { JsonObject } from "../../core/json";
import type { AttachmentRow } from "../../core/mail/attachments";
import { asOneOf, asText, columns } from "../../db/rows";
import { type Statement, statement } from "../../db/statement";
import type { Context } from "../../platform/context";
import { announceGraceMs } from "./announce";
import type { StoredBody } from "./body";
import { linkBase } from "./links";
import { domainInSql, verifiedDomain } from "./sender-domain";
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

/** What a call says that its mails say. What it leaves out (null) is the template's. */
export interface ContentInput {
  id: string;
  templateId: string | null;
  subject: string | null;
  /** Null leaves the body to the template's version. */
  body: StoredBody | null;
  from: string | null;
  fromName: string | null;
  replyTo: string | null;
  headers: Record<string, string>;
  attachments: AttachmentRow[];
  /** Of body and files, in bytes. A template's body is added by the statement, unless it lies in R2. */
  size: number;
  ownData: JsonObject;
  /** How many emails are made of it. */
  recipients: number;
}

/** The content, once. Whether this row is written decides whether anything is. */
export function insertContent(ctx: Context, content: ContentInput): Statement<{ id: string }> {
  const { id, subject, body, replyTo, headers, attachments, size, ownData, recipients } = content;
  const fromEmail = content.from === null ? sql`v.from_email` : sql`${content.from}`;
  const bodyKey = body ? sql`${body.bodyKey}` : sql`v.body_key`;
  return statement(
    sql`INSERT INTO email_contents (id, project_id, subject, body, body_key, from_email, from_name, reply_to, headers,
        attachments, size, own_data, type, template_id, template_version_id, link_base, recipients, created_at)
      SELECT ${id}, ${ctx.project.id}, coalesce(${subject}, v.subject), ${body?.body ?? null}, ${bodyKey}, ${fromEmail},
        coalesce(${content.fromName}, v.from_name, ${ctx.project.fromName || null}), coalesce(${replyTo}, v.reply_to),
        ${JSON.stringify(headers)}, ${JSON.stringify(attachments)},
        ${size} + ${body ? sql`0` : sql`coalesce(octet_length(v.body), 0)`}, ${JSON.stringify(ownData)},
        coalesce(v.type, 'TRANSACTIONAL'), v.template_id, v.id, ${linkBase(ctx)}, ${recipients}, ${ctx.now.getTime()}
      FROM ${contentSource(ctx, content.templateId)}
      WHERE EXISTS (${verifiedDomain(ctx, domainInSql(fromEmail))})
      RETURNING id`,
    columns({ id: asText }),
  );
}

/** The template as it is at this moment. Without one there is a single row, in which all of its columns are null. */
function contentSource(ctx: Context, templateId: string | null): SQL {
  if (templateId === null) return sql`(SELECT 1) LEFT JOIN template_versions v ON false`;
  return sql`templates t JOIN template_versions v ON t.project_id = ${ctx.project.id} AND t.id = ${templateId}
    AND v.id = t.version_id`;
}

/** An email as its insert returns it. */
interface InsertedEmail {
  id: string;
  contactId: string;
  status: "QUEUED" | "SUPPRESSED";
}

/** One row per recipient. They join the contacts that the same batch wrote just before. */
export function insertEmails(
  ctx: Context,
  { contentId, recipients }: { contentId: string; recipients: Recipient[] },
): Statement<InsertedEmail> {
  const now = ctx.now.getTime();
  const reason = whyWithheld(ctx, { type: sql`content.type`, email: sql`c.email`, optedOutAt: sql`c.opted_out_at` });
  return statement(
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
    columns({ id: asText, contactId: asText, status: asOneOf<InsertedEmail["status"]>() }),
  );
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
