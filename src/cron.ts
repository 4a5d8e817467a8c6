import { chunksOf } from "./core/chunks";
import type { MessageOf } from "./core/messages";
import { nudge } from "./core/nudge";
import { maxStatements } from "./db/limits";
import { queueDueCounts } from "./engine/campaigns/count-due";
import { endSnoozes } from "./engine/contacts/end-snoozes";
import { dispatchLost, dispatchStranded, endGraceOfEvents } from "./engine/events/dispatch-stranded";
import { forgetOldEvents } from "./engine/events/forget-old";
import { endGraceOfJobs, requeueLostJobs } from "./engine/jobs/requeue-lost";
import { forgetEvery } from "./engine/jobs/retention";
import { lookUpUnknown } from "./engine/mail/deliver/look-up-unknown";
import { releaseHeld } from "./engine/mail/deliver/release-held";
import { announceLost, endLeasesOfMail, requeueStuck } from "./engine/mail/deliver/requeue-stuck";
import { forgetContents } from "./engine/mail/forget/contents";
import { forgetOrphans } from "./engine/mail/forget/orphans";
import { noteCron } from "./engine/operating/note-cron";
import { noteSizes } from "./engine/operating/note-sizes";
import { endLeases, queueDue } from "./engine/outbound/sweeps";
import { mailDueLinks } from "./engine/people/mail-links";
import { workflowCalls } from "./engine/workflows/calls/calls";
import { forgetIdleHosts } from "./engine/workflows/calls/forget-idle-hosts";
import { forgetWaitListeners } from "./engine/workflows/wait-listeners";
import { endGraceOfRuns, queueDueCampaigns } from "./features/campaigns/queue-due";
import { queueFieldCounts } from "./features/contacts/fields/queue-counts";
import { checkDueDomains } from "./features/domains/check-due";
import { repairDomainNames } from "./features/domains/repair-names";
import { watchHealth } from "./features/health/watch";
import { forgetOldMessages } from "./features/outbox/forget-old";
import { forgetBackups } from "./features/projects/backups/forget";
import { startNightlyBackups } from "./features/projects/backups/start-nightly";
import { computeDueSegments, countDueSegments } from "./features/segments/sweep-due";
import { forgetVersions } from "./features/templates/forget-versions";
import { webhookCalls } from "./features/webhooks/calls";
import { wakeAll } from "./features/workflows/executions/wake-all";
import { wakeOverdue } from "./features/workflows/executions/wake-overdue";
import { queueDueTicks } from "./features/workflows/ticks/queue-due";
import { openPlatform, type Platform } from "./platform/context";
import type { Env } from "./platform/env";
import { reasonOf } from "./platform/log";
import { keepSweeping } from "./platform/sweeping";

type Sweep = (platform: Platform) => Promise<void>;

const everyMinute = "* * * * *";

/**
 * The ticks of wrangler.toml. A sweep is bounded, safe to repeat, and only turns rows back, enqueues, or forgets what
 * nobody may ask for any more. One asks the mail provider what became of mail.
 */
export const ticks: Record<string, Record<string, Sweep>> = {
  [everyMinute]: {
    dispatchStranded,
    releaseHeld,
    requeueStuck,
    requeueLostJobs,
    endSnoozes,
    queueDueDeliveries: (platform) => queueDue(platform, webhookCalls),
    queueDueCalls: (platform) => queueDue(platform, workflowCalls()),
    queueDueCounts,
    queueDueCampaigns,
    wakeOverdue,
    queueDueTicks,
    mailDueLinks,
    // Last, because it waits for the mail provider.
    lookUpUnknown,
  },
  "*/5 * * * *": {
    checkDueDomains,
    repairDomainNames,
    computeDueSegments,
    countDueSegments,
    startNightlyBackups,
    ...forgetEvery("five minutes"),
    // Last, because it waits for what it examines.
    watchHealth,
  },
  "17 * * * *": { forgetOrphans, queueFieldCounts, forgetWaitListeners },
  // Every hour, because one day of a large installation is more than one call may delete.
  "47 * * * *": {
    forgetContents,
    forgetOldEvents,
    forgetOldMessages,
    ...forgetEvery("hour"),
    forgetVersions,
    forgetBackups,
  },
  "41 3 * * *": { ...forgetEvery("night"), forgetIdleHosts, wakeAll, noteSizes },
};

