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
  z.object({ type: z.literal("project.erase"), projectId: z.string(), jobId: z.string() }),
]);
export type Job = z.infer<typeof Job>;

export const queueOf: Record<Job["type"], QueueName> = {
  "mail.deliver": "mail",
  "domains.check": "jobs",
  "project.erase": "jobs",
};
