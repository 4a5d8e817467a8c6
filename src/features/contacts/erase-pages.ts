import { type SQL, sql } from "drizzle-orm";
import type { Id } from "../../core/ids";
import { inProject } from "../../db/scope";
import { type Statement, statement } from "../../db/statement";
import { updateMarked } from "../../engine/campaigns/mark-pages";
import { contactGone } from "../../engine/mail/withhold";
import { updateUsageOf } from "../../engine/projects/monthly-usage";
import { blobKey } from "../../platform/blobs";
import type { Context } from "../../platform/context";

/** The number of emails, and of events, that one batch empties, whether of one person or of a thousand. */
export const rowsPerBatch = 1_000;

/** The keyset position of the last row of a page. The next page continues after it. */
export interface ErasureCursor {
  contactId: Id;
  /** The index sorts a person's emails by campaign, those without one first. Null for an event. */
  campaignId: Id | null;
  id: Id;
}

/**
 * Selects the next emails or events of erased people, in the order of the index by contact. `contactIds` is a JSON
 * array. The person at whose rows the last page ended has a branch of their own in the query: only so does the index
 * lead straight to the cursor, and a page in the midst of a million rows costs no more than the first.
 */
export function pageOf(ctx: Context, table: "emails" | "events", contactIds: string, after: ErasureCursor | null): SQL {
  return table === "emails" ? pageOfEmails(ctx, contactIds, after) : pageOfEvents(ctx, contactIds, after);
}

function pageOfEmails(ctx: Context, contactIds: string, after: ErasureCursor | null): SQL {
  const rows = sql`SELECT contact_id, campaign_id, id FROM emails WHERE ${inProject(ctx)}`;
  const inOrder = sql`ORDER BY contact_id, campaign_id, id LIMIT ${rowsPerBatch}`;
  if (after === null) return sql`${rows} AND contact_id IN (SELECT value FROM json_each(${contactIds})) ${inOrder}`;
  const { contactId, campaignId, id } = after;
  const ofNone = sql`${rows} AND contact_id = ${contactId} AND campaign_id IS NULL AND id > ${id} UNION ALL `;
  return sql`${campaignId === null ? ofNone : sql``}
    ${rows} AND contact_id = ${contactId} AND campaign_id > ${campaignId ?? ""}
    UNION ALL
    ${rows} AND contact_id IN (SELECT value FROM json_each(${contactIds}) WHERE value > ${contactId}) ${inOrder}`;
}

function pageOfEvents(ctx: Context, contactIds: string, after: ErasureCursor | null): SQL {
  const rows = sql`SELECT contact_id, NULL AS campaign_id, id FROM events WHERE ${inProject(ctx)}`;
  const inOrder = sql`ORDER BY contact_id, id LIMIT ${rowsPerBatch}`;
  if (after === null) return sql`${rows} AND contact_id IN (SELECT value FROM json_each(${contactIds})) ${inOrder}`;
  return sql`${rows} AND contact_id = ${after.contactId} AND id > ${after.id}
    UNION ALL
    ${rows} AND contact_id IN (SELECT value FROM json_each(${contactIds}) WHERE value > ${after.contactId}) ${inOrder}`;
}

/**
 * Subtracts a page of emails from their contents' recipients, and empties contents without recipients left. An email
 * that is empty was subtracted before, so a repeated page subtracts nothing twice. Must run before
 * `updateErasedEmails`.
 */
export function updateLeftContents(ctx: Context, page: SQL): Statement[] {
  return [updateRecipients(ctx, page), updateContentsLeftByAll(ctx, page)];
}

function updateRecipients(ctx: Context, page: SQL): Statement {
  return statement(
    sql`UPDATE email_contents AS content SET recipients = recipients - gone.emails
      FROM (SELECT e.project_id, e.content_id, count(*) AS emails FROM emails e
        WHERE ${isOfPage(ctx, page)} AND e.to_email <> '' AND NOT e.is_forgotten GROUP BY e.project_id, e.content_id) gone
      WHERE content.project_id = gone.project_id AND content.id = gone.content_id`,
  );
}

/**
 * The sender stays, so that records still name it; `reply_to` goes, because it may be the person's own address. The
 * names of files stay until the files are deleted.
 */
function updateContentsLeftByAll(ctx: Context, page: SQL): Statement {
  return statement(
    sql`UPDATE email_contents AS content SET subject = '', preview_text = NULL, body = NULL, reply_to = NULL, headers = '{}',
        own_data = '{}', body_key = CASE WHEN ${isOwnFile(ctx)} THEN body_key END, template_version_id = NULL
      WHERE ${isLeftByAll(ctx, page)}`,
  );
}

