import { type Backoff, backoffMs } from "./core/backoff";
import { newId } from "./core/ids";
import { type MessageOf, QueueMessage } from "./core/messages";
import { minuteMs, secondMs } from "./core/time";
import { deadLetters } from "./db/tables";
import type { EventListener } from "./engine/events/listener";
import { bulkJob } from "./features/contacts/bulk/jobs";
import { countFieldsJob, deleteFieldJob } from "./features/contacts/fields/jobs";
import { importJob } from "./features/contacts/import/jobs";
import { eraseContactJob } from "./features/contacts/jobs";
import { checkDomainsJob } from "./features/domains/jobs";
import { deleteEventsJob, dispatchEventsJob } from "./features/events/jobs";
import { eraseJob } from "./features/projects/jobs";
import { computeSegmentJob, countSegmentJob, deleteMembersJob } from "./features/segments/jobs";
import { deliverJob } from "./features/send/jobs";
import { openPlatform, type Platform } from "./platform/context";
import type { Env } from "./platform/env";
import { reasonOf } from "./platform/log";

type Handler<T extends QueueMessage["type"]> = (
  platform: Platform,
  message: MessageOf<T>,
  listeners: readonly EventListener[],
) => Promise<void>;

/** Every kind of those who hear of events. */
export const eventListeners: readonly EventListener[] = [];

/** One handler for every type of message: a type without one does not compile. */
const handlers: { [T in QueueMessage["type"]]: Handler<T> } = {
  "mail.deliver": deliverJob,
  "domains.check": checkDomainsJob,
  "events.dispatch": dispatchEventsJob,
  "events.delete": deleteEventsJob,
  "contacts.import": importJob,
  "contacts.bulk": bulkJob,
  "contacts.erase": eraseContactJob,
  "contacts.delete-field": deleteFieldJob,
  "contacts.count-fields": countFieldsJob,
  "segments.compute": computeSegmentJob,
  "segments.count": countSegmentJob,
  "segments.delete-members": deleteMembersJob,
  "project.erase": eraseJob,
};

/** When the mail provider is out of reach, the first message finds out, and the others wait instead of trying it too. */
const oneByOne = new Set(["petrel-mail", "petrel-campaign-mail"]);

const deadLetterSuffix = "-dead";
const retryBackoff: Backoff = { firstMs: 5 * secondMs, growth: 2, maxMs: 15 * minuteMs };

/** Front door 2: each message is parsed, handed to its handler, and acknowledged or retried on its own. */
export async function consume(batch: MessageBatch, env: Env, execution: ExecutionContext): Promise<void> {
  const platform = openPlatform(env, execution);
  const isDead = batch.queue.endsWith(deadLetterSuffix);
  const receive = (message: Message) => (isDead ? bury(platform, batch.queue, message) : handle(platform, message));
  if (oneByOne.has(batch.queue)) {
    for (const message of batch.messages) await receive(message);
  } else {
    await Promise.all(batch.messages.map(receive));
  }
}

async function handle(platform: Platform, message: Message): Promise<void> {
  const parsed = QueueMessage.safeParse(message.body);
  if (!parsed.success) {
    // Trying again cannot make it known.
    platform.log("error", "A message has a type that this version does not know", { messageId: message.id });
    return message.ack();
  }
  try {
    await handleMessage(platform, message.attempts > 1 ? comingAgain(parsed.data) : parsed.data);
    message.ack();
  } catch (error) {
    platform.log("error", "A message failed and will be tried again", {
      type: parsed.data.type,
      attempt: message.attempts,
      reason: reasonOf(error),
    });
    message.retry({ delaySeconds: backoffMs(retryBackoff, message.attempts - 1) / secondMs });
  }
}

/** A message that the queue brings once more: its consumer may have died of it, and who delivers mail wants to know. */
export function comingAgain(message: QueueMessage): QueueMessage {
  return message.type === "mail.deliver" ? { ...message, again: true } : message;
}

/** Does the work of one message. Throws when it is worth another try. */
export function handleMessage<T extends QueueMessage["type"]>(
  platform: Platform,
  message: MessageOf<T>,
  listeners = eventListeners,
): Promise<void> {
  // The table is typed by the type of the message, which indexing by a union forgets.
  const handler = handlers[message.type] as Handler<T>;
  return handler(platform, message, listeners);
}

/** A message that failed every try. Its rows are found again by the sweeps; this is for the people who look after it. */
async function bury(platform: Platform, queue: string, message: Message): Promise<void> {
  const body = JSON.stringify(message.body);
  platform.log("error", "A message failed every try", { queue, messageId: message.id });
  await platform.control.insert(deadLetters).values({ id: newId(), queue, body, createdAt: platform.now.getTime() });
  message.ack();
}
