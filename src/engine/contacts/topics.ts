import { type SQL, sql } from "drizzle-orm";
import type { Id } from "../../core/ids";
import { asFlag, asId, asText, columns, orNull } from "../../db/rows";
import { inProject } from "../../db/scope";
import { type Statement, statement } from "../../db/statement";
import type { Context } from "../../platform/context";
import { insertEvents } from "../events/record";
import { upsertCounts } from "./counts";

/** The choices of one contact for some topics. */
export interface TopicChoices {
  contactId: Id;
  /** The choices by the slug of the topic. A slug without a live topic changes nothing. */
  topics: ReadonlyMap<string, boolean>;
}

/**
 * Returns the statements that store a contact's choices for topics. A choice that differs from the effective one (the
 * earlier choice or the topic's default) records an event. The statements must go into one batch in this order, because
 * the events compare with the state before the change. A choice that equals the default is stored too, so that it stays
 * when the default changes.
 */
export function updateTopics(ctx: Context, { contactId, topics }: TopicChoices): Statement[] {
  const choices = JSON.stringify([...topics].map(([slug, isIn]) => ({ slug, isIn })));
  const isIn = sql`r.value->>'isIn'`;
  const chosen = sql`FROM json_each(${choices}) r
    CROSS JOIN topics t ON ${inProject(ctx, "t")} AND t.slug = r.value->>'slug' AND t.deleted_at IS NULL
    CROSS JOIN contacts c ON c.project_id = t.project_id AND c.id = ${contactId}
    LEFT JOIN contact_topics ct ON ct.project_id = t.project_id AND ct.contact_id = c.id AND ct.topic_id = t.id`;
  const flips = sql`${chosen} WHERE coalesce(ct.is_in, t.default_subscribed) <> ${isIn}`;
  return [
    insertEvents(ctx, {
      rows: sql`SELECT t.project_id, iif(${isIn}, 'contact.topic_joined', 'contact.topic_left') AS name,
          c.id AS contact_id, NULL AS email_id, json_object('topic', t.slug) AS data ${flips}`,
    }),
    upsertCounts(sql`SELECT t.project_id, 0 AS contacts, 0 AS subscribed ${flips}`),
    statement(
      sql`INSERT INTO contact_topics (project_id, contact_id, topic_id, is_in, at)
        SELECT t.project_id, c.id, t.id, ${isIn}, ${ctx.now.getTime()} ${chosen} WHERE ct.is_in IS NOT ${isIn}
        ON CONFLICT DO UPDATE SET is_in = excluded.is_in, at = excluded.at`,
    ),
  ];
}

/** A topic as it applies to one contact. */
export interface ContactTopic {
  id: Id;
  slug: string;
  name: string;
  description: string | null;
  isIn: boolean;
  /**
   * Whether the contact has chosen to leave the topic. If so, `POST /v1/send` sends the contact no mail of the topic.
   */
  hasLeft: boolean;
}

/** Selects all topics that are not deleted, as they apply to a contact, in the order of their creation. */
export function selectTopics(ctx: Context, contactId: Id): Statement<ContactTopic> {
  return statement(
    sql`SELECT id, slug, name, description, coalesce(ct.is_in, default_subscribed) AS is_in, ct.is_in IS 0 AS has_left
      ${topicsOf(ctx, contactId)} WHERE ${inProject(ctx, "topics")} AND deleted_at IS NULL ORDER BY id`,
    columns({ id: asId, slug: asText, name: asText, description: orNull(asText), isIn: asFlag, hasLeft: asFlag }),
  );
}

/** Joins topics with the contact's choice `ct`, if there is one. */
export function topicsOf(ctx: Context, contactId: Id): SQL {
  return sql`FROM topics LEFT JOIN contact_topics ct
    ON ${inProject(ctx, "ct")} AND ct.contact_id = ${contactId} AND ct.topic_id = topics.id`;
}
