import { QueueMessage } from "../../src/core/messages";

/**
 * The documented limits of Queues (https://developers.cloudflare.com/queues/platform/limits/). Each message has some 100 bytes
 * of metadata, which count. The local queue takes more.
 */
export const queueLimits = { messageBytes: 128_000, callBytes: 256_000, callMessages: 100, metadataBytes: 100 };

const utf8 = new TextEncoder();

/** What is too much in a call of a queue; null when the queue takes it. */
export function queueFault(messages: readonly MessageSendRequest[]): string | null {
  const sizes = messages.map(({ body }) => utf8.encode(JSON.stringify(body)).length + queueLimits.metadataBytes);
  const [largest, whole] = [Math.max(0, ...sizes), sizes.reduce((sum, size) => sum + size, 0)];
  if (messages.length > queueLimits.callMessages) return `${messages.length} messages in a call`;
  if (largest > queueLimits.messageBytes) return `${largest} bytes in a message`;
  return whole > queueLimits.callBytes ? `${whole} bytes in a call` : null;
}

/** A queue that refuses what the real one refuses, and keeps the rest. */
export class LimitedQueue {
  messages: QueueMessage[] = [];
  calls = 0;

  get binding(): Queue {
    const sendBatch = async (given: Iterable<MessageSendRequest>) => {
      const messages = [...given];
      const fault = queueFault(messages);
      if (fault !== null) throw new Error(`Queue sendBatch failed: Payload Too Large (${fault})`);
      this.calls += 1;
      this.messages.push(...messages.map(({ body }) => QueueMessage.parse(JSON.parse(JSON.stringify(body)))));
    };
    // The product calls no other method.
    return { sendBatch } as unknown as Queue;
  }
}
