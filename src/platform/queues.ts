import { chunksOf, chunksOfBytes } from "../core/chunks";
import { type Enqueue, type Queued, type QueueName, queueOf } from "../core/messages";
import type { Env } from "./env";

// Cloudflare accepts 100 messages or 256 KB per call. Most messages have between a few hundred bytes and two kilobytes.
// Messages with opens and clicks, or with the results of mail, have up to 60 KB.
const maxMessagesPerCall = 100;
/**
 * The maximum total size of the messages in one call, in bytes. The rest of the limit is for metadata, about 100 bytes
 * for each of a hundred messages.
 */
const maxBytesPerCall = 200_000;

/**
 * Opens the queues. Messages are sent in several calls. A failed call does not stop the later ones, and the first
 * failure is thrown at the end.
 */
export function openQueues(env: Env): Enqueue {
  const queues: Record<QueueName, Queue> = {
    mail: env.MAIL_QUEUE,
    "campaign-mail": env.CAMPAIGN_MAIL_QUEUE,
    events: env.EVENTS_QUEUE,
    outbound: env.OUTBOUND_QUEUE,
    jobs: env.JOBS_QUEUE,
  };
  return async (queued) => {
    const failures: unknown[] = [];
    for (const [name, group] of Map.groupBy(queued, ({ message }) => queueOf[message.type])) {
      for (const messages of callsOf(group)) {
        try {
          await queues[name].sendBatch(messages.map(({ message, delaySeconds }) => ({ body: message, delaySeconds })));
        } catch (error) {
          failures.push(error);
        }
      }
    }
    if (failures.length > 0) throw failures[0];
  };
}

function callsOf(group: Queued[]): Queued[][] {
  return chunksOfBytes(group, maxBytesPerCall, ({ message }) => JSON.stringify(message)).flatMap((chunk) =>
    chunksOf(chunk, maxMessagesPerCall),
  );
}
