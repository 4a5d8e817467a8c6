import { type SQL, sql } from "drizzle-orm";
import { chunksOf } from "../../../core/chunks";
import { permitMs } from "../../../core/mail/account";
import { outcomeOfLost } from "../../../core/mail/outcome";
import { laneOf, type Priority, priorities } from "../../../core/mail/priority";
import { secondMs } from "../../../core/time";
import { isAtHome } from "../../../db/at-home";
import { openBatch } from "../../../db/batch";
import type { Db } from "../../../db/client";
import { hopProjects } from "../../../db/hop-projects";
import { maxRowsPerStatement } from "../../../db/limits";
import { asId, asNumber, asPriority, asText, columns, orNull } from "../../../db/rows";
import { select } from "../../../db/statement";
import { type Context, clockOf, type Platform } from "../../../platform/context";
import { exists, type IsDue } from "../../../platform/due";
import { accountNamed, accountOf, through } from "../../../platform/mailer/accounts";
import { maxSweptRows, sweepDatabases } from "../../../platform/sweep";
import { sendForDrainer } from "../announce";
import { updateResults } from "./record";

/** Open mail of one project and priority. */
interface Open {
  project: number;
  priority: Priority;
}

const openMail = sql`FROM emails INDEXED BY ix_emails_due WHERE clock = 0 AND due_at IS NOT NULL`;

export const hasOpenMail: IsDue = () => exists(openMail);

/**
 * Sweeps all projects for the effects of lost messages and dead consumers. It finds the projects with overdue mail,
 * settles handed-over mail whose consumer never reported, and tells the provider's account which projects wait. The
 * rows of waiting mail are not written, so even a million lost messages cost only one entry per project in the account.
 */
export function requeueStuck(platform: Platform): Promise<void> {
  return requeue(platform, permitMs);
}

/**
 * Settles handed-over mail at the start of a process: the previous process is gone, so no call is in progress. The mail
 * may have been sent, so it is treated as in the sweep: it is queued again or becomes UNKNOWN.
 */
export function endLeasesOfMail(platform: Platform): Promise<void> {
  return requeue(platform, 0);
}

/** Requeues overdue mail. A call that was handed over more than `leaseMs` ago is no longer in progress. */
async function requeue(platform: Platform, leaseMs: number): Promise<void> {
  const after = new Map<Db, number>();
  const now = platform.now.getTime();
  // The hand-over of an email does not change its `due_at`, which is at most `permitMs` later than the hand-over. An
  // email that was handed over at least `leaseMs` ago is therefore due by this time.
  const dueBefore = now + permitMs - leaseMs;
  await sweepDatabases(platform, async (db) => {
    const { open, last, isFull } = await findOverdue(platform, db, { after: after.get(db) ?? 0, dueBefore });
    after.set(db, last);
    const lost = { clock: 0, dueBefore, handedBefore: now - leaseMs };
    for (const group of chunksOf(open, pairsPerStatement)) {
      if (platform.spent.hasLeft()) await settleHanded(platform, db, group, lost);
    }
    await tellAccounts(platform, open, { isEveryMinute: true });
    return isFull ? maxSweptRows : 0;
  });
}

/**
 * The maximum number of open emails of a project and priority that are read to find one whose message was lost. Emails
 * in flight may come before it.
 */
const maxPassed = 200;

/**
 * Announces mail whose first message was lost. Runs every five seconds, for at most `maxSweptRows` projects of each
 * database. Leaves handed-over mail to the sweep that runs every minute, because a consumer may still be working on it.
 */
export async function announceLost(platform: Platform): Promise<void> {
  await sweepDatabases(platform, async (db) => {
    const { open } = await findOverdue(platform, db, { among: maxPassed, status: "QUEUED" });
    await tellAccounts(platform, open, { isEveryMinute: false });
    return 0;
  });
}

/**
 * Reports to each account which projects are waiting for it. The fallback learns about transactional mail while the
 * main account is down and, once a minute, about mail whose outcome at the fallback is unknown.
 */
async function tellAccounts(platform: Platform, open: Open[], { isEveryMinute }: { isEveryMinute: boolean }) {
  const { accounts } = platform;
  const waiting = Map.groupBy(open, ({ priority }) => accountOf(accounts, laneOf(priority)));
  const urgent = open.filter(({ priority }) => laneOf(priority) === "transactional");
  const { main, fallback } = accounts;
  if (fallback !== null && urgent.length > 0 && (isEveryMinute || (await main.pace.isTransactionalDown()))) {
    waiting.set(fallback, [...(waiting.get(fallback) ?? []), ...urgent]);
  }
  for (const [account, found] of waiting) {
    const { drainAt } = await account.pace.addWaiting(found);
    await sendForDrainer(through(platform, account), drainAt);
  }
}

/** The lease of mail in a project with a test clock. It is shorter than usual, because the outbox answers at once. */
const outboxLeaseMs = 20 * secondMs;

/**
 * Settles mail of a project with a test clock if its consumer was lost after the hand-over. The real clock decides
 * whether a consumer is lost.
 */
