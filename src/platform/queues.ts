import { type Enqueue, type QueueName, queueOf } from "../core/messages";
import type { Env } from "./env";

// Cloudflare accepts 100 messages or 256 KB per call. Ours have between a few hundred bytes and two kilobytes each.
const maxMessagesPerCall = 100;

export function openQueues(env: Env): Enqueue {
  const queues: Record<QueueName, Queue> = {
    mail: env.MAIL_QUEUE,
    "campaign-mail": env.CAMPAIGN_MAIL_QUEUE,
    events: env.EVENTS_QUEUE,
    outbound: env.OUTBOUND_QUEUE,
    jobs: env.JOBS_QUEUE,
  };
  return async (queued) => {
    for (const [name, group] of Map.groupBy(queued, ({ message }) => queueOf[message.type])) {
      for (let start = 0; start < group.length; start += maxMessagesPerCall) {
        const messages = group.slice(start, start + maxMessagesPerCall);
        await queues[name].sendBatch(messages.map(({ message, delaySeconds }) => ({ body: message, delaySeconds })));
      }
    }
  };
}
