import { type SQL, sql } from "drizzle-orm";

/**
 * Whether a contact gets the mail of a topic: its own choice, or else the topic's default. NULL when the topic does not
 * exist. Campaigns and workflows mail only those for whom it is true.
 */
export function isInTopic({ projectId, contactId, topic }: { projectId: SQL; contactId: SQL; topic: TopicName }): SQL {
  return sql`(SELECT coalesce(ct.is_in, t.default_subscribed) FROM topics t
    LEFT JOIN contact_topics ct ON ct.project_id = t.project_id AND ct.contact_id = ${contactId} AND ct.topic_id = t.id
    WHERE t.project_id = ${projectId} AND ${isNamed(topic)})`;
}

/**
 * Whether a contact left the topic itself. `POST /v1/send` withholds mail from these alone, because each call is a
 * deliberate act of the caller. Somebody who left a topic that was deleted since still left it.
 */
export function hasLeftTopic(of: { projectId: SQL; contactId: SQL; topicId: SQL }): SQL {
  return sql`EXISTS (SELECT 1 FROM contact_topics ct WHERE ct.project_id = ${of.projectId}
    AND ct.contact_id = ${of.contactId} AND ct.topic_id = ${of.topicId} AND NOT ct.is_in)`;
}

/** Conditions name a topic by its slug. */
type TopicName = { id: SQL } | { slug: SQL };

function isNamed(topic: TopicName): SQL {
  return "id" in topic ? sql`t.id = ${topic.id}` : sql`t.slug = ${topic.slug} AND t.deleted_at IS NULL`;
}

/** A query of those `slugs` that no topic of the project has, or only a deleted one. */
export function unknownTopics(ctx: { project: { number: number } }, slugs: string[]): SQL {
  return sql`SELECT r.value AS slug FROM json_each(${JSON.stringify(slugs)}) r
    LEFT JOIN topics t ON t.project_id = ${ctx.project.number} AND t.slug = r.value AND t.deleted_at IS NULL
    WHERE t.id IS NULL`;
}
