import { sql } from "drizzle-orm";
import type { Id } from "../../../core/ids";
import { maxMailsInFlight } from "../../../core/mail/permits";
import type { MailCursor } from "../../../core/mail/ring";
import type { Turn } from "../../../core/mail/turns";
import { asFlag, asId, asNumber, columns } from "../../../db/rows";
import { inProject } from "../../../db/scope";
import { select } from "../../../db/statement";
import { type Context, clockOf } from "../../../platform/context";
import { announceGraceMs } from "../announce";
import { isLeft } from "./left";

/** The maximum number of rows that a page skips, because their mail is in flight or waits for its next attempt. */
const passedRows = 200;

/**
 * Returns a page of a project's waiting mail: the due emails, and the cursor of the next page. The cursor is null after
 * the last page.
 */
export async function findWaiting(
  ctx: Context,
  { priority, after, mails }: Pick<Turn, "priority" | "after" | "mails">,
): Promise<{ emailIds: Id[]; cursor: MailCursor | null }> {
  const now = ctx.clock().getTime();
  const limit = mails + passedRows;
  const rows = await select(
    ctx.db,
    sql`SELECT id, due_at, status = 'QUEUED' AND next_attempt_at <= ${now} AND NOT ${isLeft(ctx, "emails")} AS is_due
      FROM emails INDEXED BY ix_emails_due
      WHERE clock = ${clockOf(ctx)} AND ${inProject(ctx)} AND priority = ${priority}
        AND (due_at, id) > (${after?.dueAt ?? 0}, ${after?.id ?? ""}) AND due_at <= ${now + announceGraceMs}
      ORDER BY due_at, id LIMIT ${limit}`,
    columns({ id: asId, dueAt: asNumber, isDue: asFlag }),
  );
  const due = rows.filter(({ isDue }) => isDue).slice(0, mails);
  const last = due.length === mails ? due.at(-1) : rows.length === limit ? rows.at(-1) : undefined;
  return { emailIds: due.map(({ id }) => id), cursor: last ? { dueAt: last.dueAt, id: last.id } : null };
}

/**
 * The maximum number of rows that the search for a probe reads. That is enough to skip all mail of unanswered calls,
 * which is the mail that was in flight when the provider failed.
 */
const passedByProbe = maxMailsInFlight + passedRows;

/**
 * Finds the mail that probes whether the provider works again. The first due mail that was not in an unanswered call is
 * preferred, because an unanswered call may have many emails, and can only be repeated as a whole.
 */
export async function findProbe(ctx: Context, { priority, after }: Pick<Turn, "priority" | "after">): Promise<Id[]> {
  const now = ctx.clock().getTime();
  const rows = await select(
    ctx.db,
    sql`SELECT id FROM (SELECT id, due_at, status, next_attempt_at, uncertain_since, priority, provider FROM emails INDEXED BY ix_emails_due
      WHERE clock = ${clockOf(ctx)} AND ${inProject(ctx)} AND priority = ${priority}
        AND (due_at, id) > (${after?.dueAt ?? 0}, ${after?.id ?? ""}) AND due_at <= ${now + announceGraceMs}
      ORDER BY due_at, id LIMIT ${passedByProbe}) e
      WHERE status = 'QUEUED' AND next_attempt_at <= ${now} AND NOT ${isLeft(ctx, "e")}
      ORDER BY uncertain_since IS NOT NULL, due_at, id LIMIT 1`,
    columns({ id: asId }),
  );
  return rows.map(({ id }) => id);
}

/**
 * Finds the due mail whose unknown outcome only this provider can settle. That mail was handed over before the mail
 * that waits now, so it is among the first due mail, and one page is enough.
 */
export async function findOwn(
  ctx: Context,
  { priority, mails }: Pick<Turn, "priority" | "mails">,
): Promise<{ emailIds: Id[]; cursor: null }> {
  const now = ctx.clock().getTime();
  const rows = await select(
    ctx.db,
    sql`SELECT id FROM (SELECT id, due_at, status, next_attempt_at, uncertain_since, provider
        FROM emails INDEXED BY ix_emails_due
        WHERE clock = ${clockOf(ctx)} AND ${inProject(ctx)} AND priority = ${priority} AND due_at <= ${now + announceGraceMs}
        ORDER BY due_at, id LIMIT ${passedByProbe})
      WHERE status = 'QUEUED' AND next_attempt_at <= ${now} AND uncertain_since IS NOT NULL AND provider = ${ctx.mailer.name}
      ORDER BY due_at, id LIMIT ${mails}`,
    columns({ id: asId }),
  );
  return { emailIds: rows.map(({ id }) => id), cursor: null };
}
