import { type SQL, sql } from "drizzle-orm";
import type { Id } from "../../../core/ids";
import { ofCampaigns, type Priority } from "../../../core/mail/priority";
import type { EmailSource, EmailType } from "../../../core/mail/status";
import { insertSelected, type SelectedRow } from "../../../db/insert-selected";
import { asFlag, asId, asPriority, columns } from "../../../db/rows";
import { inProject } from "../../../db/scope";
import { type Statement, statement } from "../../../db/statement";
import { emails } from "../../../db/tables";
import { type Context, clockOf } from "../../../platform/context";
import { monthIsOver, statusesInMonth } from "../../projects/monthly-usage";
import { announceGraceMs } from "../announce";
import { whyWithheld } from "../withhold";

/** Emails to accept, all from one source. */
interface NewEmails {
  source: EmailSource;
  at: Date;
  /**
   * A query with a row for each email: its `id`, `content_id`, `contact_id` and `to_email`, the `type` of its content,
   * and the `reason` not to send it, or NULL.
   */
  from: SQL;
  /**
   * When the emails are due; null for mail that is held. If `dueAt` is absent, the emails are due at once and are
   * announced.
   */
  dueAt?: number | null;
  /** Columns that only some sources set. */
  more?: Partial<SelectedRow<typeof emails>>;
}

/** Inserts emails. This statement inserts every email, whatever its source. */
export function insertEmails(ctx: Context, mail: NewEmails): Statement {
  return statement(insertAccepted(ctx, mail));
}

/** The columns of an inserted email that the statement returns. */
export interface InsertedEmail {
  id: Id;
  contactId: Id;
  isQueued: boolean;
  priority: Priority;
}

/** Inserts emails and returns the inserted ones. `ids` contains the ids of all emails that `mail` selects. */
export function insertEmailsReturning(ctx: Context, ids: Id[], mail: NewEmails): Statement<InsertedEmail> {
  return statement(
    sql`${insertAccepted(ctx, mail)}
      RETURNING id, contact_id, status = 'QUEUED' AS is_queued, priority`,
    columns({ id: asId, contactId: asId, isQueued: asFlag, priority: asPriority }),
    {
      // Finds the inserted emails, so that they can be announced. If a consumer has already taken an email, the message
      // about it has no effect, because its row is no longer due.
      again: sql`SELECT e.id, e.contact_id, e.status <> 'SUPPRESSED' AS is_queued, e.priority
        FROM json_each(${JSON.stringify(ids)}) r CROSS JOIN emails e ON ${inProject(ctx, "e")} AND e.id = r.value`,
    },
  );
}

/**
 * A recipient of a call, with the ids of the rows to insert. All recipients of a call, up to 500, are one JSON
 * parameter of a statement.
 */
export interface Recipient {
  emailId: Id;
  /** The id that the contact gets if it is new. */
  contactId: Id;
  email: string;
  written: string;
  name: string | null;
}

/**
 * Inserts one email for each recipient, joined with the contacts that the same batch has just written. If the mail is
 * scheduled, the recipient's subscription is checked only when the mail is due, and the sweep announces the mail at
 * that time.
 */
export function insertEmailsTo(
  ctx: Context,
  {
    contentId,
    recipients,
    scheduledAt = null,
  }: { contentId: Id; recipients: Recipient[]; scheduledAt?: number | null },
): Statement<InsertedEmail> {
  const mail = { type: sql`content.type`, topicId: sql`content.topic_id` };
  const ids = recipients.map(({ emailId }) => emailId);
  return insertEmailsReturning(ctx, ids, {
    source: "TRANSACTIONAL",
    at: ctx.now,
    dueAt: scheduledAt ?? undefined,
    more: { toWritten: sql`nullif(written, to_email)`, toName: sql`name`, scheduledAt },
    from: sql`SELECT r.value->>'emailId' AS id, content.id AS content_id, c.id AS contact_id, c.email AS to_email,
        r.value->>'written' AS written, r.value->>'name' AS name, content.type,
        ${scheduledAt === null ? whyWithheld(ctx, mail) : sql`NULL`} AS reason
      FROM email_contents content
      CROSS JOIN json_each(${JSON.stringify(recipients)}) r
      CROSS JOIN contacts c ON ${inProject(ctx, "c")} AND c.email = r.value->>'email'
      WHERE ${inProject(ctx, "content")} AND content.id = ${contentId}`,
  });
}

function insertAccepted(ctx: Context, { source, at, from, dueAt, more }: NewEmails): SQL {
  const now = at.getTime();
  const [nextAttemptAt, sweptAt] = dueAt === undefined ? [now, now + announceGraceMs] : [dueAt, dueAt];
  const ifQueued = (value: number | null) => sql`iif(status = 'QUEUED', ${value}, NULL)`;
  // No caller waits for the mail of campaigns and workflows, so emails beyond the month's limit are accepted as FAILED.
  // A call beyond the limit is refused as a whole instead.
  const isByItself = source === "CAMPAIGN" || source === "WORKFLOW";
  const status = isByItself ? statusesInMonth(ctx, at) : sql`iif(reason IS NULL, 'QUEUED', 'SUPPRESSED')`;
  const insert = insertSelected(
    emails,
    {
      projectId: ctx.project.number,
      id: sql`id`,
      contentId: sql`content_id`,
      contactId: sql`contact_id`,
      toEmail: sql`to_email`,
      source,
      priority: priorityOf(ctx, source),
      status: sql`status`,
      error: sql`CASE status WHEN 'SUPPRESSED' THEN reason WHEN 'FAILED' THEN ${monthIsOver} END`,
      clock: clockOf(ctx),
      nextAttemptAt: ifQueued(nextAttemptAt),
      dueAt: ifQueued(sweptAt),
      createdAt: now,
      endedAt: sql`iif(status = 'QUEUED', NULL, ${now})`,
      ...more,
    },
    sql`(SELECT *, ${status} AS status FROM (${from})) WHERE true`,
  );
  return isByItself ? sql`${insert} ON CONFLICT DO NOTHING` : insert;
}

function priorityOf(ctx: Context, source: EmailSource): SQL | Priority {
  if (source === "CAMPAIGN") return ofCampaigns;
  return source === "TEST" && ctx.accounts.marketing === null ? 0 : sql`iif(type = 'TRANSACTIONAL', 0, 1)`;
}

/**
 * Returns the priority of a test email. It is the highest, so that the test waits behind no other mail, unless a
 * separate account for marketing mail must send the test.
 */
export function priorityOfTest(ctx: Context, type: EmailType): Priority {
  return ctx.accounts.marketing === null || type === "TRANSACTIONAL" ? 0 : 1;
}
