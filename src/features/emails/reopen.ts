import { type SQL, sql } from "drizzle-orm";
import { asId, asNumber, asPriority, columns, orNull } from "../../db/rows";
import { type Statement, statement } from "../../db/statement";
import { announceEmails, announceGraceMs } from "../../engine/mail/announce";
import { settledBy } from "../../engine/mail/report/report";
import type { Context } from "../../platform/context";

const readReopened = columns({ id: asId, priority: asPriority, nextAttemptAt: orNull(asNumber) });
export type Reopened = ReturnType<typeof readReopened>;

/**
 * Queues the ended emails that match `where` again, and counts their attempts from zero. The rows and their content
 * stay the same. A scheduled email still waits for its time.
 */
export function updateReopened(where: SQL, now: number): Statement<Reopened> {
  return statement(
    sql`UPDATE emails SET status = 'QUEUED', error = NULL, round = NULL, uncertain_since = NULL, attempts = 0,
        retried_at = ${now}, settled_by = ${settledBy("person")}, abandonments = 0, ended_at = NULL,
        next_attempt_at = max(${now}, coalesce(scheduled_at, ${now})),
        due_at = iif(scheduled_at > ${now}, scheduled_at, ${now + announceGraceMs})
      WHERE ${where} RETURNING id, priority, next_attempt_at`,
    readReopened,
  );
}

/** Sends messages about the reopened emails whose time has come. */
export async function announceReopened(ctx: Context, reopened: Reopened[], now: number): Promise<void> {
  await announceEmails(
    ctx,
    reopened.filter(({ nextAttemptAt }) => (nextAttemptAt ?? now) <= now),
  );
}
