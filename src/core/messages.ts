import { z } from "zod";
import { asId, type Id } from "./ids";
import { priorities } from "./mail/priority";
import { Unwritten } from "./mail/unwritten";
import { Hit } from "./tracking/hit";

/** The five queues. A type of message belongs to exactly one of them. */
export type QueueName = "mail" | "campaign-mail" | "events" | "outbound" | "jobs";

/** The fields of messages: a project's number, and the stored ids of rows. */
const projectId = z.number();
const id = z.string().transform(asId);

/** The stored jobs, which callers can poll, and the queue of each. Each job has a row, which its message names. */
const storedJobs = {
  "campaigns.preflight": "jobs",
  "emails.retry": "jobs",
  "events.delete": "jobs",
  "contacts.import": "jobs",
  "contacts.import-undo": "jobs",
  "contacts.bulk": "jobs",
  "contacts.erase": "jobs",
  "contacts.delete-field": "jobs",
  "contacts.count-fields": "jobs",
  "segments.compute": "jobs",
  "segments.count": "jobs",
  "segments.delete-members": "jobs",
  "webhooks.try": "outbound",
  "workflows.start": "jobs",
  "workflows.end": "jobs",
  "workflows.forget": "jobs",
  "workflows.vacate": "jobs",
  "project.erase": "jobs",
  "project.advance": "jobs",
  "project.backup": "jobs",
  "project.restore": "jobs",
  "project.move": "jobs",
} satisfies Record<string, QueueName>;

export type JobType = keyof typeof storedJobs;

/** The message of a stored job. */
export interface StoredJob {
  type: JobType;
  projectId: number;
  jobId: Id;
}

// The cast is safe, because an object literal has exactly the keys of its type.
export const jobTypes = Object.keys(storedJobs) as JobType[];

/**
 * Messages contain ids, never content: the row is authoritative, and the message only triggers work on it.
 * `tracking.record` and `mail.settle` are the exceptions.
 *
 * A field that this version does not know is refused like an unknown type, because it may change what the message asks
 * for. The consumer puts such a message back, for the version that sent it.
 */
export const QueueMessage = z.discriminatedUnion("type", [
  z.strictObject({
    type: z.literal("mail.deliver"),
    projectId,
    priority: z.literal(priorities),
    emailIds: z.array(id),
    /** Whether the message is a redelivery: an earlier consumer may have crashed while handling these emails. */
    again: z.literal(true).optional(),
  }),
  /**
   * The results of emails that a consumer could not store because the database did not answer. This message contains
   * the results themselves.
   */
  Unwritten.extend({ type: z.literal("mail.settle"), projectId }),
  /**
   * Waiting mail should be delivered, one project's turn after another. A message with `projectId` is about that
   * project only, because the project has a clock of its own. `provider` names the account, unless it is that of
   * MAIL_PROVIDER.
   */
  z.strictObject({ type: z.literal("mail.drain"), projectId: projectId.optional(), provider: z.string().optional() }),
  z.strictObject({
    type: z.literal("domains.check"),
    domains: z.array(z.strictObject({ projectId, domainId: id })),
  }),
  /** Pages of campaigns are due to be counted again. */
  z.strictObject({ type: z.literal("campaigns.count"), projectId }),
  /** A campaign is due to start or to continue. */
  z.strictObject({ type: z.literal("campaigns.run"), projectId, campaignId: id }),
  z.strictObject({ type: z.literal("events.dispatch"), projectId, eventIds: z.array(id) }),
  /**
   * Opens and clicks. This message contains them: no row exists until its consumer writes one, because the answer to
   * the recipient does not wait for a database.
   */
  z.strictObject({ type: z.literal("tracking.record"), projectId, hits: z.array(Hit) }),
  /** Deliveries to webhooks of some projects are due. */
  z.strictObject({ type: z.literal("webhooks.drain") }),
  /** Executions of these shards are overdue. */
  z.strictObject({ type: z.literal("workflows.wake"), projectId, shards: z.array(z.number()) }),
  /** Calls of workflows of some projects are due. */
  z.strictObject({ type: z.literal("workflows.call") }),
  /**
   * A tick of cron for a group of databases, when there are many. If there are `sweeps`, only these run, because the
   * previous invocation had no statements left for them.
   */
  z.strictObject({
    type: z.literal("sweeps.run"),
    cron: z.string(),
    shards: z.array(z.string()),
    sweeps: z.array(z.string()).optional(),
  }),
  ...jobTypes.map((type) => z.strictObject({ type: z.literal(type), projectId, jobId: id })),
]);
export type QueueMessage = z.infer<typeof QueueMessage>;

/** The message of one type. */
export type MessageOf<T extends QueueMessage["type"]> = T extends JobType
  ? StoredJob
  : Extract<QueueMessage, { type: T }>;

export const queueOf: Record<QueueMessage["type"], QueueName> = {
  ...storedJobs,
  "mail.deliver": "mail",
  // A consumer of waiting mail runs for a while, and new mail must not wait for it.
  "mail.drain": "campaign-mail",
  // Results must not wait behind mail that needs the same database.
  "mail.settle": "events",
  "domains.check": "jobs",
  "campaigns.count": "jobs",
  "campaigns.run": "jobs",
  "events.dispatch": "events",
  "tracking.record": "events",
  "webhooks.drain": "outbound",
  "workflows.wake": "events",
  "workflows.call": "outbound",
  "sweeps.run": "events",
};

/** A message to send, and how long to delay it. */
export interface Queued {
  message: QueueMessage;
  delaySeconds?: number;
}

export type Enqueue = (queued: Queued[]) => Promise<void>;

/**
 * Marks a redelivered message: its consumer may have crashed while handling it, and the delivery of mail takes that
 * into account.
 */
export function redelivered(message: QueueMessage): QueueMessage {
  return message.type === "mail.deliver" ? { ...message, again: true } : message;
}