/**
 * Sweeps that `npm start` runs once, under a name that no schedule has. It knows that no other process works on its
 * databases, so work that was under way is lost and continues at once.
 */
const atStart = "start";
const underWay: Record<string, Sweep> = {
  endGraceOfJobs,
  endGraceOfEvents,
  endGraceOfRuns,
  endLeasesOfDeliveries: (platform) => endLeases(platform, webhookCalls),
  endLeasesOfCalls: (platform) => endLeases(platform, workflowCalls()),
  endLeasesOfMail,
};

/**
 * Sweeps that `SweepObject` runs every five seconds, for lost messages that keep a person waiting. Jobs are last,
 * because they alone may be enough to use up all statements.
 */
const lostMessages: Record<string, Sweep> = { announceLost, dispatchLost, queueDueCampaigns, requeueLostJobs };

/** Front door 3. */
export async function tick(controller: ScheduledController, env: Env, execution: ExecutionContext): Promise<void> {
  const platform = openPlatform(env, execution);
  const { cron } = controller;
  if (cron === everyMinute || cron === atStart) await keepSweeping(env, platform);
  const [first = [], ...others] = chunksOf(platform.shards, databasesPerCall);
  const messages = others.map((shards) => ({ message: { type: "sweeps.run" as const, cron, shards } }));
  await nudge(platform, messages);
  await runSweeps(onlyWith(platform, first), cron);
  if (cron in ticks) await runAll(platform, [["noteCron", () => noteCron(platform, cron)]]);
}

/**
 * The number of databases that share the statements of an invocation: each sweep of a tick makes at least one statement
 * for each database.
 */
const databasesPerCall = 12;
/**
 * The number of databases that a tick asks at once. D1 answers at most six queries of an invocation at once, and a tick
 * has time.
 */
const mostAtOnce = 6;

/** The sweeps of a tick, for databases that its own invocation has no statements for, or those that it did not come to. */
export function sweepSome(platform: Platform, { cron, shards, sweeps }: MessageOf<"sweeps.run">): Promise<void> {
  return runSweeps(onlyWith(platform, shards), cron, sweeps);
}

function onlyWith(platform: Platform, shards: readonly string[]): Platform {
  return { ...platform, shards, databases: shards.map((shard) => platform.databaseOf(shard)) };
}

/** Runs the sweeps between two ticks. The next ones continue where these stop. */
export async function sweepLostMessages(platform: Platform): Promise<void> {
  await runAll({ ...platform, databasesAtOnce: mostAtOnce }, Object.entries(lostMessages));
}

/**
 * Every sweep of a tick runs, also when one before it failed. When the invocation has no statements left, a message
 * continues with the remaining sweeps. `only` names the sweeps to run.
 */
export async function runSweeps(platform: Platform, cron: string, only?: readonly string[]): Promise<void> {
  const all = cron === atStart ? { ...underWay, ...ticks[everyMinute] } : (ticks[cron] ?? {});
  const sweeps = await runAll(
    platform,
    Object.entries(all).filter(([name]) => only?.includes(name) ?? true),
  );
  if (sweeps.length === 0) return;
  await nudge(platform, [{ message: { type: "sweeps.run", cron, shards: [...platform.shards], sweeps } }]);
}

/**
 * Returns the names of the sweeps for which no statements were left. The one that used them up is among them, unless it alone
 * has used half of what an invocation has: then it has had its share, and goes on with the next tick. So one tick causes at
 * most as many messages as it has sweeps.
 */
async function runAll(platform: Platform, sweeps: [name: string, sweep: Sweep][]): Promise<string[]> {
  for (const [index, [name, sweep]] of sweeps.entries()) {
    const before = platform.spent.statements;
    try {
      await sweep(platform);
    } catch (error) {
      platform.log("error", "A sweep failed; the next tick tries again", { sweep: name, reason: reasonOf(error) });
    }
    if (platform.spent.hasLeft()) continue;
    const hasHadItsShare = platform.spent.statements - before >= maxStatements / 2;
    return sweeps.slice(hasHadItsShare ? index + 1 : index).map(([name]) => name);
  }
  return [];
}