export async function settleLost(ctx: Context): Promise<void> {
  const open = priorities.map((priority) => ({ project: ctx.project.number, priority }));
  await settleHanded(ctx, ctx.db, open, {
    clock: clockOf(ctx),
    dueBefore: Number.MAX_SAFE_INTEGER,
    handedBefore: ctx.realClock().getTime() - outboxLeaseMs,
  });
}

const readOverdue = columns({ project: asNumber, priority: orNull(asPriority) });

interface Asked {
  /** The number of the project after which the search begins. */
  after?: number;
  among?: number;
  status?: "QUEUED";
  /** Mail that is due by this time is overdue. Defaults to the present time. */
  dueBefore?: number;
}

/**
 * Finds the projects with overdue open mail, separately for each priority. If a status is given, finds only those where
 * one of the first `among` emails has that status. Jumps through the index from project to project, and reads at most
 * `among` rows for each priority, however much mail waits.
 */
async function findOverdue(
  platform: Platform,
  db: Db,
  { after = 0, among = 1, status, dueBefore = platform.now.getTime() }: Asked,
): Promise<{ open: Open[]; last: number; isFull: boolean }> {
  const withMail = hopProjects(openMail, {
    after,
    limit: maxSweptRows,
  });
  const rows = await select(
    db,
    sql`${withMail}
      SELECT project, p.value AS priority FROM hop
      LEFT JOIN json_each('[0,1,2]') p ON ${isAtHome(sql`project`)} AND EXISTS (SELECT 1 FROM (
        SELECT e.status FROM emails e INDEXED BY ix_emails_due
        WHERE e.clock = 0 AND e.project_id = project AND e.priority = p.value AND e.due_at <= ${dueBefore}
        ORDER BY e.due_at LIMIT ${among}) first WHERE ${status === undefined ? sql`true` : sql`first.status = ${status}`})
      WHERE project IS NOT NULL`,
    readOverdue,
  );
  const open = rows.flatMap(({ project, priority }) => (priority === null ? [] : [{ project, priority }]));
  const last = rows.reduce((most, { project }) => Math.max(most, project), after);
  const projects = new Set(rows.map(({ project }) => project));
  return { open, last, isFull: projects.size === maxSweptRows };
}

/**
 * The maximum number of open emails that are read for one project and priority, in the order of `due_at`. All mail in
 * flight is among them: only mail that waits for a retry comes before it, and both together are never more than this.
 */
const firstRows = 2_500;
const pairsPerStatement = maxRowsPerStatement / firstRows;

const readHanded = columns({
  projectId: asNumber,
  id: asId,
  campaignId: orNull(asId),
  round: asText,
  provider: orNull(asText),
  handedAt: asNumber,
  uncertainSince: orNull(asNumber),
});
type Handed = ReturnType<typeof readHanded>;

/**
 * Settles emails that were handed over longer ago than a call may take, because their consumer is dead or slow. The
 * round stays in the row, so that a slow consumer may still report the result.
 */
async function settleHanded(
  platform: Platform,
  db: Db,
  open: Open[],
  { clock, dueBefore, handedBefore }: { clock: number; dueBefore: number; handedBefore: number },
): Promise<void> {
  const handed = await select(
    db,
    sql`SELECT e.project_id, e.id, e.campaign_id, e.round, e.provider, e.handed_at, e.uncertain_since
      FROM json_each(${JSON.stringify(open)}) p
      CROSS JOIN emails e ON e.project_id = p.value->>'project' AND e.id IN (
        SELECT f.id FROM emails f INDEXED BY ix_emails_due
        WHERE f.clock = ${clock} AND f.project_id = p.value->>'project' AND f.priority = p.value->>'priority'
          AND f.due_at <= ${dueBefore}
        ORDER BY f.due_at LIMIT ${firstRows})
      WHERE e.status = 'SENDING' AND e.handed_at <= ${handedBefore} LIMIT ${firstRows}`,
    readHanded,
  );
  for (const lost of chunksOf(handed, maxSweptRows)) await settle(platform, db, lost);
}

async function settle(platform: Platform, db: Db, lost: Handed[]): Promise<void> {
  const now = platform.now.getTime();
  // `handed_at` follows the real clock, even in a project with a test clock.
  const realNow = platform.realClock().getTime();
  const results = lost.map(({ id, projectId, campaignId, round, provider, handedAt, uncertainSince }) => {
    const called = provider === null ? null : accountNamed(platform.accounts, provider);
    const idempotencyWindowMs = called?.mailer.idempotencyWindowMs ?? 0;
    const outcome = outcomeOfLost({ handedAt, uncertainSince, idempotencyWindowMs, now: realNow });
    const retryAt = outcome.retryAt === null ? null : now;
    return { emailId: id, projectId, campaignId, round, ...outcome, retryAt };
  });
  const batch = openBatch(platform, db);
  batch.addAll(updateResults(platform, { results, where: isUnchanged, at: now }));
  await batch.commit();
}

/** Matches when the email `e` of an item `r` is still in the round in which it was found. */
const isUnchanged: SQL = sql`e.project_id = r.value->>'projectId' AND e.id = r.value->>'emailId'
  AND e.round = r.value->>'round' AND e.status = 'SENDING'`;
