import { type SQL, sql } from "drizzle-orm";
import { NotFound } from "../core/errors";
import type { Id } from "../core/ids";
import { inProject, type Owner } from "./scope";
import { guard, type Statement } from "./statement";

/**
 * Returns in SQL whether a contact receives the mail of a topic: the contact's own choice, or otherwise the topic's
 * default. The value is NULL when the topic does not exist. Campaigns and workflows mail only contacts for which it is
 * true.
 */
export function isInTopic({ projectId, contactId, topic }: { projectId: SQL; contactId: SQL; topic: TopicName }): SQL {
  return sql`(SELECT coalesce(ct.is_in, t.default_subscribed) FROM topics t
    LEFT JOIN contact_topics ct ON ct.project_id = t.project_id AND ct.contact_id = ${contactId} AND ct.topic_id = t.id
    WHERE t.project_id = ${projectId} AND ${isNamed(topic)})`;
}

/**
 * Returns the condition that a contact has left the topic by its own choice. `POST /v1/send` withholds mail only from
 * such contacts, because each call is a deliberate act of the caller. The choice still counts after the topic has been
 * deleted.
 */
export function hasLeftTopic(of: { projectId: SQL; contactId: SQL; topicId: SQL }): SQL {
  return sql`EXISTS (SELECT 1 FROM contact_topics ct WHERE ct.project_id = ${of.projectId}
    AND ct.contact_id = ${of.contactId} AND ct.topic_id = ${of.topicId} AND NOT ct.is_in)`;
}

/** A topic by its id, or by its slug as in conditions. */
type TopicName = { id: SQL } | { slug: SQL };

function isNamed(topic: TopicName): SQL {
  return "id" in topic ? sql`t.id = ${topic.id}` : sql`t.slug = ${topic.slug} AND t.deleted_at IS NULL`;
}

/** Selects those of the `slugs` that no topic of the project has. Deleted topics do not count. */
export function unknownTopics(ctx: Owner, slugs: string[]): SQL {
  return sql`SELECT r.value AS slug FROM json_each(${JSON.stringify(slugs)}) r
    LEFT JOIN topics t ON ${inProject(ctx, "t")} AND t.slug = r.value AND t.deleted_at IS NULL
    WHERE t.id IS NULL`;
}

/**
 * Returns a guard for a batch that saves a template or campaign with a topic: the topic must exist. Conversely, a topic
 * cannot be deleted while a template or campaign names it.
 */
export function guardTopic(
  owner: Owner,
  topicId: Id,
  refuse: () => Error = () => new NotFound("topic", topicId),
): Statement {
  return guard(
    sql`EXISTS (SELECT 1 FROM topics WHERE ${inProject(owner)} AND id = ${topicId} AND deleted_at IS NULL)`,
    refuse,
  );
}
