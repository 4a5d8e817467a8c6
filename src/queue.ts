import { type Backoff, backoffMs } from "./core/backoff";
import { newId } from "./core/ids";
import { type Merged, mergeMessages } from "./core/mail/merge-messages";
import { type MessageOf, QueueMessage } from "./core/messages";
import { hourMs, minuteMs, secondMs } from "./core/time";
import { sweepSome } from "./cron";
import { deadLetters } from "./db/tables";
import { backupRuns, backupStep } from "./engine/backups/backup-step";
import { restoreStep } from "./engine/backups/restore/restore-step";
import { countDuePages } from "./engine/campaigns/count-due";
import { advanceClock } from "./engine/clock/advance";
import { dispatchEvents } from "./engine/events/dispatch";
import type { EventListener } from "./engine/events/listener";
import { storedJob } from "./engine/jobs/work";
import { deliverMessage, deliverMessages } from "./engine/mail/deliver/deliver-fresh";
import { drainMail } from "./engine/mail/deliver/drain";
import { settleLater } from "./engine/mail/deliver/write-down";
import { recordHits } from "./engine/mail/report/hits";
import { moveProject } from "./engine/move/move-job";
import { drainOutbound, type OutboundCalls } from "./engine/outbound/drain";
import { findProject } from "./engine/projects/project";
import { workflowCalls } from "./engine/workflows/calls/calls";
import { endExecutionsStep } from "./engine/workflows/end";
import { workflowListener } from "./engine/workflows/listener";
import { vacateStep } from "./engine/workflows/vacate";
import { preflightRuns } from "./features/campaigns/preflight/runs";
import { preflightStep } from "./features/campaigns/preflight/step";
import { runCampaign } from "./features/campaigns/run";
import { bulkStep } from "./features/contacts/bulk/step";
import { eraseRest } from "./features/contacts/erase-rest";
import { continueDeletion, releaseField } from "./features/contacts/fields/continue-deletion";
import { countFields } from "./features/contacts/fields/count";
import { runImport } from "./features/contacts/import/run";
import { undoImportStep } from "./features/contacts/import/undo/step";
import { checkDomains } from "./features/domains/check-many";
import { retryEmailsStep } from "./features/emails/retry-many/step";
import { deleteEventsRuns, deleteEventsStep } from "./features/events/delete-step";
import { takeQueued } from "./features/hooks/take-queued";
import { eraseProject } from "./features/projects/erase";
import { computeRuns, computeStep } from "./features/segments/compute-step";
import { countStep } from "./features/segments/count";
import { deleteMembersStep } from "./features/segments/delete-members";
import { webhookCalls } from "./features/webhooks/calls";
import { webhookListener } from "./features/webhooks/listener";
import { tryDelivery } from "./features/webhooks/try";
import { forgetWorkflowStep } from "./features/workflows/executions/forget";
import { wakeShardsJob } from "./features/workflows/executions/wake-overdue";
import { startMembersRuns, startMembersStep } from "./features/workflows/ticks/start-members";
import { type Context, forProject, type Platform } from "./platform/context";
import type { Env } from "./platform/env";
import { reasonOf } from "./platform/log";
import { openPlatform } from "./platform/open-platform";
import { timedWork } from "./timed";

type Handler<M> = (platform: Platform, message: M, listeners: readonly EventListener[]) => Promise<void>;

/** All kinds of listeners to events. */
export const eventListeners: readonly EventListener[] = [webhookListener, workflowListener];

/**
 * All kinds of calls to tenants' URLs. A consumer makes the calls of all kinds concurrently, so that no kind waits for
 * another.
 */
const outboundCalls: readonly OutboundCalls[] = [webhookCalls, workflowCalls()];

/**
 * The handler of each type of message. If one is missing, this does not compile. A stored job without `release` is
 * never given up, because no API call could start it again.
 */
