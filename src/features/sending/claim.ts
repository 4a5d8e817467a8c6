import { sql } from "drizzle-orm";
import { newId } from "../../core/ids";
import { minuteMs } from "../../core/time";
import { commit, statement } from "../../db/commit";
import { readRow } from "../../db/rows";
import { emailContents, emails } from "../../db/tables";
import type { Context } from "../../platform/context";

export type EmailRow = typeof emails.$inferSelect;
export type ContentRow = typeof emailContents.$inferSelect;

/** Longer than a provider call may take, so that a lease that is over means that its holder is gone or overtaken. */
export const leaseMs = 2 * minuteMs;

/** Emails that one consumer holds, and all it needs to compose them. */
export interface Claim {
  token: string;
  emails: EmailRow[];
  contents: Map<string, ContentRow>;
  suppressed: Set<string>;
}

/**
 * Takes those of the emails that are due and that nobody else holds; a second message about the same ones gets none.
 * The first claim also keeps the contact as it is now, so that every later try renders the same mail.
 */
export async function claimEmails(ctx: Context, emailIds: string[]): Promise<Claim> {
  const token = newId();
  const now = ctx.now.getTime();
  const ids = JSON.stringify(emailIds);
  const isMine = sql`e.project_id = ${ctx.project.id} AND e.id IN (SELECT value FROM json_each(${ids}))
    AND e.claim = ${token}`;
  const [claimed = [], contents = [], suppressed = []] = await commit(ctx.db, [
    statement(
      ctx.db,
      sql`UPDATE emails SET status = 'SENDING', claim = ${token}, lease_until = ${now + leaseMs}, handed_at = NULL,
          next_attempt_at = NULL, next_announce_at = NULL,
          contact = coalesce(contact, ${contactSnapshot()})
        WHERE project_id = ${ctx.project.id} AND id IN (SELECT value FROM json_each(${ids}))
          AND status = 'QUEUED' AND next_attempt_at <= ${now}
        RETURNING *`,
    ),
    statement(
      ctx.db,
      sql`SELECT * FROM email_contents WHERE project_id = ${ctx.project.id}
        AND id IN (SELECT e.content_id FROM emails e WHERE ${isMine})`,
    ),
    statement(
      ctx.db,
      sql`SELECT email FROM suppressions WHERE project_id = ${ctx.project.id}
        AND email IN (SELECT e.to_email FROM emails e WHERE ${isMine})`,
    ),
  ]);
  const rows = contents.map((row) => readRow(emailContents, row));
  return {
    token,
    emails: claimed.map((row) => readRow(emails, row)),
    contents: new Map(rows.map((row) => [row.id, row])),
    suppressed: new Set(suppressed.map((row) => String(row.email))),
  };
}

/** Null when the contact is gone. */
function contactSnapshot() {
  return sql`(SELECT json_object('id', c.id, 'email', c.email, 'subscribed', json(iif(c.subscribed, 'true', 'false')),
    'data', json(c.data)) FROM contacts c WHERE c.project_id = emails.project_id AND c.id = emails.contact_id)`;
}