/** Mail that has not been handed over, and now never will be. */
const isUnsent = sql`e.status = 'QUEUED'`;

/** Gives the quota of the month back for mail that ends CANCELLED. Must run before `updateErasedEmails`. */
export function updateUsageOfErased(ctx: Context, page: SQL): Statement {
  return updateUsageOf(sql`${isOfPage(ctx, page)} AND ${isUnsent} AND e.uncertain_since IS NULL`);
}

/** Updates the campaigns' counters. Must run before `updateErasedEmails`. */
export function updateMarkedByErasure(ctx: Context, page: SQL): Statement {
  return updateMarked(ctx, { where: sql`${isOfPage(ctx, page)} AND ${isUnsent}` });
}

/**
 * Mail that is being handed over keeps its status: its result will restore nothing in an emptied row. The subject is ''
 * and not NULL, because NULL would stand for the content's subject while other recipients still share it.
 */
export function updateErasedEmails(ctx: Context, page: SQL): Statement {
  return statement(
    sql`UPDATE emails AS e SET to_email = '', to_written = NULL, to_name = NULL, subject = '', contact = NULL, own_data = NULL,
        error = CASE WHEN ${isUnsent} THEN ${contactGone} END,
        status = CASE WHEN NOT ${isUnsent} THEN e.status WHEN e.uncertain_since IS NULL THEN 'CANCELLED' ELSE 'UNKNOWN' END,
        due_at = CASE WHEN NOT ${isUnsent} THEN e.due_at END, next_attempt_at = NULL
      WHERE ${isOfPage(ctx, page)} AND e.to_email <> ''`,
  );
}

export function updateErasedEvents(ctx: Context, page: SQL): Statement {
  return statement(sql`UPDATE events AS e SET data = '{}' WHERE ${isOfPage(ctx, page)} AND e.data <> '{}'`);
}

/**
 * Clears the endpoints' answers, which may say something about the person. A delivery that is still waiting will be
 * made from the emptied event.
 */
export function updateErasedDeliveries(ctx: Context, page: SQL): Statement {
  return statement(
    sql`UPDATE webhook_deliveries AS d INDEXED BY ix_webhook_deliveries_expiry SET error = NULL, response = NULL
      WHERE ${inProject(ctx, "d")} AND d.event_id IN (SELECT id FROM (${page}))
        AND (d.error IS NOT NULL OR d.response IS NOT NULL)`,
  );
}

/** Selects the contents of a page's emails that have no recipients left but still have files. */
export function contentsWithFiles(ctx: Context, page: SQL): SQL {
  return sql`SELECT content.id, content.body_key, json_array_length(content.attachments) AS attachments
    FROM email_contents content
    WHERE ${isLeftByAll(ctx, page)} AND (content.attachments <> '[]' OR content.body_key IS NOT NULL)`;
}

/** Selects the emails of a page of which the embedded outbox stores a copy, or is about to. */
export function emailsWithCopies(ctx: Context, page: SQL): SQL {
  return sql`SELECT e.id, e.status, e.provider_message_id FROM emails e
    WHERE ${isOfPage(ctx, page)} AND e.provider = 'outbox'`;
}

/** Must run after the files are deleted. */
export function updateErasedFiles(ctx: Context, contentIds: Id[]): Statement {
  return statement(
    sql`UPDATE email_contents AS content SET attachments = '[]', body_key = NULL
      WHERE ${inProject(ctx, "content")}
        AND content.id IN (SELECT value FROM json_each(${JSON.stringify(contentIds)})) AND content.recipients <= 0`,
  );
}

function isOfPage(ctx: Context, page: SQL): SQL {
  return sql`${inProject(ctx, "e")} AND e.id IN (SELECT id FROM (${page}))`;
}

function isLeftByAll(ctx: Context, page: SQL): SQL {
  return sql`${inProject(ctx, "content")}
    AND content.id IN (SELECT e.content_id FROM emails e WHERE ${isOfPage(ctx, page)}) AND content.recipients <= 0`;
}

/** Whether the body's file belongs to the content alone. It may also be a template's file, which other mails share. */
function isOwnFile(ctx: Context): SQL {
  return sql`content.body_key = ${blobKey("content", ctx.project.id, "")} || content.id`;
}
