import { type SQL, sql } from "drizzle-orm";
import { type Id, publicId } from "../../../core/ids";
import type { JsonObject } from "../../../core/json";
import type { AttachmentRow } from "../../../core/mail/attachments";
import type { Priority } from "../../../core/mail/priority";
import { type EmailType, emailTypes } from "../../../core/mail/status";
import { isTypeTracked } from "../../../core/tracking/mode";
import { publicIdInSql } from "../../../db/ids";
import { asId, asOneOf, asPriority, columns } from "../../../db/rows";
import { inProject } from "../../../db/scope";
import { domainInSql, verifiedDomain } from "../../../db/sender-domain";
import { type Statement, statement } from "../../../db/statement";
import { type Context, clockOf } from "../../../platform/context";
import { announceGraceMs } from "../announce";
import type { StoredBody } from "../body";
import { linkBase } from "../links";
import { whyWithheld } from "../withhold";

/** A recipient of one call, with the ids of its rows. All recipients are one JSON parameter, be it 1 or 500. */
export interface Recipient {
  emailId: Id;
  /** The id of the contact, if it is new. */
  contactId: Id;
  email: string;
  written: string;
  name: string | null;
}

/** The content that a call sets. Null takes the template's value. */
export interface ContentInput {
  id: Id;
  templateId: Id | null;
  subject: string | null;
  /** Null takes the body of the template's version. */
  body: StoredBody | null;
  from: string | null;
  fromName: string | null;
  replyTo: string | null;
  headers: Record<string, string>;
  attachments: AttachmentRow[];
  /** The size of body and files in bytes. The statement adds a template's body, unless it is in R2. */
  size: number;
  ownData: JsonObject;
  /** Whether the caller leaves tracking to the project. */
  mayTrack: boolean;
  /** The number of emails with this content; in SQL, of the version `v` and its `template`. */
  recipients: number | SQL;
  /** Written only if this holds of the version `v` and its `template`. */
  onlyIf?: SQL;
  /** A mail of double opt-in: TRANSACTIONAL whatever the template's type, and written only if this holds. */
  confirmsIf?: SQL;
}

/** Inserts the content, once. Everything else is written only if this row is. */
export function insertContent(ctx: Context, content: ContentInput): Statement<{ id: Id; type: EmailType }> {
  const { id, subject, body, replyTo, headers, attachments, size, ownData, recipients, onlyIf, confirmsIf } = content;
  const type = confirmsIf ? sql`'TRANSACTIONAL'` : sql`coalesce(v.type, 'TRANSACTIONAL')`;
  // The mail has no topic: a contact that left one must still be able to confirm.
  const topicId = content.templateId === null || confirmsIf ? sql`NULL` : sql`template.topic_id`;
  const fromEmail = content.from === null ? sql`v.from_email` : sql`${content.from}`;
  const bodyKey = body ? sql`${body.bodyKey}` : sql`v.body_key`;
  return statement(
    sql`INSERT INTO email_contents (project_id, id, subject, preview_text, body, body_key, from_email, from_name, reply_to, headers,
        attachments, size, own_data, type, is_confirmation, topic_id, template_id, template_version_id, link_base, is_tracked,
        recipients, created_at)
      SELECT ${ctx.project.number}, ${id}, coalesce(${subject}, v.subject), v.preview_text, ${body?.body ?? null}, ${bodyKey}, ${fromEmail},
        coalesce(${content.fromName}, v.from_name, ${ctx.project.fromName || null}), coalesce(${replyTo}, v.reply_to),
        ${JSON.stringify(headers)}, ${JSON.stringify(attachments)},
        ${size} + ${body ? sql`0` : sql`coalesce(octet_length(v.body), 0)`}, ${JSON.stringify(ownData)},
        ${type}, ${confirmsIf !== undefined}, ${topicId}, v.template_id, v.id, ${linkBase(ctx)},
        ${content.mayTrack ? isTracked(ctx) : sql`false`}, ${recipients}, ${ctx.now.getTime()}
      FROM ${contentSource(ctx, content.templateId)}
      WHERE EXISTS (${verifiedDomain(ctx, domainInSql(fromEmail))})${confirmsIf ? sql` AND ${confirmsIf}` : sql``}${onlyIf ? sql` AND ${onlyIf}` : sql``}
      RETURNING id, type`,
    columns({ id: asId, type: asOneOf<EmailType>() }),
    { again: sql`SELECT id, type FROM email_contents WHERE ${inProject(ctx)} AND id = ${id}` },
  );
}

