import { type QueueMessage, redelivered } from "../messages";

/** A message, and all received messages that it stands for. */
export interface Merged<Received> {
  message: QueueMessage;
  received: Received[];
}

/**
 * Merges messages about fresh mail of one project and priority, so that their emails are read, handed over and recorded
 * together. Also merges messages about due deliveries to webhooks, and those with opens and clicks of one project.
 * `isAgain` marks a repeated message, whose consumer may have died while handling its emails.
 */
export function mergeMessages<Received>(
  arrived: readonly { message: QueueMessage; isAgain: boolean; received: Received }[],
): Merged<Received>[] {
  const merged = new Map<string, Merged<Received>>();
  for (const [index, { message: given, isAgain, received }] of arrived.entries()) {
    const message = isAgain ? redelivered(given) : given;
    const name = nameOf(message) ?? String(index);
    const known = merged.get(name);
    if (!known) merged.set(name, { message, received: [received] });
    else merged.set(name, { message: union(known.message, message), received: [...known.received, received] });
  }
  return [...merged.values()];
}

function nameOf(message: QueueMessage): string | null {
  // Merged because one run makes one call at a time to each endpoint, but two concurrent runs would make two.
  if (message.type === "webhooks.drain") return message.type;
  if (message.type === "tracking.record") return `${message.type} ${message.projectId}`;
  if (message.type !== "mail.deliver") return null;
  return [message.projectId, message.priority, message.again ?? false].join(" ");
}

function union(one: QueueMessage, other: QueueMessage): QueueMessage {
  if (one.type === "tracking.record" && other.type === "tracking.record") {
    return { ...one, hits: [...one.hits, ...other.hits] };
  }
  if (one.type !== "mail.deliver" || other.type !== "mail.deliver") return one;
  return { ...one, emailIds: [...new Set([...one.emailIds, ...other.emailIds])] };
}
