import { type SQL, sql } from "drizzle-orm";
import { chunksOf } from "../../../core/chunks";
import { permitMs } from "../../../core/mail/account";
import { outcomeOfLost } from "../../../core/mail/outcome";
import { laneOf, type Priority, priorities } from "../../../core/mail/priority";
import { secondMs } from "../../../core/time";
import { openBatch } from "../../../db/batch";
import type { Db } from "../../../db/client";
import { hopProjects } from "../../../db/hop-projects";
import { maxRowsPerStatement } from "../../../db/limits";
import { asId, asNumber, asPriority, asText, columns, orNull } from "../../../db/rows";
import { select } from "../../../db/statement";
import { type Context, clockOf, type Platform } from "../../../platform/context";
import { accountNamed, accountOf, through } from "../../../platform/mailer/accounts";
import { maxSweptRows, sweepDatabases } from "../../../platform/sweep";
import { sendForDrainer } from "../announce";
import { updateResults } from "./record";

/** Open mail of one project and priority. */
interface Open {
  project: number;
  priority: Priority;
}

/**
 * The sweep that repairs lost messages and dead consumers, over all projects. It finds whose mail is overdue, settles what
 * was handed over by consumers that never reported, and tells the provider's account who waits. Mail that waits costs no
 * writes: a million lost messages are one line here for each project.
 */
export function requeueStuck(platform: Platform): Promise<void> {
  return requeue(platform, permitMs);
}

/**
 * At a start: whatever process had handed mail over is gone, so no call is under way. The mail is queued again or UNKNOWN by
 * the rule of every minute: it may be out all the same.
 */
export function endLeasesOfMail(platform: Platform): Promise<void> {
  return requeue(platform, 0);
}

/** A call is under way for as long as a lease at most. */
async function requeue(platform: Platform, leaseMs: number): Promise<void> {
  const after = new Map<Db, number>();
  const now = platform.now.getTime();
  // Mail that was handed over keeps its `due_at`, which is within a lease.
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

/** How many open emails of a project are looked at for one that is lost: the others are in flight. */
const maxPassed = 200;

/**
 * The same every five seconds for what waits most: mail whose first message was lost. Mail that was handed over is left to
 * the sweep of every minute, because its consumer is at work.
 */
export async function announceLost(platform: Platform): Promise<void> {
  await sweepDatabases(platform, async (db) => {
    const { open } = await findOverdue(platform, db, { among: maxPassed, status: "QUEUED" });
    await tellAccounts(platform, open, { isEveryMinute: false });
    return 0;
  });
}

/**
 * Tells each account who waits for it. The fallback hears of transactional mail while the account in front of it is down, and
 * every minute of mail whose outcome is unknown there, if there is any.
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

/** The embedded provider answers at once. */
const outboxLeaseMs = 20 * secondMs;

/** Settles what lost consumers of a project with its own clock handed over. They are lost by the real clock. */
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
  /** The project before the first one. */
  after?: number;
  among?: number;
  status?: "QUEUED";
  /** Now, if nothing is said. */
  dueBefore?: number;
}

/**
 * The projects with open mail that is overdue, by priority; with a status, if one of the first emails has it. It jumps
 * through the index from project to project, and reads at most `among` rows for each of their priorities, however much
 * mail waits.
 */
async function findOverdue(
  platform: Platform,
  db: Db,
  { after = 0, among = 1, status, dueBefore = platform.now.getTime() }: Asked,
): Promise<{ open: Open[]; last: number; isFull: boolean }> {
  const withMail = hopProjects(sql`FROM emails INDEXED BY ix_emails_due WHERE clock = 0 AND due_at IS NOT NULL`, {
    after,
    limit: maxSweptRows,
  });
  const rows = await select(
    db,
    sql`${withMail}
      SELECT project, p.value AS priority FROM hop
      LEFT JOIN json_each('[0,1,2]') p ON EXISTS (SELECT 1 FROM (
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
 * Open mail goes in the order of `due_at`, so what is in flight is among the first: at most what all consumers together have
 * in flight, and some that wait for another try.
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
 * Handles emails that were handed over longer ago than a call may take: their consumer is dead or slow. The round stays in
 * the row, so a slow one may still report the result.
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
  const results = lost.map(({ id, projectId, campaignId, round, provider, handedAt, uncertainSince }) => {
    const called = provider === null ? null : accountNamed(platform.accounts, provider);
    const idempotencyWindowMs = called?.mailer.idempotencyWindowMs ?? 0;
    const outcome = outcomeOfLost({ handedAt, uncertainSince, idempotencyWindowMs, now });
    return { emailId: id, projectId, campaignId, round, ...outcome };
  });
  const batch = openBatch(platform, db);
  batch.addAll(updateResults(platform, { results, where: isUnchanged, at: now }));
  await batch.commit();
}

/** The email `e` of an item `r` is still in the round in which it was found. */
const isUnchanged: SQL = sql`e.project_id = r.value->>'projectId' AND e.id = r.value->>'emailId'
  AND e.round = r.value->>'round' AND e.status = 'SENDING'`;