const handlers: { [T in QueueMessage["type"]]: Handler<MessageOf<T>> } = {
  "mail.deliver": deliverMessage,
  "mail.drain": drainMail,
  "mail.settle": settleLater,
  "domains.check": checkDomains,
  "campaigns.count": countDuePages,
  "campaigns.run": runCampaign,
  "campaigns.preflight": storedJob(preflightStep, preflightRuns),
  "emails.retry": storedJob(retryEmailsStep),
  "events.dispatch": ofProject((ctx, { eventIds }, listeners) => dispatchEvents(ctx, eventIds, listeners)),
  "events.delete": storedJob(deleteEventsStep, deleteEventsRuns),
  "tracking.record": ofProject((ctx, { hits }) => recordHits(ctx, hits)),
  "contacts.import": runImport,
  "contacts.import-undo": storedJob(undoImportStep),
  "contacts.bulk": storedJob(bulkStep),
  "contacts.erase": storedJob(eraseRest, { release: null }),
  "contacts.delete-field": storedJob(continueDeletion, { release: releaseField }),
  "contacts.count-fields": storedJob(countFields),
  "segments.compute": storedJob(computeStep, computeRuns),
  "segments.count": storedJob(countStep),
  "segments.delete-members": storedJob(deleteMembersStep, { release: null }),
  "webhooks.drain": makeCalls,
  "webhooks.try": storedJob(tryDelivery),
  "workflows.wake": wakeShardsJob,
  "workflows.start": storedJob(startMembersStep, startMembersRuns),
  "workflows.end": storedJob(endExecutionsStep),
  "workflows.forget": storedJob(forgetWorkflowStep, { release: null }),
  "workflows.vacate": storedJob(vacateStep, { release: null }),
  "workflows.call": makeCalls,
  "sweeps.run": sweepSome,
  "project.backup": storedJob(backupStep, backupRuns),
  "project.restore": storedJob(restoreStep),
  "project.move": moveProject,
  "project.erase": eraseProject,
  "project.advance": (platform, message, listeners) =>
    advanceClock(platform, message, timedWork({ listeners, runJob: (ctx, job) => handleMessage(ctx, job, listeners) })),
};

/**
 * Returns a handler for messages about a project. A message about a deleted project is dropped, because the project's
 * rows were deleted too.
 */
function ofProject<M extends { projectId: number }>(
  work: (ctx: Context, message: M, listeners: readonly EventListener[]) => Promise<unknown>,
): Handler<M> {
  return async (platform, message, listeners) => {
    const project = await findProject(platform, message.projectId);
    if (project) await work(forProject(platform, project), message, listeners);
  };
}

function makeCalls(platform: Platform, message: MessageOf<"webhooks.drain" | "workflows.call">): Promise<void> {
  return drainOutbound(platform, outboundCalls, message);
}

const deadLetterSuffix = "-dead";
/**
 * The end of the name of the queue into which a mail provider puts its reports. The full name is set by
 * `withProviderBindings` in scripts/lib/provider.mjs.
 */
const reportsSuffix = "-mail-reports";
const retryBackoff: Backoff = { firstMs: 5 * secondMs, growth: 2, maxMs: 15 * minuteMs };
/**
 * Types of messages whose work is not stored in a row, so no sweep can replace a lost message. Such a message gets five
 * more attempts, spread over four hours.
 */
const withoutRows: QueueMessage["type"][] = ["tracking.record", "mail.settle"];
const aloneBackoff: Backoff = { firstMs: 10 * secondMs, growth: 6, maxMs: 4 * hourMs };

/**
 * Front door 2: each message is parsed, handed to its handler, and acknowledged or retried. Messages about fresh mail
 * of one project are one item of work. The items share the Worker's open calls and statements, so a provider that is
 * slow for one project does not hold up the others.
 */
