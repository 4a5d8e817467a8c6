import { sql } from "drizzle-orm";
import { textOf } from "./core/ids";
import type { JobType, StoredJob } from "./core/messages";
import { asId, asNumber, asOneOf, asText, columns } from "./db/rows";
import { select } from "./db/statement";
import { countMarked } from "./engine/campaigns/count-due";
import type { Timed } from "./engine/clock/timed";
import { endSnoozesOf } from "./engine/contacts/end-snoozes";
import { dispatchEvents } from "./engine/events/dispatch";
import type { EventListener } from "./engine/events/listener";
import { deliverWaiting } from "./engine/mail/deliver/drain";
import { releaseHeldOf } from "./engine/mail/deliver/release-held";
import { settleLost } from "./engine/mail/deliver/requeue-stuck";
import { pauseOf } from "./engine/projects/sending-paused";
import { workflowCalls } from "./engine/workflows/calls/calls";
import { openShard, wakeShards } from "./engine/workflows/shards";
import { hasWork } from "./features/campaigns/has-work";
import { runCampaign } from "./features/campaigns/run";
import { nextComputation, nextCrossing } from "./features/segments/next-computation";
import { computeDueOf, countDueOf } from "./features/segments/sweep-due";
import { webhookCalls } from "./features/webhooks/calls";
import { queueDueTicksOf } from "./features/workflows/ticks/queue-due";
import { type Context, inRealTime } from "./platform/context";

const readId = columns({ id: asId });
const readJob = columns({ jobId: asId, type: asOneOf<JobType>(), projectId: asNumber });

interface Work {
  listeners: readonly EventListener[];
  /** Performs one run of a job. */
  runJob(ctx: Context, job: StoredJob): Promise<void>;
}

/**
 * Returns the work that an advance of a test clock does at each instant, in this order. A test fails when an index that
 * finds rows by a time is missing here.
 */
