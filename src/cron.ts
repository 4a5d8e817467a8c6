import { sql } from "drizzle-orm";
import { chunksOf } from "./core/chunks";
import type { MessageOf } from "./core/messages";
import { nudge } from "./core/nudge";
import { maxStatements } from "./db/limits";
import { hasMarkedPages, queueDueCounts } from "./engine/campaigns/count-due";
import { endSnoozes, hasEndedSnoozes } from "./engine/contacts/end-snoozes";
import { dispatchLost, dispatchStranded, endGraceOfEvents, hasStrandedEvents } from "./engine/events/dispatch-stranded";
import { forgetOldEvents } from "./engine/events/forget-old";
import { endGraceOfJobs, hasLostJobs, requeueLostJobs } from "./engine/jobs/requeue-lost";
import { forgetEvery, hasOldRows } from "./engine/jobs/retention";
import { hasDueLookUps, lookUpUnknown } from "./engine/mail/deliver/look-up-unknown";
import { hasHeldMail, releaseHeld } from "./engine/mail/deliver/release-held";
import { announceLost, endLeasesOfMail, hasOpenMail, requeueStuck } from "./engine/mail/deliver/requeue-stuck";
import { forgetContents } from "./engine/mail/forget/contents";
import { forgetOrphans } from "./engine/mail/forget/orphans";
import { emptyLeft } from "./engine/move/empty-left";
import { noteCron } from "./engine/operating/note-cron";
import { noteSizes } from "./engine/operating/note-sizes";
import { endLeases, hasWaiting, queueDue } from "./engine/outbound/sweeps";
import { hasDueLinks, mailDueLinks } from "./engine/people/mail-links";
import { workflowCalls } from "./engine/workflows/calls/calls";
import { forgetIdleHosts } from "./engine/workflows/calls/forget-idle-hosts";
import { forgetWaitListeners } from "./engine/workflows/wait-listeners";
import { endGraceOfRuns, hasDueCampaigns, queueDueCampaigns } from "./features/campaigns/queue-due";
import { queueFieldCounts } from "./features/contacts/fields/queue-counts";
import { checkDueDomains, hasDueDomains } from "./features/domains/check-due";
import { repairDomainNames } from "./features/domains/repair-names";
import { watchHealth } from "./features/health/watch";
import { forgetOldMessages } from "./features/outbox/forget-old";
import { forgetBackups } from "./features/projects/backups/forget";
import { startNightlyBackups } from "./features/projects/backups/start-nightly";
import { countStorage } from "./features/projects/usage/count";
import {
  computeDueSegments,
  countDueSegments,
  hasUncomputedSegments,
  hasUncountedSegments,
} from "./features/segments/sweep-due";
import { forgetVersions } from "./features/templates/forget-versions";
import { hasEndedEntries, purgeTrash } from "./features/trash/purge";
import { webhookCalls } from "./features/webhooks/calls";
import { countExecutions, hasDueCounts } from "./features/workflows/executions/count";
import { wakeAll } from "./features/workflows/executions/wake-all";
import { hasOverdueExecutions, wakeOverdue } from "./features/workflows/executions/wake-overdue";
import { hasDueTicks, queueDueTicks } from "./features/workflows/ticks/queue-due";
import type { Platform } from "./platform/context";
import { findDue, type IsDue } from "./platform/due";
import type { Env } from "./platform/env";
import { reasonOf } from "./platform/log";
import { openPlatform } from "./platform/open-platform";
import { keepSweeping } from "./platform/sweeping";

type Sweep = (platform: Platform) => Promise<void>;

/**
 * The conditions under which sweeps have something to do in a database. A tick evaluates all of them together, so that
 * in a quiet minute it makes only one statement per database. A sweep without a condition runs in every database.
 */
const conditions: Record<string, IsDue> = {
  dispatchStranded: hasStrandedEvents,
  dispatchLost: hasStrandedEvents,
  releaseHeld: hasHeldMail,
  // Also runs for mail that `releaseHeld` makes due.
  requeueStuck: (platform) => sql`${hasOpenMail(platform)} OR ${hasHeldMail(platform)}`,
  announceLost: hasOpenMail,
  requeueLostJobs: hasLostJobs,
  endSnoozes: hasEndedSnoozes,
  queueDueDeliveries: hasWaiting(webhookCalls),
  queueDueCalls: hasWaiting(workflowCalls()),
  queueDueCounts: hasMarkedPages,
  queueDueCampaigns: hasDueCampaigns,
  wakeOverdue: hasOverdueExecutions,
  queueDueTicks: hasDueTicks,
  mailDueLinks: hasDueLinks,
  lookUpUnknown: hasDueLookUps,
  checkDueDomains: hasDueDomains,
  computeDueSegments: hasUncomputedSegments,
  countDueSegments: hasUncountedSegments,
  countExecutions: hasDueCounts,
  purgeTrash: hasEndedEntries,
  ...hasOldRows("five minutes"),
};

