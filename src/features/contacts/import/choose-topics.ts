import { sql } from "drizzle-orm";
import { inProject } from "../../../db/scope";
import { type Statement, statement } from "../../../db/statement";
import { upsertCounts } from "../../../engine/contacts/counts";
import { insertEvents } from "../../../engine/events/record";
import type { Context } from "../../../platform/context";
import type { NewContacts } from "./upsert-rows";

/**
 * Returns the statements that put each contact into exactly the topics that its row names, and out of all others.
 * `events` must run before the contacts are written, so that new contacts emit no events; `choices` must run
 * afterwards.
 */
export function chooseTopics(
  ctx: Context,
  { contacts, now }: NewContacts,
): { events: Statement[]; choices: Statement[] } {
  const choosing = contacts.flatMap(({ email, topics }) => (topics === undefined ? [] : [{ email, topics }]));
  if (choosing.length === 0) return { events: [], choices: [] };
  // The slugs are separated by bars, which no slug contains.
  const isIn = sql`(instr(r.value->>'topics', '|' || t.slug || '|') > 0)`;
  const isInNow = sql`coalesce(ct.is_in, t.default_subscribed)`;
  const live = sql`SELECT json_group_array(id) FROM topics WHERE ${inProject(ctx)} AND deleted_at IS NULL`;
  const chosen = sql`FROM json_each(${JSON.stringify(choosing)}) r
    CROSS JOIN contacts c ON ${inProject(ctx, "c")} AND c.email = r.value->>'email'
    CROSS JOIN json_each((${live})) k
    CROSS JOIN topics t ON ${inProject(ctx, "t")} AND t.id = k.value
    LEFT JOIN contact_topics ct ON ${inProject(ctx, "ct")} AND ct.contact_id = c.id AND ct.topic_id = t.id`;
  const flips = sql`${chosen} WHERE ${isInNow} <> ${isIn}`;
  return {
    events: [
      insertEvents(ctx, {
        rows: sql`SELECT t.project_id, iif(${isIn}, 'contact.topic_joined', 'contact.topic_left') AS name,
            c.id AS contact_id, NULL AS email_id, json_object('topic', t.slug) AS data ${flips}`,
      }),
    ],
    choices: [
      upsertCounts(sql`SELECT t.project_id, 0 AS contacts, 0 AS subscribed ${flips}`),
      statement(
        sql`INSERT INTO contact_topics (project_id, contact_id, topic_id, is_in, at)
          SELECT t.project_id, c.id, t.id, ${isIn}, ${now} ${chosen}
          WHERE ct.is_in IS NOT ${isIn} AND (${isIn} OR ${isInNow})
          ON CONFLICT DO UPDATE SET is_in = excluded.is_in, at = excluded.at`,
      ),
    ],
  };
}
