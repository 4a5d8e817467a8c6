import { z } from "zod";

/** The five queues of the house. A job type belongs to exactly one of them. */
export type QueueName = "mail" | "campaign-mail" | "events" | "outbound" | "jobs";

/** Messages carry ids, never content: the row is the truth, the message only says "look now". */
export const Job = z.discriminatedUnion("type", [
  z.object({ type: z.literal("mail.deliver"), projectId: z.string(), emailIds: z.array(z.string()) }),
  z.object({
    type: z.literal("domains.check"),
    domains: z.array(z.object({ projectId: z.string(), domainId: z.string() })),
  }),
  z.object({ type: z.literal("events.dispatch"), projectId: z.string(), eventIds: z.array(z.string()) }),
  z.object({ type: z.literal("events.delete"), projectId: z.string(), jobId: z.string() }),
  z.object({ type: z.literal("contacts.import"), projectId: z.string(), jobId: z.string() }),
  z.object({ type: z.literal("contacts.bulk"), projectId: z.string(), jobId: z.string() }),
  z.object({ type: z.literal("contacts.erase"), projectId: z.string(), jobId: z.string() }),
  z.object({ type: z.literal("contacts.delete-field"), projectId: z.string(), jobId: z.string() }),
  z.object({ type: z.literal("contacts.count-fields"), projectId: z.string(), jobId: z.string() }),
  z.object({ type: z.literal("segments.compute"), projectId: z.string(), jobId: z.string() }),
  z.object({ type: z.literal("segments.count"), projectId: z.string(), jobId: z.string() }),
  z.object({ type: z.literal("segments.delete-members"), projectId: z.string(), jobId: z.string() }),
  z.object({ type: z.literal("project.erase"), projectId: z.string(), jobId: z.string() }),
]);
export type Job = z.infer<typeof Job>;

/** Jobs that callers can follow: each has a row, and its message says no more than which row that is. */
export type StoredJobType = Extract<Job, { jobId: string }>["type"];

export const queueOf: Record<Job["type"], QueueName> = {
  "mail.deliver": "mail",
  "domains.check": "jobs",
  "events.dispatch": "events",
  "events.delete": "jobs",
  "contacts.import": "jobs",
  "contacts.bulk": "jobs",
  "contacts.erase": "jobs",
  "contacts.delete-field": "jobs",
  "contacts.count-fields": "jobs",
  "segments.compute": "jobs",
  "segments.count": "jobs",
  "segments.delete-members": "jobs",
  "project.erase": "jobs",
};

/** A message to be sent, and how long it is held back. */
export interface Nudge {
  job: Job;
  delaySeconds?: number;
}

export type Enqueue = (nudges: Nudge[]) => Promise<void>;
