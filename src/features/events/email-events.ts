import { type SQL, sql } from "drizzle-orm";
import type { Db } from "../../db/client";
import { statement } from "../../db/commit";
import { bornDispatched, eventIdInSql } from "./record";

/**
 * Event rows of emails, for the batch of the change that causes them and before it. `items` is a JSON array of
 * `{ emailId, event, eventData }`, those with no event are passed over; `where` is a condition on the email `e`, and on its item `r` if it likes.
 */
export function emailEvents(
  db: Db,
  { items, where, at }: { items: string; where: SQL; at: number },
): D1PreparedStatement {
  const data = sql`json_object('emailId', e.id, 'subject', coalesce(e.subject, content.subject),
    'templateId', e.template_id, 'campaignId', e.campaign_id, 'source', e.source)`;
  return statement(
    db,
    sql`INSERT INTO events (id, project_id, name, contact_id, email_id, data, created_at, dispatched_at)
      SELECT ${eventIdInSql(at)}, e.project_id, r.value->>'event', e.contact_id, e.id,
        json_patch(${data}, r.value->'eventData'), ${at},
        ${bornDispatched(sql`e.project_id`, sql`r.value->>'event'`, at)}
      FROM json_each(${items}) r
      CROSS JOIN emails e ON e.id = r.value->>'emailId'
      LEFT JOIN email_contents content ON content.id = e.content_id
      WHERE r.value->>'event' IS NOT NULL AND ${where}`,
  );
}
