import { type SQL, sql } from "drizzle-orm";
import type { Statement } from "../../db/statement";
import type { Platform } from "../../platform/context";
import { insertEvents } from "./record";

/** What happens to an email. Nothing else has events with an `email_id`. */
export const emailEventNames = [
  "email.sent",
  "email.delivered",
  "email.opened",
  "email.clicked",
  "email.bounced",
  "email.complained",
  "email.failed",
] as const;

/**
 * Event rows of emails, for the batch of the change that causes them and before it. `items` is a JSON array of
 * `{ projectId, emailId, event, eventData }`, those with no event are passed over; `where` is a condition on the email
 * `e`, and on its item `r` if it likes. The rows hold only what the email's own row lacks: who reads them adds the rest,
 * see `email-data.ts`. Of an email whose contact was erased, which has no address any more, what a provider says of its
 * recipient is not kept.
 */
export function insertEmailEvents(
  platform: Pick<Platform, "databaseNow">,
  { items, where }: { items: string; where: SQL },
): Statement {
  const rows = sql`SELECT e.project_id, r.value->>'event' AS name, e.contact_id, e.id AS email_id,
      CASE WHEN e.to_email = '' THEN '{}' ELSE r.value->'eventData' END AS data
    FROM json_each(${items}) r
    CROSS JOIN emails e ON e.project_id = r.value->>'projectId' AND e.id = r.value->>'emailId'
    WHERE r.value->>'event' IS NOT NULL AND ${where}`;
  return insertEvents(platform, { rows });
}
