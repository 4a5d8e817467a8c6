import { sql } from "drizzle-orm";
import { newId } from "../../core/ids";
import type { Attachment } from "../../core/mail/attachments";
import { minuteMs } from "../../core/time";
import { commit, statement } from "../../db/commit";
import { readRow } from "../../db/rows";
import { type ContentRow, type EmailRow, emails } from "../../db/tables";
import type { Context } from "../../platform/context";
import type { TakenTurn } from "../../platform/turns";
import { largeMailBytes } from "./announce";
import { contactSnapshot, readContent, selectContents } from "./content";
import { domainInSql, verifiedDomain } from "./sender-domain";

/** Longer than a provider call may take, so that a lease that is over means that its holder is gone or overtaken. */
export const leaseMs = 2 * minuteMs;

/** Emails that one consumer holds, and all it needs to compose them. */
export interface Claim {
  token: string;
  emails: EmailRow[];
  contents: Map<string, ContentRow>;
  /** Ids of contents whose sender domain is verified in this project, now. */
  maySend: Set<string>;
  /** Ids of contents whose mails are handled alone. More are found when they are composed. */
  large: Set<string>;
  /** What lies in R2 of the content that was composed last, read once however many recipients share it. */
  loaded: { contentId: string; body: string; attachments: Attachment[] } | null;
  /** Of this claim among all that the isolate works on; null when none came, undefined before a mail has needed one. */
  turn: TakenTurn | null | undefined;
}

/**
 * Takes those of the emails that are due and that nobody else holds; a second message about the same ones gets none.
 * The first claim also keeps the contact as it is now, so that every later try renders the same mail.
 */
export async function claimEmails(ctx: Context, emailIds: string[]): Promise<Claim> {
  const token = newId();
  // Other messages of its batch may have come first, and taken a while: the lease begins now.
  const now = ctx.clock().getTime();
  const ids = JSON.stringify(emailIds);
  const isMine = sql`e.project_id = ${ctx.project.id} AND e.id IN (SELECT value FROM json_each(${ids}))
    AND e.claim = ${token}`;
  const [claimed = [], contents = [], maySend = []] = await commit(ctx.db, [
    statement(
      ctx.db,
      sql`UPDATE emails SET status = 'SENDING', claim = ${token}, lease_until = ${now + leaseMs}, handed_at = NULL,
          next_attempt_at = NULL, next_announce_at = NULL,
          contact = ${contactSnapshot()}
        WHERE project_id = ${ctx.project.id} AND id IN (SELECT value FROM json_each(${ids}))
          AND status = 'QUEUED' AND next_attempt_at <= ${now}
        RETURNING *`,
    ),
    statement(ctx.db, selectContents(ctx, sql`content.id IN (SELECT e.content_id FROM emails e WHERE ${isMine})`)),
    statement(
      ctx.db,
      sql`SELECT content.id FROM email_contents content WHERE content.project_id = ${ctx.project.id}
        AND content.id IN (SELECT e.content_id FROM emails e WHERE ${isMine})
        AND EXISTS (${verifiedDomain(ctx, domainInSql(sql`content.from_email`))})`,
    ),
  ]);
  const rows = contents.map(readContent);
  return {
    token,
    emails: claimed.map((row) => readRow(emails, row)),
    contents: new Map(rows.map((row) => [row.id, row])),
    maySend: new Set(maySend.map((row) => String(row.id))),
    large: new Set(rows.filter(({ size }) => size > largeMailBytes).map(({ id }) => id)),
    loaded: null,
    turn: undefined,
  };
}
