import { type SQL, sql } from "drizzle-orm";
import type { ContactSnapshot } from "../../core/mail/message";
import { commit, query, statement } from "../../db/commit";
import { readRow } from "../../db/rows";
import { type ContentRow, type EmailRow, emailContents } from "../../db/tables";
import type { Context } from "../../platform/context";

/** Contents with the body of the template's version, where they have none of their own. */
export function selectContents(ctx: Context, where: SQL): SQL {
  return sql`SELECT content.*, v.body AS version_body FROM email_contents content
    LEFT JOIN template_versions v ON v.id = content.template_version_id AND content.body IS NULL
      AND content.body_key IS NULL
    WHERE content.project_id = ${ctx.project.id} AND ${where}`;
}

export function readContent(row: Record<string, unknown>): ContentRow {
  return readRow(emailContents, { ...row, body: row.body ?? row.version_body });
}

/** Several of them, by id. */
export async function findContents(ctx: Context, contentIds: string[]): Promise<Map<string, ContentRow>> {
  const ids = JSON.stringify(contentIds);
  const rows = await query(ctx.db, selectContents(ctx, sql`content.id IN (SELECT value FROM json_each(${ids}))`));
  return new Map(rows.map(readContent).map((content) => [content.id, content]));
}

/** What an email says and to whom, for reading: with the contact as it was taken up, or as it is when it was not yet. */
export async function findContent(
  ctx: Context,
  email: EmailRow,
): Promise<{ content: ContentRow; contact: ContactSnapshot } | null> {
  const [contents, contacts] = await commit(ctx.db, [
    statement(ctx.db, selectContents(ctx, sql`content.id = ${email.contentId}`)),
    statement(
      ctx.db,
      sql`SELECT ${contactSnapshot()} AS contact FROM emails
        WHERE project_id = ${ctx.project.id} AND id = ${email.id}`,
    ),
  ]);
  const [content, row] = [contents?.[0], contacts?.[0]];
  if (!content || typeof row?.contact !== "string") return null;
  return { content: readContent(content), contact: JSON.parse(row.contact) };
}

/** As the contact was when the email was first taken up, or is now. Null when the contact is gone, also if it was kept. */
export function contactSnapshot() {
  return sql`(SELECT coalesce(emails.contact, json_object('id', c.id, 'email', c.email,
      'subscribed', json(iif(c.subscribed, 'true', 'false')), 'data', json(c.data)))
    FROM contacts c WHERE c.project_id = emails.project_id AND c.id = emails.contact_id)`;
}
