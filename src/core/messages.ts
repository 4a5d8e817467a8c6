import { z } from "zod";
import { asId, type Id } from "./ids";
import { priorities } from "./mail/priority";
import { Unwritten } from "./mail/unwritten";
import { Hit } from "./tracking/hit";

/** The five queues of the house. A type of message belongs to exactly one of them. */
export type QueueName = "mail" | "campaign-mail" | "events" | "outbound" | "jobs";

/** The project by its number, and rows by their ids, as they are kept. */
const projectId = z.number();
const id = z.string().transform(asId);
const jobId = id;

/** Messages carry ids, never content: the row is the truth, the message only says "look now". `tracking.record` and `mail.settle` are the exceptions. */
export const QueueMessage = z.discriminatedUnion("type", [
  z.object({
    type: z.literal("mail.deliver"),
    projectId,
    priority: z.literal(priorities),
    emailIds: z.array(id),
    /** Somebody may have died of these emails: the queue brings the message once more. */
    again: z.literal(true).optional(),
  }),
  /** What a consumer knows of emails, and could not write down because the database was away. It says what happened. */
  Unwritten.extend({ type: z.literal("mail.settle"), projectId }),
  /** Mail waits, of whichever projects: work on it by turns. Of a project with its own clock, on that alone. */
  z.object({ type: z.literal("mail.drain"), projectId: projectId.optional() }),
  z.object({
    type: z.literal("domains.check"),
    domains: z.array(z.object({ projectId, domainId: id })),
  }),
  /** Pages of campaigns are marked to be counted again. */
  z.object({ type: z.literal("campaigns.count"), projectId }),
  /** A campaign is to start, or to go on. */
  z.object({ type: z.literal("campaigns.run"), projectId, campaignId: id }),
  z.object({ type: z.literal("campaigns.preflight"), projectId, jobId }),
  z.object({ type: z.literal("events.dispatch"), projectId, eventIds: z.array(id) }),
  /**
   * Opens and clicks. The one message that says what happened: until its consumer writes it there is no row, because the answer to
   * the recipient waits for nothing.
   */
  z.object({ type: z.literal("tracking.record"), projectId, hits: z.array(Hit) }),
  z.object({ type: z.literal("events.delete"), projectId, jobId }),
  z.object({ type: z.literal("contacts.import"), projectId, jobId }),
  z.object({ type: z.literal("contacts.bulk"), projectId, jobId }),
  z.object({ type: z.literal("contacts.erase"), projectId, jobId }),
  z.object({ type: z.literal("contacts.delete-field"), projectId, jobId }),
  z.object({ type: z.literal("contacts.count-fields"), projectId, jobId }),
  z.object({ type: z.literal("segments.compute"), projectId, jobId }),
  z.object({ type: z.literal("segments.count"), projectId, jobId }),
  z.object({ type: z.literal("segments.delete-members"), projectId, jobId }),
  /** Deliveries to webhooks are due, of whichever projects. */
  z.object({ type: z.literal("webhooks.drain") }),
  z.object({ type: z.literal("webhooks.try"), projectId, jobId }),
  /** Executions of these shards are overdue. */
  z.object({ type: z.literal("workflows.wake"), projectId, shards: z.array(z.number()) }),
  z.object({ type: z.literal("workflows.start"), projectId, jobId }),
  z.object({ type: z.literal("workflows.end"), projectId, jobId }),
  z.object({ type: z.literal("workflows.forget"), projectId, jobId }),
  z.object({ type: z.literal("workflows.vacate"), projectId, jobId }),
  /** Calls of workflows are due, of whichever projects. */
  z.object({ type: z.literal("workflows.call") }),
  /** A tick of cron, for some of many databases. With `sweeps`, only those, by name: an invocation had no statements left for them. */
  z.object({
    type: z.literal("sweeps.run"),
    cron: z.string(),
    shards: z.array(z.string()),
    sweeps: z.array(z.string()).optional(),
  }),
  z.object({ type: z.literal("project.erase"), projectId, jobId }),
  z.object({ type: z.literal("project.advance"), projectId, jobId }),
]);
export type QueueMessage = z.infer<typeof QueueMessage>;

/** The message of one type. */
export type MessageOf<T extends QueueMessage["type"]> = Extract<QueueMessage, { type: T }>;

/** Jobs that callers can follow: each has a row, and its message says no more than which row that is. */
export type JobType = Extract<QueueMessage, { jobId: Id }>["type"];

export const queueOf: Record<QueueMessage["type"], QueueName> = {
  "mail.deliver": "mail",
  // A drainer is at it for a while, and fresh mail does not wait behind it.
  "mail.drain": "campaign-mail",
  // Not behind the mail that waits for the same database.
  "mail.settle": "events",
  "domains.check": "jobs",
  "campaigns.count": "jobs",
  "campaigns.run": "jobs",
  "campaigns.preflight": "jobs",
  "events.dispatch": "events",
  "tracking.record": "events",
  "events.delete": "jobs",
  "contacts.import": "jobs",
  "contacts.bulk": "jobs",
  "contacts.erase": "jobs",
  "contacts.delete-field": "jobs",
  "contacts.count-fields": "jobs",
  "segments.compute": "jobs",
  "segments.count": "jobs",
  "segments.delete-members": "jobs",
  "webhooks.drain": "outbound",
  "webhooks.try": "outbound",
  "workflows.wake": "events",
  "workflows.start": "jobs",
  "workflows.end": "jobs",
  "workflows.forget": "jobs",
  "workflows.vacate": "jobs",
  "workflows.call": "outbound",
  "sweeps.run": "events",
  "project.erase": "jobs",
  "project.advance": "jobs",
};

/** A message to be sent, and how long it is held back. */
export interface Queued {
  message: QueueMessage;
  delaySeconds?: number;
}

export type Enqueue = (queued: Queued[]) => Promise<void>;

/** A message that the queue brings once more: its consumer may have died of it, and who delivers mail wants to know. */
export function comingAgain(message: QueueMessage): QueueMessage {
  return message.type === "mail.deliver" ? { ...message, again: true } : message;
}
