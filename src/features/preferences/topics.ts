import { sql } from "drizzle-orm";
import { openBatch } from "../../db/batch";
import { Stale } from "../../db/fresh";
import { isInTopic, unknownTopics } from "../../db/topics";
import { updateLeftBy } from "../../engine/campaigns/left";
import { type ContactTopic, selectTopics, updateTopics } from "../../engine/contacts/topics";
import type { Recipient } from "./recipient";
import { setSubscription } from "./set-subscription";

/** Returns the topics of the project, as they apply to this person. */
export async function findTopics({ ctx, contact }: Recipient): Promise<ContactTopic[]> {
  const batch = openBatch(ctx);
  const topics = batch.add(selectTopics(ctx, contact.id));
  await batch.commit();
  return topics.all;
}

/**
 * Returns the topic of the mail that contained the link; null if the mail has no topic, or if the topic was deleted.
 */
export async function findTopicOfMail(recipient: Recipient): Promise<ContactTopic | null> {
  const { topicId } = recipient.subject;
  if (topicId === undefined) return null;
  return (await findTopics(recipient)).find(({ id }) => id === topicId) ?? null;
}

/** Applies a person's choice about one topic. Returns false, without an effect, when the topic has been deleted. */
export async function setTopic({ ctx, contact, subject }: Recipient, slug: string, isIn: boolean): Promise<boolean> {
  const topic = { slug: sql`${slug}` };
  const isStillIn = isInTopic({ projectId: sql`e.project_id`, contactId: sql`e.contact_id`, topic });
  const batch = openBatch(ctx);
  // A second run finds the same choice already stored, and changes nothing.
  batch.mayRepeat();
  batch.guard(sql`NOT EXISTS (${unknownTopics(ctx, [slug])})`, () => new Stale());
  if (!isIn) batch.addAll(updateLeftBy(ctx, subject.emailId, isStillIn));
  batch.addAll(updateTopics(ctx, { contactId: contact.id, topics: new Map([[slug, isIn]]) }));
  try {
    await batch.commit();
    return true;
  } catch (error) {
    if (error instanceof Stale) return false;
    throw error;
  }
}

/**
 * Leaves the topic of the mail, after a one-click unsubscribe in a mail program or the first button of the page. If the
 * mail has no topic, or the topic no longer exists, unsubscribes from everything, so that the request always has an
 * effect. Returns the topic that was left; null if the person was unsubscribed from everything.
 */
export async function leave(recipient: Recipient): Promise<ContactTopic | null> {
  const topic = await findTopicOfMail(recipient);
  if (topic && (await setTopic(recipient, topic.slug, false))) return topic;
  await setSubscription(recipient, false);
  return null;
}