export async function consume(batch: MessageBatch, env: Env, execution: ExecutionContext): Promise<void> {
  const platform = openPlatform(env, execution);
  if (batch.queue.endsWith(deadLetterSuffix)) {
    await Promise.all(batch.messages.map((message) => bury(platform, batch.queue, message)));
    return;
  }
  if (batch.queue.endsWith(reportsSuffix)) return takeQueued(platform, batch.messages);
  const work = mergeMessages(batch.messages.flatMap((message) => parsed(platform, message)));
  const fresh = work.filter(isFreshMail);
  const others = work.filter((item) => !isFreshMail(item));
  const share = (whole: number) => Math.max(1, Math.floor(whole / Math.max(1, others.length)));
  const shared = { ...platform, callsAtOnce: share(platform.callsAtOnce), maxRounds: share(platform.maxRounds) };
  await Promise.all([
    deliverTogether(platform, fresh),
    ...others.map((item) => settle(platform, item, () => handleMessage(shared, item.message))),
  ]);
}

type FreshMail = Merged<Message> & { message: MessageOf<"mail.deliver"> };

function isFreshMail(item: Merged<Message>): item is FreshMail {
  return item.message.type === "mail.deliver";
}

async function deliverTogether(platform: Platform, fresh: FreshMail[]): Promise<void> {
  const delivered = deliverMessages(
    platform,
    fresh.map(({ message }) => message),
  );
  const outcomeOf = async (index: number) => {
    const error = (await delivered)[index];
    if (error !== null) throw error;
  };
  await Promise.all(fresh.map((item, index) => settle(platform, item, () => outcomeOf(index))));
}

/**
 * Reads a message. While two versions of the Worker run side by side, one of them might not know a type or a field of
 * the other. Such a message is redelivered for over four hours, each time to either version. It then becomes a dead
 * letter, which the operator can send again.
 */
function parsed(platform: Platform, received: Message) {
  const { success, data, error } = QueueMessage.safeParse(received.body);
  if (success) return [{ message: data, isAgain: received.attempts > 1, received }];
  platform.log("error", "This version does not know a message, so it is redelivered", {
    ...{ messageId: received.id, attempt: received.attempts },
    reason: error.issues.map(({ path, code }) => `${path.join(".") || "message"}: ${code}`).join(", "),
  });
  tryLater(received, aloneBackoff);
  return [];
}

/** Does one item of work. Acknowledges its messages if the work succeeds; otherwise has them redelivered. */
async function settle(
  platform: Platform,
  { message, received }: Merged<Message>,
  work: () => Promise<void>,
): Promise<void> {
  try {
    await work();
    for (const each of received) each.ack();
  } catch (error) {
    const attempt = Math.max(...received.map(({ attempts }) => attempts));
    platform.log("error", "A message failed and will be tried again", {
      ...{ type: message.type, attempt, reason: reasonOf(error) },
    });
    const backoff = withoutRows.includes(message.type) ? aloneBackoff : retryBackoff;
    for (const each of received) tryLater(each, backoff);
  }
}

function tryLater(message: Message, backoff: Backoff): void {
  message.retry({ delaySeconds: backoffMs(backoff, message.attempts - 1) / secondMs });
}

/** Does the work of one message. Throws when another attempt might succeed. */
export function handleMessage(platform: Platform, message: QueueMessage, listeners = eventListeners): Promise<void> {
  // Each handler accepts only its own type of message, which TypeScript cannot infer when a union type is the index.
  const handler = handlers[message.type] as Handler<QueueMessage>;
  return handler(platform, message, listeners);
}

/**
 * Stores a message that failed every attempt, so that the operator sees it. For most messages, the sweeps still find
 * the rows and do the work. If the database is the cause of the failure, storing the message fails too. It is therefore
 * tried up to a hundred times, spread over a day.
 */
async function bury(platform: Platform, queue: string, message: Message): Promise<void> {
  const body = JSON.stringify(message.body);
  platform.log("error", "A message failed every attempt", { queue, messageId: message.id });
  try {
    await platform.control.insert(deadLetters).values({ id: newId(), queue, body, createdAt: platform.now.getTime() });
    message.ack();
  } catch (error) {
    platform.log("error", "A message that failed is not stored yet", { queue, reason: reasonOf(error) });
    tryLater(message, retryBackoff);
  }
}
