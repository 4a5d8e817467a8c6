import { type SQL, sql } from "drizzle-orm";
import type { EmailStatus } from "../../../core/mail/status";
import { asId, asOneOf, asText, columns, orNull } from "../../../db/rows";
import { inProject } from "../../../db/scope";
import { type Statement, statement } from "../../../db/statement";
import type { Context } from "../../../platform/context";
import { updateMarked } from "../../campaigns/mark-pages";
import { updateUsageOf } from "../../projects/monthly-usage";
import { contactGone } from "../withhold";
import { selectLeftFiles, updateLeftContents, updateRecipients } from "./left-contents";

// Erases the mail of erased people, page by page. `page` is a SELECT with the `id` of each email. Erasing a page again
// changes nothing.

/** Empties the contents that have no recipients left. Must run before `updateErasedEmails`. */
export function updateErasedContents(ctx: Context, page: SQL): Statement[] {
  const contents = contentsOf(ctx, page);
  return [updateRecipients({ where: isOfPage(ctx, page) }), updateLeftContents(contents, { isErased: true })];
}

/**
 * Removes the personal data from the emails. A queued email becomes CANCELLED and no longer counts toward its month's
 * quota, unless an earlier attempt may have sent it: then it becomes UNKNOWN and still counts.
 */
export function updateErasedEmails(ctx: Context, page: SQL): Statement[] {
  const ofPage = isOfPage(ctx, page);
  return [
    updateMarked(ctx, { where: sql`${ofPage} AND ${isUnsent}` }),
    updateUsageOf(sql`${ofPage} AND ${isUnsent} AND e.uncertain_since IS NULL`),
    updateEmptied(ofPage),
  ];
}

/**
 * Matches queued mail, which will now never be handed over. Mail that was being handed over when it was emptied may be
 * queued again afterwards. The next hand-over ends it and gives its quota back, so a repeat must not.
 */
const isUnsent = sql`(e.status = 'QUEUED' AND e.to_email <> '')`;

/**
 * Empties the columns with personal data. Mail that is being handed over keeps its status. Recording its result later
 * puts no personal data back. The subject becomes '' and not NULL, because NULL would mean the content's subject, which
 * other recipients may still share.
 */
function updateEmptied(ofPage: SQL): Statement {
  return statement(
    sql`UPDATE emails AS e SET to_email = '', to_written = NULL, to_name = NULL, subject = '', contact = NULL, own_data = NULL,
        error = CASE WHEN ${isUnsent} THEN ${contactGone} END,
        status = CASE WHEN NOT ${isUnsent} THEN e.status WHEN e.uncertain_since IS NULL THEN 'CANCELLED' ELSE 'UNKNOWN' END,
        due_at = CASE WHEN NOT ${isUnsent} THEN e.due_at END, next_attempt_at = NULL
      WHERE ${ofPage} AND e.to_email <> ''`,
  );
}

/** Selects the contents of a page's emails, if they have no recipients left but still have files. */
export function selectErasedFiles(ctx: Context, page: SQL) {
  return selectLeftFiles(contentsOf(ctx, page));
}

const readCopied = columns({ id: asId, status: asOneOf<EmailStatus>(), providerMessageId: orNull(asText) });

/** Selects the emails of a page that have a copy in the outbox, or may be about to get one. */
export function selectCopied(ctx: Context, page: SQL) {
  return statement(
    sql`SELECT e.id, e.status, e.provider_message_id FROM emails e
      WHERE ${isOfPage(ctx, page)} AND e.provider = 'outbox'`,
    readCopied,
  );
}

function contentsOf(ctx: Context, page: SQL): SQL {
  return sql`SELECT e.project_id, e.content_id FROM emails e WHERE ${isOfPage(ctx, page)}`;
}

function isOfPage(ctx: Context, page: SQL): SQL {
  return sql`${inProject(ctx, "e")} AND e.id IN (SELECT id FROM (${page}))`;
}
