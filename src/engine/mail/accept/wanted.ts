import { type SQL, sql } from "drizzle-orm";
import type { Id } from "../../../core/ids";
import { isInTopic } from "../../../db/topics";
import type { KindOfMail } from "../withhold";

/**
 * Matches when a contact `c` gets this kind of mail from campaigns and workflows. TRANSACTIONAL mail goes to every
 * contact; other mail goes to contacts that are subscribed and in its topic.
 */
export function wantsMail({ type, topicId }: KindOfMail): SQL {
  if (type === "TRANSACTIONAL") return sql`true`;
  const isSubscribed = isSubscribedTo(topicId);
  return typeof type === "string" ? isSubscribed : sql`(${type} = 'TRANSACTIONAL' OR ${isSubscribed})`;
}

/** Matches when a contact `c` is subscribed, and in the topic if there is one. */
export function isSubscribedTo(topicId: KindOfMail["topicId"]): SQL {
  return topicId === null ? sql`c.subscribed` : sql`(c.subscribed AND ${isInItsTopic(topicId)})`;
}

/** Matches when a contact `c` is in a topic. Also matches when the topic is NULL or no longer exists. */
export function isInItsTopic(topicId: Id | SQL): SQL {
  return sql`coalesce(${isInTopic({ projectId: sql`c.project_id`, contactId: sql`c.id`, topic: { id: sql`${topicId}` } })}, true)`;
}