/** Returns whether the content is tracked now, by its type. It is SQL, because the template may decide the type. */
function isTracked({ project }: Context): SQL {
  const tracked = JSON.stringify(emailTypes.filter((type) => isTypeTracked(project.tracking, type)));
  return sql`coalesce(v.type, 'TRANSACTIONAL') IN (SELECT value FROM json_each(${tracked}))`;
}

/** The current version of the template. Without a template there is a single row with null in all its columns. */
export function contentSource(ctx: Context, templateId: Id | null): SQL {
  // No row has this id. For a condition without a key, such as `false`, SQLite would read all versions of all projects.
  if (templateId === null)
    return sql`(SELECT 1) LEFT JOIN template_versions v ON ${inProject(ctx, "v")} AND v.id = NULL`;
  return sql`templates template JOIN template_versions v ON ${inProject(ctx, "template")}
    AND template.id = ${templateId} AND v.project_id = template.project_id AND v.id = template.version_id`;
}

/** An email as its insert returns it. */
interface InsertedEmail {
  id: Id;
  contactId: Id;
  status: "QUEUED" | "SUPPRESSED";
  priority: Priority;
}

/**
 * Inserts one row per recipient. They join the contacts that the same batch has just written. Whether a scheduled mail
 * may go to its recipient is asked when it is due; the sweep announces it then.
 */
export function insertEmails(
  ctx: Context,
  {
    contentId,
    recipients,
    scheduledAt = null,
  }: { contentId: Id; recipients: Recipient[]; scheduledAt?: number | null },
): Statement<InsertedEmail> {
  const now = ctx.now.getTime();
  const reason =
    scheduledAt === null
      ? whyWithheld(ctx, {
          type: sql`content.type`,
          email: sql`c.email`,
          optedOutAt: sql`c.opted_out_at`,
          topicId: sql`content.topic_id`,
          contactId: sql`c.id`,
        })
      : sql`NULL`;
  return statement(
    sql`INSERT INTO emails (project_id, id, content_id, contact_id, to_email, to_written, to_name, source, priority, status, error,
        clock, scheduled_at, next_attempt_at, due_at, created_at)
      SELECT ${ctx.project.number}, emailId, ${contentId}, contactId, email, nullif(written, email), name,
        'TRANSACTIONAL', iif(type = 'TRANSACTIONAL', 0, 1), iif(reason IS NULL, 'QUEUED', 'SUPPRESSED'), reason,
        ${clockOf(ctx)}, ${scheduledAt}, iif(reason IS NULL, ${scheduledAt ?? now}, NULL),
        iif(reason IS NULL, ${scheduledAt ?? now + announceGraceMs}, NULL), ${now}
      FROM (SELECT r.value->>'emailId' AS emailId, c.id AS contactId, c.email, r.value->>'written' AS written,
          r.value->>'name' AS name, content.type, ${reason} AS reason
        FROM email_contents content
        CROSS JOIN json_each(${JSON.stringify(recipients)}) r
        CROSS JOIN contacts c ON ${inProject(ctx, "c")} AND c.email = r.value->>'email'
        WHERE ${inProject(ctx, "content")} AND content.id = ${contentId})
      RETURNING id, contact_id, status, priority`,
    columns({ id: asId, contactId: asId, status: asOneOf<InsertedEmail["status"]>(), priority: asPriority }),
    {
      // The emails to announce again. An email that was taken up since then is skipped by the condition on its row.
      again: sql`SELECT e.id, e.contact_id, iif(e.status = 'SUPPRESSED', e.status, 'QUEUED') AS status, e.priority
        FROM json_each(${JSON.stringify(recipients.map(({ emailId }) => emailId))}) r
        CROSS JOIN emails e ON ${inProject(ctx, "e")} AND e.id = r.value`,
    },
  );
}

/** The body of the call's answer, built from the rows that the same batch wrote. `routes.ts` has the same in code. */
export function answerInSql(ctx: Context, recipients: Recipient[]): SQL {
  const ids = JSON.stringify(recipients.map(({ emailId }) => ({ id: emailId, shown: publicId(emailId) })));
  return sql`json_object('success', json('true'), 'data', json_object('emails', (
      SELECT json_group_array(json_object(
        'contact', json_object('id', ${publicIdInSql(sql`e.contact_id`)}, 'email', e.to_email),
        'email', r.value->>'shown', 'status', e.status) ORDER BY r.key)
      FROM json_each(${ids}) r
      CROSS JOIN emails e ON ${inProject(ctx, "e")} AND e.id = r.value->>'id'
    ), 'timestamp', ${ctx.now.toISOString()}))`;
}
