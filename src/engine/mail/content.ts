import { type SQL, sql } from "drizzle-orm";
import type { Id } from "../../core/ids";
import type { ContactSnapshot } from "../../core/mail/message";
import { keysRead } from "../../core/templating/keys-read";
import { templatesOf } from "../../core/templating/render";
import { openBatch } from "../../db/batch";
import { asJson, columns, orNull, type RowReader, wholeRow } from "../../db/rows";
import { inProject } from "../../db/scope";
import { type Statement, statement } from "../../db/statement";
import { type ContentRow, type EmailRow, emailContents, emails } from "../../db/tables";
import type { Context } from "../../platform/context";
import { isStranger } from "../contacts/stranger";

/** Selects content rows. If a row has no body of its own, it gets the body of its template's version. */
export function selectContents(ctx: Context, where: SQL): Statement<ContentRow> {
  return statement(
    sql`SELECT content.*, v.body AS version_body FROM email_contents content
      LEFT JOIN template_versions v ON v.project_id = content.project_id AND v.id = content.template_version_id
        AND content.body IS NULL AND content.body_key IS NULL
      WHERE ${inProject(ctx, "content")} AND ${where}`,
    readContent,
  );
}

const readOwn = wholeRow(emailContents);

const readContent: RowReader<ContentRow> = (raw) => readOwn({ ...raw, body: raw.body ?? raw.version_body });

/** Finds several content rows by their ids. */
export async function findContents(ctx: Context, contentIds: Id[]): Promise<Map<Id, ContentRow>> {
  const ids = JSON.stringify(contentIds);
  const batch = openBatch(ctx);
  const contents = batch.add(selectContents(ctx, sql`content.id IN (SELECT value FROM json_each(${ids}))`));
  await batch.commit();
  return new Map(contents.all.map((content) => [content.id, content]));
}

export const contentGone = "The content of this email is no longer stored.";

/**
 * Returns the content and the recipient of an email, for display. The contact is shown as it was at the hand-over, or
 * as it is now if the email was not handed over yet. Returns null when either is no longer stored.
 */
export async function findContent(
  ctx: Context,
  email: EmailRow,
): Promise<{ content: ContentRow; contact: ContactSnapshot } | null> {
  if (email.isForgotten) return null;
  const batch = openBatch(ctx);
  const contents = batch.add(selectContents(ctx, sql`content.id = ${email.contentId}`));
  const contacts = batch.add(
    statement(
      sql`SELECT ${contactSnapshot} AS contact FROM emails e
        WHERE ${inProject(ctx, "e")} AND e.id = ${email.id}`,
      columns({ contact: orNull(asJson<ContactSnapshot>()) }),
    ),
  );
  await batch.commit();
  const [content, contact] = [contents.first, contacts.first?.contact];
  return content && contact ? { content, contact } : null;
}

/**
 * The contact of an email `e` as it was at the first hand-over or, before that, as it is now. NULL when the contact no
 * longer exists, even if a copy was stored. A test can go to an address without a contact, so the row of a test stores
 * its recipient.
 */
export const contactSnapshot: SQL = sql`iif(e.source = 'TEST' AND e.contact IS NOT NULL, e.contact, (SELECT coalesce(e.contact, json_object('email', c.email,
    'subscribed', json(iif(c.subscribed, 'true', 'false')), 'data', json(c.data),
    'isStranger', json(iif(${isStranger}, 'true', 'false'))))
  FROM contacts c WHERE c.project_id = e.project_id AND c.id = e.contact_id))`;

const readEmail = wholeRow(emails);

/** Reads `SELECT e.*, contactSnapshot AS rendered_with`: an email with the contact for which it is rendered. */
export const readEmailToRender: RowReader<EmailRow> = (raw) => readEmail({ ...raw, contact: raw.rendered_with });

/**
 * Returns the part of the contact that the email's row stores. It has only the keys that the email's content can read,
 * so that the row stays small. The locale is included for the footer of marketing mail.
 */
export function keptSnapshot(
  content: Pick<ContentRow, "type" | "subject" | "previewText"> & { body: string },
  { data, isStranger: isUnknown, ...person }: ContactSnapshot,
): ContactSnapshot {
  const contact = { ...person, ...(isUnknown && { isStranger: true }) };
  const keys = keysRead(templatesOf(content));
  if (keys === null) return { ...contact, data };
  const isRead = (key: string) => keys.has(key) || (key === "locale" && content.type === "MARKETING");
  return { ...contact, data: Object.fromEntries(Object.entries(data).filter(([key]) => isRead(key))) };
}
