import { sql } from "drizzle-orm";
import { newId } from "../../core/ids";
import type { Attachment } from "../../core/mail/attachments";
import { minuteMs } from "../../core/time";
import { openBatch } from "../../db/batch";
import { asText, columns, wholeRow } from "../../db/rows";
import { statement } from "../../db/statement";
import { type ContentRow, type EmailRow, emails } from "../../db/tables";
import type { Context } from "../../platform/context";
import type { TakenTurn } from "../../platform/turns";
import { largeMailBytes } from "./announce";
import { contactSnapshot, selectContents } from "./content";
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
  const isOfMine = sql`content.id IN (SELECT e.content_id FROM emails e WHERE ${isMine})`;
  const batch = openBatch(ctx);
  const claimed = batch.add(
    statement(
      sql`UPDATE emails SET status = 'SENDING', claim = ${token}, lease_until = ${now + leaseMs}, handed_at = NULL,
          next_attempt_at = NULL, next_announce_at = NULL,
          contact = ${contactSnapshot()}
        WHERE project_id = ${ctx.project.id} AND id IN (SELECT value FROM json_each(${ids}))
          AND status = 'QUEUED' AND next_attempt_at <= ${now}
        RETURNING *`,
      wholeRow(emails),
    ),
  );
  const contents = batch.add(selectContents(ctx, isOfMine));
  const maySend = batch.add(
    statement(
      sql`SELECT content.id FROM email_contents content WHERE content.project_id = ${ctx.project.id} AND ${isOfMine}
        AND EXISTS (${verifiedDomain(ctx, domainInSql(sql`content.from_email`))})`,
      columns({ id: asText }),
    ),
  );
  await batch.commit();
  return {
    token,
    emails: claimed.all,
    contents: new Map(contents.all.map((row) => [row.id, row])),
    maySend: new Set(maySend.all.map(({ id }) => id)),
    large: new Set(contents.all.filter(({ size }) => size > largeMailBytes).map(({ id }) => id)),
    loaded: null,
    turn: undefined,
  };
}