export function timedWork({ listeners, runJob }: Work): readonly Timed[] {
  return [
    // Comes first, so that a contact whose snooze ends at an instant gets the mail of that instant.
    {
      name: "snoozes",
      table: "contacts",
      index: "ix_contacts_snoozed",
      column: "snoozed_until",
      settle: endSnoozesOf,
    },
    {
      name: "events that are not dispatched",
      table: "events",
      index: "ix_events_waiting",
      where: () => sql`next_announce_at IS NOT NULL`,
      settle: async (ctx, due) => {
        const found = await select(ctx.db, sql`SELECT id ${due} ORDER BY id LIMIT 200`, readId);
        await dispatchEvents(
          ctx,
          found.map(({ id }) => id),
          listeners,
        );
      },
    },
    {
      name: "held mail",
      table: "emails",
      index: "ix_emails_held",
      where: ({ project }) =>
        sql`status = 'QUEUED' AND due_at IS NULL AND campaign_id IS NULL AND ${pauseOf(project) === null}`,
      settle: releaseHeldOf,
    },
    // Scheduled mail, retries, and all other mail that has not been handed over yet.
    {
      name: "mail",
      table: "emails",
      index: "ix_emails_due",
      column: "next_attempt_at",
      where: () => sql`due_at IS NOT NULL AND status = 'QUEUED'`,
      settle: deliverWaiting,
    },
    {
      name: "mail that is handed over",
      table: "emails",
      index: "ix_emails_due",
      where: ({ project }) => sql`clock = ${project.number} AND due_at IS NOT NULL AND status = 'SENDING'`,
      settle: settleLost,
    },
    // A delivery is settled after its first attempt. Further attempts, and the wait of a postponed endpoint, follow the
    // real clock.
    {
      name: "deliveries to webhooks",
      table: "webhook_deliveries",
      index: "ix_webhook_deliveries_due",
      where: () => sql`next_attempt_at IS NOT NULL AND status = 'PENDING' AND attempts = 0 AND NOT is_test
        AND EXISTS (SELECT 1 FROM webhooks w WHERE w.project_id = webhook_deliveries.project_id AND w.id = webhook_id
          AND w.disabled_at IS NULL)`,
      settle: async (ctx, due) => {
        const endpoints = await select(ctx.db, sql`SELECT DISTINCT webhook_id AS id ${due}`, readId);
        for (const { id } of endpoints) await webhookCalls.takeTurn(inRealTime(ctx), textOf(id), () => false);
      },
    },
    // Scheduled campaigns, holds of canaries, and all campaigns that are being sent or cancelled.
    {
      name: "campaigns",
      table: "campaign_runs",
      index: "ix_campaign_runs_due",
      column: "due_at",
      hasWork,
      settle: async (ctx, due) => {
        const projectId = ctx.project.number;
        for (const { id: campaignId } of await select(ctx.db, sql`SELECT id ${due}`, readId)) {
          await runCampaign(ctx, { type: "campaigns.run", projectId, campaignId });
        }
      },
    },
    // Delays, timeouts of waits, retries of steps, and running executions. In a project with a test clock, shards set
    // no alarms.
    {
      name: "executions of workflows",
      table: "workflow_executions",
      index: "ix_workflow_executions_wake",
      column: "wake_at",
      // An execution whose start was answered with an error may exist only in its shard, which mirrors it when woken.
      // Otherwise it would appear only after the clock has moved.
      prepare: wakeShards,
      settle: async (ctx, due) => {
        const found = await select(ctx.db, sql`SELECT DISTINCT shard ${due}`, columns({ shard: asNumber }));
        for (const { shard: number } of found) {
          const { address, shard } = openShard(ctx, ctx.project.number, number);
          await shard.poke(address);
        }
      },
    },
    // Makes the calls here, so that none depends on a queue message, which can be lost. Calls that a consumer has
    // already claimed are included.
    {
      name: "calls of workflows",
      table: "workflow_calls",
      index: "ix_workflow_calls_due",
      where: () => sql`next_attempt_at IS NOT NULL`,
      settle: async (ctx, due) => {
        const hosts = await select(ctx.db, sql`SELECT DISTINCT host ${due}`, columns({ host: asText }));
        for (const { host } of hosts) await workflowCalls().takeTurn(inRealTime(ctx), host, () => false);
      },
    },
    {
      name: "schedules of workflows",
      table: "workflows",
      index: "ix_workflows_tick",
      column: "next_tick_at",
      settle: queueDueTicksOf,
    },
    // A tracked segment is computed when its members might have changed, but at the earliest five minutes after its
    // last computation. The same holds with the real clock.
    {
      name: "members of segments",
      table: "segments",
      index: "ix_segments_uncomputed",
      where: ({ project, clock }) => sql`clock = ${project.number} AND next_compute_at <= ${clock().getTime()}`,
      settle: computeDueOf,
      nextAt: nextComputation,
      foresee: nextCrossing,
    },
    {
      name: "counts of segments",
      table: "segments",
      index: "ix_segments_uncounted",
      where: ({ project, clock }) => sql`clock = ${project.number} AND next_count_at <= ${clock().getTime()}`,
      settle: countDueOf,
    },
    // Imports, segment computations, erasures and other jobs. The job that advances the clock is left out, because it
    // is running now, and so are imports whose files are still being uploaded.
    {
      name: "jobs",
      table: "jobs",
      index: "ix_jobs_open",
      where: () =>
        sql`status IN ('queued', 'processing') AND type <> 'project.advance' AND state->>'phase' IS NOT 'uploading'`,
      settle: async (ctx, due) => {
        const jobs = await select(
          ctx.db,
          sql`SELECT id AS job_id, type, project_id ${due} ORDER BY id LIMIT 20`,
          readJob,
        );
        for (const job of jobs) await runJob(ctx, job);
      },
    },
    // A campaign's counts are updated a few seconds later by the real clock. Here they are updated at once.
    {
      name: "counts of campaigns",
      table: "campaign_pages",
      index: "ix_campaign_pages_uncounted",
      where: () => sql`recount_at IS NOT NULL`,
      settle: (ctx) => countMarked(ctx, sql`recount_at IS NOT NULL`),
    },
  ];
}
