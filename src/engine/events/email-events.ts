import { type SQL, sql } from "drizzle-orm";
import type { Statement } from "../../db/statement";
import { insertEvents } from "./record";

/**
 * Event rows of emails, for the batch of the change that causes them and before it. `items` is a JSON array of
 * `{ emailId, event, eventData }`, those with no event are passed over; `where` is a condition on the email `e`, and on
 * its item `r` if it likes. Of an email whose contact was erased, which has no address any more, an event only says
 * which email it was: neither its subject nor what a provider says of its recipient.
 */
export function insertEmailEvents({ items, where, at }: { items: string; where: SQL; at: number }): Statement {
  const isErased = sql`e.to_email = ''`;
  const data = sql`json_object('emailId', e.id,
    'subject', CASE WHEN NOT ${isErased} THEN coalesce(e.subject, content.subject) END,
    'templateId', e.template_id, 'campaignId', e.campaign_id, 'source', e.source)`;
  const rows = sql`SELECT e.project_id, r.value->>'event' AS name, e.contact_id, e.id AS email_id,
      json_patch(${data}, CASE WHEN ${isErased} THEN '{}' ELSE r.value->'eventData' END) AS data
    FROM json_each(${items}) r
    CROSS JOIN emails e ON e.id = r.value->>'emailId'
    LEFT JOIN email_contents content ON content.id = e.content_id
    WHERE r.value->>'event' IS NOT NULL AND ${where}`;
  return insertEvents({ rows, at });
}
