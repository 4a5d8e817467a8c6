import { type SQL, sql } from "drizzle-orm";
import { outcomeOfLost } from "../../core/mail/outcome";
import { maxWaitMs } from "../../core/mail/pace";
import { hourMs, minuteMs } from "../../core/time";
import { backoffInSql, type Doubling } from "../../db/backoff";
import { openBatch } from "../../db/batch";
import type { Db } from "../../db/client";
import { maxRowsPerStatement } from "../../db/limits";
import { asId, asNumber, asText, columns, orNull } from "../../db/rows";
import { type Statement, select, statement } from "../../db/statement";
import type { Platform } from "../../platform/context";
import { maxSweptRows, sweepDatabases } from "../../platform/sweep";
import { announceGraceMs, deliverNudges } from "./announce";
import { updateResults } from "./record";

/** The waits between announcements of an email that no consumer takes. */
const announceBackoff: Doubling = { firstMs: announceGraceMs, growth: 2, maxMs: hourMs };

/**
 * Longer than a provider call may take: an email that was handed over so long ago has lost its consumer, or is in a
 * slow one.
 */
const leaseMs = 2 * minuteMs;

/**
 * The sweep that repairs lost messages and dead consumers, over all projects: it handles emails whose `due_at` has
 * come. SENDING emails had a consumer. QUEUED emails are announced again, each time after twice the wait, so that a
 * long outage does not flood the queue. While their lane is paused or waits for its pace, their messages wait too, and
 * the sweep leaves them alone. But a busy lane may never rest: then the sweep announces the emails that have waited for
 * longer than a message does.
 */
export async function requeueStuck(platform: Platform): Promise<void> {
  const waitsFor = await platform.pace.waitsFor("transactional");
  const overdueMs = waitsFor === "slots" ? maxWaitMs : 0;
  return sweepDatabases(platform, async (db) => {
    const settled = await settleHanded(platform, db);
    if (waitsFor === "pause") return settled;
    const scheduled = await announceScheduled(platform, db);
    return Math.max(settled, scheduled, await announceLost(platform, db, overdueMs));
  });
}

const readHanded = columns({
  projectId: asNumber,
  id: asId,
  round: asText,
  provider: orNull(asText),
  handedAt: asNumber,
  uncertainSince: orNull(asNumber),
});
type Handed = ReturnType<typeof readHanded>;

/**
 * Handles emails that were handed over and are due. During the lease, the sweep looks again at its end. After it, the
 * consumer is dead or slow; its round stays in the row, so a slow one may still report the result.
 */
async function settleHanded(platform: Platform, db: Db): Promise<number> {
  const now = platform.now.getTime();
  // Among waiting mail, emails that were handed over were accepted first, so this window finds them.
  const window = sql`SELECT project_id, id FROM emails INDEXED BY ix_emails_due WHERE clock = 0 AND due_at <= ${now}
    ORDER BY due_at LIMIT ${maxRowsPerStatement}`;
  const handed = await select(
    db,
    sql`SELECT e.project_id, e.id, e.round, e.provider, e.handed_at, e.uncertain_since FROM (${window}) w
      CROSS JOIN emails e ON e.project_id = w.project_id AND e.id = w.id
      WHERE e.status = 'SENDING' LIMIT ${maxSweptRows}`,
    readHanded,
  );
  if (handed.length === 0) return 0;
  const isOver = ({ handedAt }: Handed) => handedAt + leaseMs <= now;
  const [lost, leased] = [handed.filter(isOver), handed.filter((email) => !isOver(email))];
  const results = lost.map(({ id, projectId, round, provider, handedAt, uncertainSince }) => {
    const idempotencyWindowMs = provider === platform.mailer.name ? platform.mailer.idempotencyWindowMs : 0;
    const outcome = outcomeOfLost({ handedAt, uncertainSince, idempotencyWindowMs, now });
    return { emailId: id, projectId, round, ...outcome };
  });
  const batch = openBatch({ ...platform, db });
  batch.addAll(updateLeased(leased));
  batch.addAll(updateResults(platform, { results, where: isUnchanged, at: now }));
  await batch.commit();
  return handed.length;
}

/** The email `e` of an item `r` is still in the round in which it was found. */
const isUnchanged: SQL = sql`e.project_id = r.value->>'projectId' AND e.id = r.value->>'emailId'
  AND e.round = r.value->>'round' AND e.status = 'SENDING'`;

function updateLeased(leased: Handed[]): Statement[] {
  if (leased.length === 0) return [];
  const items = JSON.stringify(leased.map(({ id, projectId, round }) => ({ emailId: id, projectId, round })));
  return [
    statement(
      sql`UPDATE emails AS e SET due_at = handed_at + ${leaseMs} FROM json_each(${items}) r WHERE ${isUnchanged}`,
    ),
  ];
}

/** Announces emails that are queued and due, but were not taken: the message was lost, or its consumer died. */
function announceLost(platform: Platform, db: Db, overdueMs: number): Promise<number> {
  const before = platform.now.getTime() - overdueMs;
  const due = sql`emails INDEXED BY ix_emails_due WHERE clock = 0 AND due_at <= ${before} AND status = 'QUEUED'`;
  return announce(platform, db, due, { isAgain: true });
}

/** Announces scheduled emails whose time has come: nobody has taken them before. */
function announceScheduled(platform: Platform, db: Db): Promise<number> {
  const due = sql`emails INDEXED BY ix_emails_scheduled_due
    WHERE clock = 0 AND due_at <= ${platform.now.getTime()} AND ${isScheduled}`;
  return announce(platform, db, due, { isAgain: false });
}

/** As the partial index says it. */
const isScheduled = sql`status = 'QUEUED' AND scheduled_at IS NOT NULL AND announcements = 0`;

async function announce(platform: Platform, db: Db, due: SQL, { isAgain }: { isAgain: boolean }): Promise<number> {
  const now = platform.now.getTime();
  const batch = openBatch({ ...platform, db });
  const announced = batch.add(
    statement(
      sql`UPDATE emails SET announcements = announcements + 1,
          due_at = ${now} + ${backoffInSql(announceBackoff, sql`announcements`)}
        WHERE (project_id, id) IN (SELECT project_id, id FROM ${due} ORDER BY due_at LIMIT ${maxSweptRows})
        RETURNING id, project_id`,
      columns({ id: asId, projectId: asNumber }),
    ),
  );
  await batch.commit();
  const queued = [...Map.groupBy(announced.all, ({ projectId }) => projectId)].flatMap(([projectId, emails]) => {
    const emailIds = emails.map(({ id }) => id);
    return deliverNudges(projectId, emailIds, { isAgain });
  });
  await platform.enqueue(queued);
  return announced.count;
}