const everyMinute = "* * * * *";

/**
 * The sweeps of each schedule in wrangler.toml. A sweep is bounded and safe to repeat. It only makes rows due again,
 * enqueues messages, or deletes what is no longer needed. The exception is `lookUpUnknown`, which asks the mail
 * provider about mail with an unknown outcome.
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
    // The last sweep, because it waits for the mail provider.
    lookUpUnknown,
  },
  "*/5 * * * *": {
    checkDueDomains,
    repairDomainNames,
    computeDueSegments,
    countDueSegments,
    countExecutions,
    startNightlyBackups,
    emptyLeft,
    purgeTrash,
    ...forgetEvery("five minutes"),
    // The last sweep, because it waits for everything that it checks.
    watchHealth,
  },
  "17 * * * *": { forgetOrphans, queueFieldCounts, forgetWaitListeners, countStorage },
  // Runs every hour, because a large installation has more to delete in a day than one invocation can delete.
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
 * The name of the tick that `npm start` causes once, which is not a cron schedule, and the sweeps that this tick adds.
 * No other process uses the databases at that time, so interrupted work can continue at once, without waiting for its
 * lease to end.
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
 * Sweeps that `SweepObject` runs every five seconds, for lost messages. A person might be waiting for the effect of
 * such a message. Jobs come last, because they can use up all statements of the run.
 */
const lostMessages: Record<string, Sweep> = { announceLost, dispatchLost, queueDueCampaigns, requeueLostJobs };

/** Front door 3: runs the sweeps of a cron schedule. */
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
 * The maximum number of databases that one invocation sweeps. The databases share the invocation's limit on statements,
 * and in a busy minute every sweep needs some statements.
 */
const databasesPerCall = 12;
/**
 * The maximum number of databases that `sweepLostMessages` reads at once, because D1 answers at most six queries of an
 * invocation at a time. A tick reads one database after another, because its work is less urgent.
 */
const mostAtOnce = 6;

/**
 * Continues a tick in another invocation. Runs the sweeps for the databases that the first invocation left out, or the
 * sweeps that the first invocation did not reach.
 */
export function sweepSome(platform: Platform, { cron, shards, sweeps }: MessageOf<"sweeps.run">): Promise<void> {
  return runSweeps(onlyWith(platform, shards), cron, sweeps);
}

function onlyWith(platform: Platform, shards: readonly string[]): Platform {
  return { ...platform, shards, databases: shards.map((shard) => platform.databaseOf(shard)) };
}

/** Runs the sweeps for lost messages. Work that is left when the statements run out waits for the next run. */
export async function sweepLostMessages(platform: Platform): Promise<void> {
  await runAll({ ...platform, databasesAtOnce: mostAtOnce }, Object.entries(lostMessages));
}

/**
 * Runs every sweep of a tick, even when an earlier one failed. When the invocation has no statements left, a message
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
 * Runs the sweeps in order, and returns the names of those for which no statements were left. The sweep that used the
 * last statements is among them, unless it alone used at least half of the invocation's statements. Such a sweep
 * continues with the next tick. One tick therefore causes at most as many messages as it has sweeps.
 */
async function runAll(platform: Platform, sweeps: [name: string, sweep: Sweep][]): Promise<string[]> {
  const asked = Object.fromEntries(
    sweeps.flatMap(([name]) => {
      const isDue = conditions[name];
      return isDue ? [[name, isDue]] : [];
    }),
  );
  let due: ReadonlyMap<string, readonly string[]> | undefined;
  for (const [index, [name, sweep]] of sweeps.entries()) {
    const before = platform.spent.statements;
    // The databases are asked as late as possible, because the first sweeps after a process start make rows due.
    if (name in asked) due ??= await findDue(platform, asked);
    const shards = due?.get(name) ?? platform.shards;
    if (shards.length === 0) continue;
    try {
      await sweep(onlyWith(platform, shards));
    } catch (error) {
      platform.log("error", "A sweep failed; the next tick tries again", { sweep: name, reason: reasonOf(error) });
    }
    if (platform.spent.hasLeft()) continue;
    const hasHadItsShare = platform.spent.statements - before >= maxStatements / 2;
    return sweeps.slice(hasHadItsShare ? index + 1 : index).map(([name]) => name);
  }
  return [];
}
